import { isUnread, type RpcError } from '../../../contract/errors.ts';
import { notBegunWords } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { ago, sameAge, whyAway } from '../../incident/state/snapshot-words.ts';
import type { IncidentSummary, Snapshot } from '../../incident/state/snapshots.ts';
import { drillWords, standing } from '../../incident/state/state-words.ts';
import { context, facts, header, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns } from '../../text/signs.ts';

/** The answer of the API, or the error that says it is away. Any other error is thrown. */
export async function orUnreachable<T>(answer: Promise<T>): Promise<{ answer: T } | { error: RpcError }> {
  try {
    return { answer: await answer };
  } catch (error) {
    if (isUnread(error)) return { error };
    throw error;
  }
}

/** Says that there is no snapshot and what to do; a button tries the same again. */
export async function noSnapshotWords(ctx: Context, error: RpcError, what: string): Promise<Words> {
  ctx.log.warn({ err: error }, 'status: the API is away and there is no snapshot');
  const { draft, deps, actor, key, now } = ctx;
  const text = `${whyAway(error, ctx.deps.settings.apiName)} ${what}`;
  return notBegunWords(text, { draft, id: draft && (await deps.drafts.keep(actor, draft, key, now)) }, true);
}

/** A sentence on people and tasks of a snapshot that are older than the rest or missing; `""` when neither. */
export function agedParts({ whole, seenAt }: Snapshot, now: Date): string {
  if (!whole) return 'I have only seen it in a list, so I do not know its people and tasks.';
  const behind = (seenAt.getTime() - whole.seenAt.getTime()) / 1000;
  return behind < sameAge ? '' : `Its people and tasks are as they were ${ago(whole.seenAt, now)}.`;
}

/** An incident of which only a list is known, as blocks. */
export function summaryWords(summary: IncidentSummary): Words {
  const title = `${drillWords(summary, `${incidentSigns.drill} DRILL · `)}${summary.title}`;
  return {
    text: `${incidentLabel(summary.incidentID, 'Incident')}: ${toMrkdwn(summary.title, 300)}`,
    blocks: [
      header(title),
      facts([
        ['Status', standing(summary)],
        ['Severity', toMrkdwn(summary.severityLabel, 60)],
        ['Started', when(summary.incidentStart || summary.createdTime)],
        ...(summary.status === 'resolved' ? [['Ended', when(summary.incidentEnd)] as const] : []),
      ]),
      ...(summary.summary ? [section(toMrkdwn(summary.summary, 1000))] : []),
      context(incidentLabel(summary.incidentID, 'Incident')),
    ],
  };
}

/** Puts a notice above words, in the blocks and in the text. */
export function under(notice: string, words: Words): Words {
  const { text, blocks = sentence(words.text).blocks ?? [] } = words;
  return { text: `${notice}\n${text}`, blocks: [section(notice), ...blocks] };
}
