import { type Slack, slackRefusal } from '../../slack/clients.ts';
import { editPost, findPost, postOnce, type SoughtPost, withdrawPost } from '../../slack/post-once.ts';
import type { Words } from '../../text/blocks.ts';
import { linePart } from './mark.ts';
import type { LineMessage } from './store.ts';

/** Where a message of lines stands. */
export interface Spot {
  readonly channel: string;
  /** `""` for none. */
  readonly threadTs: string;
  /** The channel reads the reply too. */
  readonly isBroadcast: boolean;
}

/**
 * Posts a message, or edits it where it stands; one that somebody deleted is posted again. Returns its time, `""` for one that was withdrawn
 * and does not stand. Throws Slack's refusals.
 */
export async function writeLine(slack: Slack, message: LineMessage, spot: Spot, words: Words): Promise<string> {
  const { ts, mayStand } = message;
  const post = { ...toSought(message, spot), words };
  const edit = (standing: string) => editPost(slack, { channel: spot.channel, ts: standing }, words);
  if (ts === '') {
    const posted = await (message.isWithdrawn ? findPost(slack, post) : postOnce(slack, post));
    if (posted === undefined) return '';
    // It may stand as it was before its last change.
    if (mayStand) await edit(posted);
    return posted;
  }
  try {
    await edit(ts);
    return ts;
  } catch (error) {
    if (slackRefusal(error) !== 'message_not_found') throw error;
    return await postOnce(slack, { ...post, part: `${post.part} after ${ts}`, mayStand: true });
  }
}

/** Takes a message of lines back from those who read it. Throws what passes. */
export async function withdrawLine(slack: Slack, message: LineMessage, spot: Spot): Promise<void> {
  const ts = message.ts || (await findPost(slack, toSought(message, spot)));
  if (ts !== undefined) await withdrawPost(slack, { channel: spot.channel, ts });
}

function toSought({ id: intent, mayStand, begunAt: since }: LineMessage, spot: Spot): SoughtPost {
  const { channel, threadTs, isBroadcast } = spot;
  return { channel, threadTs, isBroadcast, intent, part: linePart, mayStand, since };
}
