import { type Slack, slackRefusal } from '../../slack/clients.ts';
import type { Refusals } from '../../slack/refusals.ts';
import type { Words } from '../../text/blocks.ts';
import type { RoundPace } from '../lines/pace.ts';
import { beingWritten } from '../state/digests.ts';
import type { LeasedCard, Round } from './leases.ts';
import { editBoard, findBoard, postBoard, withdrawBoard } from './write.ts';

/** A message that is a row among the rooms and no incident. */
export interface OneMessage {
  /** The id of its row. */
  readonly id: string;
  readonly channel: string;
  /** Slack's time of it; `""` before it is known. */
  readonly ts: string;
  readonly words: Words;
  /** The digest of what it is to show. */
  readonly wanted: string;
  /** Marks the message in Slack. */
  readonly part: string;
  readonly since: Date;
  /** `asked`: people need it. `kept`: it is edited where it stands, and nobody misses it elsewhere. `gone`: it is taken back. */
  readonly fate: 'asked' | 'kept' | 'gone';
  /** It stands under that time, or stands no more (`""`). */
  stands(ts: string): Promise<void>;
}

/** Shows such a message: posts it once, edits it where it differs from what Slack shows. Its part of the lease is that of a card. */
export async function showOneMessage(
  { slack, refusals }: { readonly slack: Slack; readonly refusals: Refusals },
  { id, channel, ts, words, wanted, part, since, fate, stands }: OneMessage,
  leased: LeasedCard,
  pace: RoundPace,
): Promise<Round> {
  const before = leased.shown.card;
  if ((ts !== '' || fate !== 'asked') && wanted === before) return { shown: { card: wanted }, reception: 'taken' };
  if (!pace.isDue('card')) {
    pace.leave('card');
    return { shown: { card: before === beingWritten.card ? '' : before }, reception: 'taken' };
  }
  const sought = { channel, intent: id, mayStand: true, since };
  // One that stood already may say something else.
  const keep = async (posted: string) => {
    await stands(posted);
    await editBoard(slack, { channel, ts: posted }, words);
  };
  const post = async (as: string) => keep(await postBoard(slack, { ...sought, words, part: as }));
  const withdraw = async (posted: string) => {
    await withdrawBoard(slack, { channel, ts: posted });
    await stands('');
  };
  const edit = async () => {
    await editBoard(slack, { channel, ts }, words).catch(async error => {
      if (slackRefusal(error) !== 'message_not_found') throw error;
      if (fate === 'asked') await post(`${part} after ${ts}`);
    });
  };
  // Nobody needs one that was never posted; a process that died may have posted it.
  const settle = async () => {
    const posted = await findBoard(slack, { ...sought, part });
    if (posted !== undefined) await (fate === 'gone' ? withdraw(posted) : keep(posted));
  };
  const [method, write] =
    ts === ''
      ? fate === 'asked'
        ? (['chat.postMessage', () => post(part)] as const)
        : (['chat.update', settle] as const)
      : fate === 'gone'
        ? (['chat.delete', () => withdraw(ts)] as const)
        : (['chat.update', edit] as const);
  pace.wrote('card');
  const reception = await refusals.attempt({ method, channel }, write);
  return { shown: { card: reception === 'taken' ? wanted : '' }, reception };
}
