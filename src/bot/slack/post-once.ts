import { sentence, type Words } from '../text/blocks.ts';
import { toMessage } from '../text/spoken.ts';
import { isPerson } from './channel-ids.ts';
import { isPassing, type Slack, slackReason, slackRefusal } from './clients.ts';

/** The metadata type that marks messages posted for an intent. */
const markType = 'muster_intent';

/** A message that must appear in a channel once, even when Slack's answer to posting it is lost. */
export interface Post {
  readonly channel: string;
  readonly threadTs?: string;
  /** The channel reads the reply too. */
  readonly isBroadcast?: boolean;
  readonly words: Words;
  /** The intent it is posted for, and which of its messages it is. */
  readonly intent: string;
  readonly part: string;
  /** An earlier attempt may have posted it. */
  readonly mayAlreadyExist: boolean;
  /** Nothing older than this can be it. */
  readonly since: Date;
}

/** A post as it is searched for. */
export type SoughtPost = Omit<Post, 'words'>;

/** How far Slack's clock may be behind ours, in seconds. */
const clockSkew = 120;
/** Pages of a hundred messages that are searched for an earlier post. */
const maxPages = 10;

/**
 * Posts a message unless it is there already, and returns its timestamp. When an answer was lost, the message is searched by its
 * metadata first. Throws Slack's refusals, and also when the search fails.
 */
export async function postOnce(slack: Slack, post: Post): Promise<string> {
  const standing = post.mayAlreadyExist ? await findPost(slack, post) : undefined;
  if (standing) return standing;
  try {
    const { ts } = await slack.once.chat.postMessage({
      channel: post.channel,
      ...toMessage(post.words),
      unfurl_links: false,
      unfurl_media: false,
      ...toThread(post),
      metadata: toMark(post),
    });
    return ts ?? '';
  } catch (error) {
    if (slackReason(error) !== 'unreachable') throw error;
    const found = await findPost(slack, post);
    if (found) return found;
    throw error;
  }
}

/** The metadata that marks a message of an intent, so that it is found again. */
export function toMark({ intent, part }: Pick<Post, 'intent' | 'part'>) {
  return { event_type: markType, event_payload: { intent, part } };
}

function toThread({ threadTs = '', isBroadcast }: Post) {
  if (threadTs === '') return {};
  return isBroadcast ? { thread_ts: threadTs, reply_broadcast: true as const } : { thread_ts: threadTs };
}

/** Slack's words for channels whose messages the bot cannot read, though it may post there. */
const unreadable = ['missing_scope', 'not_in_channel'];

/**
 * The timestamp of the post in the channel; undefined when it is not there. Where the bot cannot read, nothing is found: a
 * message that shows twice is better than one that never shows.
 */
export async function findPost(slack: Slack, post: SoughtPost): Promise<string | undefined> {
  // Slack shows a conversation by its own id alone.
  if (isPerson(post.channel)) return undefined;
  try {
    return await searchPost(slack, post);
  } catch (error) {
    if (unreadable.includes(slackReason(error))) return undefined;
    throw error;
  }
}

async function searchPost(slack: Slack, post: SoughtPost): Promise<string | undefined> {
  const oldest = String(Math.floor(post.since.getTime() / 1000) - clockSkew);
  const terms = { channel: post.channel, oldest, limit: 100, include_all_metadata: true };
  let cursor = '';
  for (let page = 0; page < maxPages; page += 1) {
    const more = cursor === '' ? {} : { cursor };
    const answer = post.threadTs
      ? await slack.web.conversations.replies({ ...terms, ts: post.threadTs, ...more })
      : await slack.web.conversations.history({ ...terms, ...more });
    for (const { ts, metadata } of answer.messages ?? []) {
      const mark = metadata?.event_type === markType ? metadata.event_payload : undefined;
      if (mark && Reflect.get(mark, 'intent') === post.intent && Reflect.get(mark, 'part') === post.part) return ts;
    }
    cursor = answer.response_metadata?.next_cursor ?? '';
    if (cursor === '') return undefined;
  }
  return undefined;
}

/** A message that Slack shows. */
export interface Standing {
  readonly channel: string;
  readonly ts: string;
}

/** Gives a message other words. Throws Slack's refusals. */
export async function editPost(slack: Slack, { channel, ts }: Standing, words: Words): Promise<void> {
  // A bar that it no longer has goes.
  await slack.web.chat.update({ channel, ts, attachments: [], ...toMessage(words) });
}

/** Deletes a message, if it stands. Where Slack refuses that, nothing of it is left. Throws what passes. */
export async function withdrawPost(slack: Slack, { channel, ts }: Standing): Promise<void> {
  try {
    await slack.web.chat.delete({ channel, ts });
  } catch (error) {
    if (isPassing(error)) throw error;
    if (slackRefusal(error) !== 'message_not_found') await editPost(slack, { channel, ts }, withdrawn);
  }
}

/** What is left of a message that cannot be deleted. */
const withdrawn = sentence('This message was taken back.');

/** Whether a message is the last one of its channel, or of its thread, topics aside; false where Slack does not say. */
export async function isNewest(slack: Slack, { channel, ts }: Standing, threadTs: string): Promise<boolean> {
  const since = { channel, oldest: ts, limit: 20 };
  try {
    const { messages = [] }: { messages?: readonly { ts?: string; subtype?: string }[] } = threadTs
      ? await slack.quick.conversations.replies({ ...since, ts: threadTs })
      : await slack.quick.conversations.history(since);
    return messages.every(each => Number(each.ts ?? 0) <= Number(ts) || each.subtype === 'channel_topic');
  } catch {
    return false;
  }
}
