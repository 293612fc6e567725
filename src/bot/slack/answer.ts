import type { Words } from '../text/blocks.ts';
import { toMessage } from '../text/spoken.ts';
import type { Slack } from './clients.ts';
import { editPost, type Post, postOnce, type Standing, sendOnce } from './post-once.ts';

/* What a person reads because they asked, or because it is about them: in a direct message, or where they asked for it. */

/** How a direct message is sent. */
interface How {
  readonly threadTs?: string;
  /** It may be sent again when Slack does not answer: twice is better than never. */
  readonly isRepeatable?: boolean;
}

/**
 * Sends a person a direct message. `user` is their id, or that of the conversation. A string is mrkdwn as it stands. Returns the place of
 * the message. Throws Slack's refusals.
 */
export async function sendDirectly(
  slack: Slack,
  user: string,
  words: Words | string,
  { threadTs = '', isRepeatable = false }: How = {},
): Promise<{ readonly channel: string; readonly ts: string }> {
  const client = isRepeatable ? slack.web : slack.once;
  const { channel = '', ts = '' } = await client.chat.postMessage({
    channel: user,
    ...(typeof words === 'string' ? { text: words } : toMessage(words)),
    ...{ unfurl_links: false, unfurl_media: false },
    ...(threadTs === '' ? {} : { thread_ts: threadTs }),
  });
  return { channel, ts };
}

/** Sends a person a direct message that nobody asked for, once. Returns its place. Throws Slack's refusals. */
export async function remindDirectly(slack: Slack, post: Post): Promise<Standing> {
  return await sendOnce(slack, post);
}

/** Gives such a message other words. Throws Slack's refusals. */
export async function rewordReminder(slack: Slack, place: Standing, words: Words): Promise<void> {
  await editPost(slack, place, words);
}

/** Posts what a person asked for where everybody of a channel reads it, once. Returns Slack's time of it. Throws Slack's refusals. */
export async function answerOpenly(slack: Slack, post: Post): Promise<string> {
  return await postOnce(slack, post);
}
