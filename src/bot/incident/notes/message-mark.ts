import { slackReason } from '../../slack/clients.ts';
import type { MessageAddress } from '../../slack/source-message.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';
import { reasonWords } from '../state/refusal-words.ts';

/** The reaction on a message that is on a timeline. */
const noteMark = 'memo';

/** Marks a message with a reaction, which all of the channel see. Returns a sentence of mrkdwn when that failed, and `""` when it is there. */
export async function markMessage(
  { slack }: IncidentDeps,
  { channelId: channel, ts: timestamp }: MessageAddress,
): Promise<string> {
  try {
    await slack.web.reactions.add({ channel, timestamp, name: noteMark });
    return '';
  } catch (error) {
    const reason = slackReason(error);
    if (reason === 'already_reacted') return '';
    return ['not_in_channel', 'channel_not_found'].includes(reason)
      ? `I am not in that channel, so the message itself shows no :${noteMark}:. \`/invite @Muster\` lets me mark it.`
      : `I could not mark the message itself: ${reasonWords(error)}`;
  }
}

/** Takes the bot's reaction off a message. Returns a sentence of mrkdwn when that failed, and `""` when it is gone. */
export async function unmarkMessage({ slack, log }: IncidentDeps, message: MessageAddress): Promise<string> {
  const { channelId: channel, ts: timestamp } = message;
  try {
    await slack.web.reactions.remove({ channel, timestamp, name: noteMark });
    return '';
  } catch (error) {
    const reason = slackReason(error);
    if (['no_reaction', 'message_not_found', 'not_reacted'].includes(reason)) return '';
    log.info({ reason, channel }, 'timeline: could not take a reaction back');
    return `The :${noteMark}: stays on the message: ${reasonWords(error)}`;
  }
}
