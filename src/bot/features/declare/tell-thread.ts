import { incidentLabel } from '../../incident/incident-name.ts';
import type { AfterDoneContext } from '../../incident/intent-kind.ts';
import { markMessage } from '../../incident/message-mark.ts';
import { reasonWords } from '../../incident/reason-words.ts';
import { roomMention } from '../../incident/room.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { postOnce } from '../../slack/post-once.ts';
import { mention, sentence } from '../../text/blocks.ts';
import type { Declaration } from './declaration.ts';

/**
 * Marks the message from which an incident was declared. Says in its thread where the incident is handled, if the readers may see that.
 * Returns sentences of mrkdwn about the steps that failed.
 */
export async function tellThread(
  ctx: AfterDoneContext,
  incidentID: string,
  { quote }: Declaration,
): Promise<readonly string[]> {
  if (!quote || ctx.repeated) return [];
  const { deps, log, id: intent, mayStand, askedAt: since } = ctx;
  const { channelId: channel } = quote;
  const unmarked = await markMessage(deps, quote);
  if (unmarked !== '') return [unmarked];
  const where = roomMention(await deps.rooms.ofIncident(incidentID));
  const words = sentence(
    `:rotating_light: ${mention(ctx.actor.userId)} declared ${incidentLabel(incidentID)} from this message${where ? `. It is handled in ${where}` : ''}.`,
  );
  try {
    if ((await deps.visibility.share('announcement', { incidentID }, channel)) !== 'all') return [];
    const threadTs = quote.threadTs || quote.ts;
    await postOnce(deps.slack, { channel, threadTs, words, intent, part: 'declared', mayStand, since });
    return [];
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'declare: could not answer in a thread');
    return [`I could not say so in the thread of the message: ${reasonWords(error)}`];
  }
}
