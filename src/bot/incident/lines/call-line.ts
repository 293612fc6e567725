import type { Kysely } from 'kysely';
import type { NoTables } from '../../../db/engine.ts';
import type { CalledTable } from '../../schema/calls.ts';
import type { BotTables } from '../../schema/tables.ts';
import { mention, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { toOneLine } from '../../text/words.ts';
import { targetName } from '../state/call-chains.ts';
import { readCall, type StoredCall } from '../state/call-store.ts';
import { rewordLine } from './outbox.ts';

/** People whom the line names; the others are counted. */
const mostNamed = 40;

/** A call as its line shows it. */
interface ShownCall extends Pick<StoredCall, 'targets' | 'step' | 'chain' | 'state' | 'caller' | 'why'> {
  readonly people: readonly Pick<CalledTable, 'user_id' | 'step' | 'target' | 'answer' | 'minutes'>[];
}

/** The line about a call: who was called, and who comes (mrkdwn). `Called @sre (3): ✓ @a in 5 min · ✗ @b · … @c`. */
export function callLine(call: ShownCall): string {
  const { people, targets, step: last, chain } = call;
  const named = people.slice(0, mostNamed);
  const steps = Array.from({ length: last + 1 }, (_, step) => {
    const of = named.filter(each => each.step === step);
    const groups = Map.groupBy(of, each => each.target);
    const target = targets[step];
    // Nobody of it could be called.
    if (of.length === 0)
      return target === undefined ? '' : `${toMrkdwn(targetName(target), 80)}${target.kind === 'group' ? ' (0)' : ''}`;
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
  return `${signs.call} *Called* ${whom}${more}${end} – ${chain === '' ? callerWords(call) : chainWords(chain)}`;
}

/** What somebody answered (mrkdwn). */
function answerWords({ user_id, answer, minutes }: ShownCall['people'][number]): string {
  const who = mention(user_id);
  switch (answer) {
    case 'coming':
      return `${signs.coming} ${who} ${minutes > 0 ? `in ${minutes} min` : 'comes'}`;
    case 'there':
      return `${signs.coming} ${who} is here`;
    case 'cannot':
      return `${signs.cannot} ${who}`;
    case 'none':
      return `… ${who}`;
  }
}

function callerWords({ caller, why }: Pick<StoredCall, 'caller' | 'why'>): string {
  return `by ${mention(caller)}${why === '' ? '' : `: ${toMrkdwn(toOneLine(why), 300)}`}`;
}

/** Why a chain begins, in plain text: its name is `severity critical` or `label payments`. */
export function chainReason(chain: string): string {
  const [, at = '', name = ''] = /^(\w+) (.*)$/s.exec(chain) ?? [];
  return `because ${at === 'label' ? 'it has the label' : 'its severity is'} ${name}`;
}

/** The same, as mrkdwn of a bounded length. */
export function chainWords(chain: string): string {
  return toMrkdwn(chainReason(chain), 150);
}

/** The line about a call says who comes now, where it stands. Called under the lock of the journal. */
export async function rewordCall(trx: Kysely<NoTables>, id: string): Promise<void> {
  const db = trx.withTables<BotTables>();
  const call = await readCall(db, id);
  if (call === undefined || call.line === '' || call.state === 'withdrawn') return;
  const line = await db.selectFrom('bot_line').select('words').where('id', '=', call.line).executeTakeFirst();
  const words = callLine(call);
  if (line !== undefined && line.words !== words) await rewordLine(trx, call.line, words);
}
