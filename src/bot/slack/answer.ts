import type { Words } from '../text/blocks.ts';
import { toMessage } from '../text/spoken.ts';
import { missingScope, type Slack } from './clients.ts';
import { editPost, findPost, type Post, postOnce, type Standing, toMark } from './post-once.ts';

/* What a person reads because they asked, or because it is about them: in a direct message, or where they asked for it. */

/**
 * Sends a person a direct message. `user` is their id, or that of the conversation. A string is mrkdwn as it stands. Returns the place of
 * the message. Throws Slack's refusals.
 */
export async function sendDirectly(
  slack: Slack,
  user: string,
  words: Words | string,
  {
    threadTs = '',
    isRepeatable = false,
    mark,
  }: {
    readonly threadTs?: string;
    /** It may be sent again when Slack does not answer: twice is better than never. */
    readonly isRepeatable?: boolean;
    /** The intent that it is sent for, and which of its messages it is: it is found again by that. */
    readonly mark?: Pick<Post, 'intent' | 'part'>;
  } = {},
): Promise<{ readonly channel: string; readonly ts: string }> {
  const client = isRepeatable ? slack.web : slack.once;
  const { channel = '', ts = '' } = await client.chat.postMessage({
    channel: user,
    ...(typeof words === 'string' ? { text: words } : toMessage(words)),
    ...{ unfurl_links: false, unfurl_media: false },
    ...(threadTs === '' ? {} : { thread_ts: threadTs }),
    ...(mark === undefined ? {} : { metadata: toMark(mark) }),
  });
  return { channel, ts };
}

/**
 * Sends the words, unless an earlier attempt has sent them: then they are looked for first. Without the scope to open a direct message nothing is
 * found, and it is sent again.
 */
export async function sendOnceDirectly(
  slack: Slack,
  user: string,
  { words, mayAlreadyExist, ...sought }: Sought & Pick<Post, 'words' | 'mayAlreadyExist'>,
): Promise<Standing> {
  const { intent, part } = sought;
  const found = mayAlreadyExist ? await findDirectly(slack, user, sought) : undefined;
  return found ?? (await sendDirectly(slack, user, words, { mark: { intent, part } }));
}

/** A direct message that is looked for. */
type Sought = Pick<Post, 'intent' | 'part' | 'since'>;

/** The direct message of an intent where an earlier attempt has sent it; undefined for none. Throws Slack's refusals. */
export async function findDirectly(slack: Slack, user: string, sought: Sought): Promise<Standing | undefined> {
  const channel = await openDirectly(slack, user);
  if (channel === '') return undefined;
  const ts = await findPost(slack, { ...sought, channel, mayAlreadyExist: true });
  return ts === undefined ? undefined : { channel, ts };
}

/** Gives a direct message other words. Throws Slack's refusals. */
export function editDirectly(slack: Slack, message: Standing, words: Words): Promise<void> {
  return editPost(slack, message, words);
}

/** The conversation with a person; `""` where the app lacks the scope. */
async function openDirectly(slack: Slack, user: string): Promise<string> {
  try {
    return (await slack.web.conversations.open({ users: user })).channel?.id ?? '';
  } catch (error) {
    if (missingScope(error) !== '') return '';
    throw error;
  }
}

/** Posts what a person asked for where everybody of a channel reads it, once. Returns Slack's time of it. Throws Slack's refusals. */
export async function answerOpenly(slack: Slack, post: Post): Promise<string> {
  return await postOnce(slack, post);
}
