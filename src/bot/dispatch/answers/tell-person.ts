import type { Logger } from 'pino';
import type { Location } from '../../people/person.ts';
import { sendDirectly } from '../../slack/answer.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { isPassing, type Slack, slackReason } from '../../slack/clients.ts';
import type { Words } from '../../text/blocks.ts';
import { toMessage } from '../../text/spoken.ts';

/**
 * Tells a person alone: where they asked, else in a direct message. Throws when neither works. `unsure` says what to do when Slack
 * does not answer the first: tell them `directly` too, since a doubled answer is better than none, or `throw`, to try again later.
 */
export async function tellPerson(
  slack: Slack,
  { userId, location }: { readonly userId: string; readonly location: Location },
  words: Words,
  how: {
    readonly unsure: 'directly' | 'throw';
    readonly log: Logger;
    /** The words for a person who reads them elsewhere than where they acted. */
    readonly elsewhere?: () => Promise<Words>;
  },
): Promise<void> {
  const message = toMessage(words);
  // A person who waits gets one try; a late receipt may be tried again.
  const client = how.unsure === 'directly' ? slack.once : slack.web;
  const thread = location.threadTs === '' ? {} : { thread_ts: location.threadTs };
  // Only the person reads a direct message, and words there stay.
  if (isDirectMessage(location.channelId)) {
    await sendDirectly(slack, userId, words, { threadTs: location.threadTs, isRepeatable: how.unsure === 'throw' });
    return;
  }
  if (location.channelId !== '') {
    try {
      await client.chat.postEphemeral({ channel: location.channelId, user: userId, ...message, ...thread });
      return;
    } catch (error) {
      if (how.unsure === 'throw' && isPassing(error)) throw error;
      how.log.info({ reason: slackReason(error) }, 'answer: Slack did not show it where it was asked for');
    }
  }
  await sendDirectly(slack, userId, (await how.elsewhere?.()) ?? words, { isRepeatable: true });
}
