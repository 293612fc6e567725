import { type Slack, slackRefusal } from '../../slack/clients.ts';
import { postOnce } from '../../slack/post-once.ts';
import type { Words } from '../../text/blocks.ts';
import { toMessage } from '../../text/spoken.ts';

/** A message in a room that is edited while it is young. */
export interface EditedPost {
  readonly channel: string;
  readonly threadTs?: string;
  /** Names it for ever, with its part. */
  readonly id: string;
  readonly part: string;
  /** Slack's time of it; `""` before it is posted. */
  readonly ts: string;
  /** It may stand in Slack although its time is not known. */
  readonly mayStand: boolean;
  /** Nothing older than this can be it. */
  readonly since: Date;
}

/** Posts a message, or edits it where it stands; one that somebody deleted is posted again. Returns its time. Throws Slack's refusals. */
export async function writeLine(slack: Slack, post: EditedPost, words: Words): Promise<string> {
  const { channel, id: intent, since, threadTs, ts } = post;
  const place = { channel, ...(threadTs ? { threadTs } : {}), words, intent, since };
  const edit = (standing: string) => slack.web.chat.update({ channel, ts: standing, ...toMessage(words) });
  if (ts === '') {
    const posted = await postOnce(slack, { ...place, part: post.part, mayStand: post.mayStand });
    // It may stand as it was before its last change.
    if (post.mayStand) await edit(posted);
    return posted;
  }
  try {
    await edit(ts);
    return ts;
  } catch (error) {
    if (slackRefusal(error) !== 'message_not_found') throw error;
    return await postOnce(slack, { ...place, part: `${post.part} after ${ts}`, mayStand: true });
  }
}
