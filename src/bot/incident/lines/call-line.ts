import type { Kysely } from 'kysely';
import type { NoTables } from '../../../db/engine.ts';
import type { CallTable } from '../../schema/calls.ts';
import type { BotTables } from '../../schema/tables.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { toOneLine } from '../../text/words.ts';
import { type CallAnswer, type CallTarget, readCall, targetName } from '../state/call-store.ts';
import { rewordLine } from './outbox.ts';

/** People whom the line names; the others are counted. */
const mostNamed = 40;

/** A call, stored or not, as far as its line tells of it. */
interface LineCall {
  readonly targets: readonly CallTarget[];
  readonly step: number;
  readonly chain: string;
  readonly state: CallTable['state'];
  readonly caller: string;
  readonly why: string;
  readonly people: readonly LinePerson[];
}

/** A person of a call, as far as the line tells of them. */
interface LinePerson extends CallAnswer {
  readonly user_id: string;
  readonly step: number;
  readonly target: string;
  /** 0: this call did not ask them. Absent: it did. */
  readonly is_asked?: number;
}

/** The line about a call: who was called, and who comes (mrkdwn). `Called @sre (3): ✓ @a in 5 min · ✗ @b · … @c`. */
export function callLine(call: LineCall): string {
  const { people, targets, step: last, chain } = call;
  const named = people.slice(0, mostNamed);
  const steps = Array.from({ length: last + 1 }, (_, step) => {
    const of = named.filter(each => each.step === step);
    const groups = Map.groupBy(of, each => each.target);
    const target = targets[step];
    if (of.length === 0)
      return target === undefined
        ? ''
        : `${toMrkdwn(targetName(target), 80)}${target.kind === 'group' ? ' (nobody new)' : ''}`;
    const counted = (name: string) => people.filter(each => each.step === step && each.target === name).length;
    return [...groups]
      .map(([name, members]) => {
        const head = name === '' ? '' : `${toMrkdwn(name, 80)} (${counted(name)}): `;
        return `${head}${members.map(answerWords).join(' · ')}`;
      })
      .join(', ');
  });
  const rest = people.length - named.length;
  const more = rest > 0 ? ` · and ${rest} more` : '';
  const end = call.state === 'ended' ? ' · nobody comes' : '';
  const whom = steps.filter(each => each !== '').join(' → ');
  const why = call.why === '' ? '' : `: ${toMrkdwn(toOneLine(call.why), 300)}`;
  const by = chain === '' ? `by ${mention(call.caller)}${why}` : chainWords(chain);
  return `${signs.call} *Called* ${whom}${more}${end} – ${by}`;
}

/** The answer of a person (mrkdwn). */
function answerWords({ user_id, answer, minutes, is_asked }: LinePerson): string {
  const who = mention(user_id);
  switch (answer) {
    case 'coming':
      return `${signs.coming} ${who} ${minutes > 0 ? `in ${minutes} min` : 'comes'}`;
    case 'there':
      return `${signs.coming} ${who} is here`;
    case 'cannot':
      return `${signs.cannot} ${who}`;
    case 'none':
      return `… ${who}${is_asked === 0 ? ' (called before)' : ''}`;
  }
}

/** Why a chain begins, in plain text: its name is `severity critical` or `label payments`. */
export function chainReason(chain: string): string {
  const [, at = '', name = ''] = /^(\w+) (.*)$/s.exec(chain) ?? [];
  return `because ${at === 'label' ? 'it has the label' : 'its severity is'} ${name}`;
}

/** Why a chain begins, as mrkdwn of a bounded length. */
export function chainWords(chain: string): string {
  return toMrkdwn(chainReason(chain), 150);
}

/** Brings the line about a call up to date, if it has one. Called under the lock of the journal. */
export async function rewordCall(trx: Kysely<NoTables>, id: string): Promise<void> {
  const db = trx.withTables<BotTables>();
  const call = await readCall(db, id);
  if (call === undefined || call.line === '' || call.state === 'withdrawn') return;
  const line = await db.selectFrom('bot_line').select('words').where('id', '=', call.line).executeTakeFirst();
  const words = callLine(call);
  if (line !== undefined && line.words !== words) await rewordLine(trx, call.line, words);
}
