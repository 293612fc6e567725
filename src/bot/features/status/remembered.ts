import { RpcError } from '../../../contract/errors.ts';
import type { Context } from '../../dispatch/context.ts';
import { notBegunWords } from '../../dispatch/receipts.ts';
import { standing, when } from '../../incident/card-view.ts';
import type { IncidentSummary, Remembered } from '../../incident/snapshots.ts';
import { context, facts, header, said, section, sentence, type Words } from '../../text/blocks.ts';
import { formatDuration } from '../../text/times.ts';

/** How long somebody who asks waits for the API before they are told what is remembered, in milliseconds. */
export const patience = 3000;
/** Parts of what is remembered that differ by less, in seconds, are of the same age. */
const sameAge = 60;

/** Whether a read failed because the API is not there at present, so that what is remembered is the best answer. */
function isUnreachable(error: RpcError): boolean {
  switch (error.code) {
    case 'unavailable':
    case 'deadline_exceeded':
    case 'resource_exhausted':
    case 'internal':
    case 'invalid_response':
      return true;
    default:
      return false;
  }
}

/** What an answer of the API came to: the answer, or why there is none at present. Any other failure is thrown. */
export async function orUnreachable<T>(answer: Promise<T>): Promise<{ answer: T } | { error: RpcError }> {
  try {
    return { answer: await answer };
  } catch (error) {
    if (error instanceof RpcError && isUnreachable(error)) return { error };
    throw error;
  }
}

/** Why the API does not say how things are, as a sentence. */
function whyNot(error: RpcError): string {
  switch (error.code) {
    case 'deadline_exceeded':
      return 'The incident API took too long to answer.';
    case 'resource_exhausted':
      return 'The incident API is receiving too many requests.';
    case 'internal':
      return 'The incident API failed.';
    case 'invalid_response':
      return 'The incident API sent a response Muster could not read (a wrong address, or a proxy page?).';
    default:
      return 'The incident API cannot be reached.';
  }
}

/** Says, before what is remembered, that it may have changed since: `4 min ago`. */
export function agedNotice(error: RpcError, seenAt: Date, now: Date): string {
  return `:warning: ${whyNot(error)} This is how it was ${ago(seenAt, now)}.`;
}

/** How old the oldest of several is, for a list. */
export function agedListNotice(error: RpcError, seen: readonly Remembered[], now: Date): string {
  const oldest = new Date(Math.min(...seen.map(each => each.seenAt.getTime())));
  const newest = new Date(Math.max(...seen.map(each => each.seenAt.getTime())));
  const isOneAge = newest.getTime() - oldest.getTime() < sameAge * 1000;
  if (isOneAge) return agedNotice(error, newest, now);
  return `:warning: ${whyNot(error)} This is how it was between ${age(oldest, now)} and ${ago(newest, now)}.`;
}

/** Says that nothing is remembered and what to do; what was typed can be tried again with a button. */
export async function nothingRemembered(ctx: Context, error: RpcError, what: string): Promise<Words> {
  ctx.log.warn({ err: error }, 'the API cannot be read, and nothing is remembered');
  const { draft, deps, actor, key, now } = ctx;
  const text = `${whyNot(error)} ${what} Try again in a moment. If this goes on, tell your Muster administrator.`;
  return notBegunWords(text, { draft, id: draft && (await deps.drafts.keep(actor, draft, key, now)) }, true);
}

/** What is said beside a remembered incident whose people and tasks are older than the rest, or unknown; `""` when neither. */
export function agedParts({ whole, seenAt }: Remembered, now: Date): string {
  if (!whole) return 'I have only seen it in a list, so I do not know its people and tasks.';
  const behind = (seenAt.getTime() - whole.seenAt.getTime()) / 1000;
  return behind < sameAge ? '' : `Its people and tasks are as they were ${ago(whole.seenAt, now)}.`;
}

/** What a list has told of an incident, as blocks. */
export function glanceWords(summary: IncidentSummary): Words {
  const title = `${summary.isDrill ? '[Drill] ' : ''}${summary.title}`;
  return {
    text: `Incident ${said(summary.incidentID, 40)}: ${said(summary.title, 300)}`,
    blocks: [
      header(title),
      facts([
        ['Status', standing(summary)],
        ['Severity', said(summary.severityLabel, 60)],
        ['Started', when(summary.incidentStart || summary.createdTime)],
        ...(summary.status === 'resolved' ? [['Ended', when(summary.incidentEnd)] as const] : []),
      ]),
      ...(summary.summary ? [section(said(summary.summary, 1000))] : []),
      context(`Incident ${said(summary.incidentID, 40)}`),
    ],
  };
}

/** Puts a notice before words, for the eye and for notifications. */
export function under(notice: string, words: Words): Words {
  const { text, blocks = sentence(words.text).blocks ?? [] } = words;
  return { text: `${notice}\n${text}`, blocks: [section(notice), ...blocks] };
}

function age(seenAt: Date, now: Date): string {
  return formatDuration((now.getTime() - seenAt.getTime()) / 1000);
}

function ago(seenAt: Date, now: Date): string {
  return `${age(seenAt, now)} ago`;
}
