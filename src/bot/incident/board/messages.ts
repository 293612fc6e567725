import { type Slack, slackRefusal } from '../../slack/clients.ts';
import {
  editPost,
  findPost,
  type Post,
  postOnce,
  type SoughtPost,
  type Standing,
  withdrawPost,
} from '../../slack/post-once.ts';
import type { Refusals } from '../../slack/refusals.ts';
import type { Words } from '../../text/blocks.ts';
import type { RoundPace } from '../lines/pace.ts';
import { beingWritten, refusedPart } from '../state/digests.ts';
import type { LeasedCard, Round } from './leases.ts';

/*
 * The door of the board to Slack. Cards, announcements, the messages about several incidents and the next steps are posted, edited and taken
 * back here, and nowhere else.
 */

/** Posts one of them, once, and returns its time. Throws Slack's refusals. */
export function postBoard(slack: Slack, post: Post): Promise<string> {
  return postOnce(slack, post);
}

/** Gives one of them other words. Throws Slack's refusals. */
export function editBoard(slack: Slack, standing: Standing, words: Words): Promise<void> {
  return editPost(slack, standing, words);
}

/** Takes one of them back from readers who may know nothing of the incident. Throws what passes. */
export function withdrawBoard(slack: Slack, standing: Standing): Promise<void> {
  return withdrawPost(slack, standing);
}

/** A message about several incidents, or about an offer: a row among the rooms that is no incident. */
export interface OneMessage {
  /** The id of its row. */
  readonly id: string;
  readonly channel: string;
  /** Slack's time of the message; `""` before it is known. */
  readonly ts: string;
  readonly words: Words;
  /** The digest of the words that it should have. */
  readonly wanted: string;
  /** Marks the message in Slack. */
  readonly part: string;
  readonly since: Date;
  /** `asked`: people need it. `kept`: it is edited in place, and is not posted again. `gone`: it is taken back. */
  readonly fate: 'asked' | 'kept' | 'gone';
  /** Stores that the message has that time in Slack, or that it is gone (`""`). */
  posted(ts: string): Promise<void>;
}

/** Shows a message about several incidents: posts it once, and edits it where Slack shows other words. It uses the card's part of the lease. */
export async function showOneMessage(
  { slack, refusals }: { readonly slack: Slack; readonly refusals: Refusals },
  message: OneMessage,
  leased: LeasedCard,
  pace: RoundPace,
): Promise<Round> {
  const { id, channel, ts, words, wanted, part, since, fate } = message;
  const before = leased.shown.card;
  if ((ts !== '' || fate !== 'asked') && wanted === before) return { shown: { card: wanted }, reception: 'taken' };
  if (!pace.isDue('card')) {
    pace.leave('card');
    return { shown: { card: before === beingWritten.card ? '' : before }, reception: 'taken' };
  }
  const sought: SoughtPost = { channel, intent: id, part, mayAlreadyExist: true, since };
  // A message that was there already may have other words.
  const keep = async (found: string) => {
    await message.posted(found);
    await editBoard(slack, { channel, ts: found }, words);
  };
  const post = async (as: string) => keep(await postBoard(slack, { ...sought, words, part: as }));
  const withdraw = async (found: string) => {
    await withdrawBoard(slack, { channel, ts: found });
    await message.posted('');
  };
  const edit = async () => {
    await editBoard(slack, { channel, ts }, words).catch(async error => {
      if (slackRefusal(error) !== 'message_not_found') throw error;
      if (fate === 'asked') await post(`${part} after ${ts}`);
    });
  };
  // A message that was never posted is not needed; a process that died may have posted it.
  const settle = async () => {
    const found = await findPost(slack, sought);
    if (found !== undefined) await (fate === 'gone' ? withdraw(found) : keep(found));
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
  return { shown: { card: { taken: wanted, refused: refusedPart, later: '' }[reception] }, reception };
}
