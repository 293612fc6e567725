import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { joinFace } from '../../dispatch/answers/join.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { type AfterDoneContext, defineIntent } from '../../incident/acts/intent-kind.ts';
import { declaredPart } from '../../incident/lines/mark.ts';
import { markMessage } from '../../incident/notes/message-mark.ts';
import { roomLane } from '../../incident/room/plan.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import type { Room } from '../../incident/state/room-store.ts';
import { RetryLater } from '../../journal/intent.ts';
import { isPassing, refusalLevel, slackReason } from '../../slack/clients.ts';
import { postOnce } from '../../slack/post-once.ts';
import { actions, mention, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import type { Declaration } from './declaration.ts';

/** Says in the channel where an incident was declared that it was, and where it is handled, if the readers may see that. */
export const tellOrigin = defineIntent({
  kind: 'declare.origin',
  lane: ({ incidentID }) => roomLane({ incidentID }),
  payload: z.object({
    incidentID: z.string(),
    title: z.string(),
    severity: z.string(),
    isDrill: z.boolean(),
    channelId: z.string(),
    by: z.string(),
    /** The declaration was taken back. */
    isTakenBack: z.boolean().default(false),
  }),
  result: z.object({}),
  run: async ({ deps, log, id: intent, isRetry: mayStand, askedAt: since }, wish) => {
    const { incidentID, channelId: channel, by } = wish;
    const room = await deps.rooms.ofIncident(incidentID);
    // The card or the announcement stands there.
    if (!room || channel === room.channelId || channel === room.announcementChannelId) return {};
    const drill = wish.isDrill ? 'the drill ' : '';
    const what = `${drill}*${toMrkdwn(wish.title, 300)}* (${toMrkdwn(wish.severity, 60)})`;
    try {
      if ((await deps.visibility.share('announcement', { incidentID }, channel)) !== 'all') return {};
      const words = wish.isTakenBack ? takenBackWords(by, what) : declaredWords(incidentID, by, what, room);
      await postOnce(deps.slack, { channel, words, intent, part: declaredPart, mayStand, since });
    } catch (error) {
      if (isPassing(error)) throw new RetryLater(`Slack said ${slackReason(error)}`);
      // A command works in channels that the bot is not in. The announcement says the same.
      log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'declare: could not say so in its channel');
    }
    return {};
  },
  describe: ({ incidentID }) => `say in its channel that ${incidentName(incidentID)} was declared`,
  answer: {
    receipt: (_result, { incidentID }) => sentence(`${incidentLabel(incidentID, 'Incident')} is declared.`),
  },
});

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
  const what = `${incidentLabel(incidentID)} from this message`;
  const words = declaredWords(incidentID, ctx.actor.userId, what, await deps.rooms.ofIncident(incidentID));
  try {
    if ((await deps.visibility.share('announcement', { incidentID }, channel)) !== 'all') return [];
    const threadTs = quote.threadTs || quote.ts;
    await postOnce(deps.slack, { channel, threadTs, words, intent, part: declaredPart, mayStand, since });
    return [];
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'declare: could not answer in a thread');
    return [`I could not say so in the thread of the message: ${reasonWords(error)}`];
  }
}

function takenBackWords(by: string, what: string): Words {
  return sentence(`${signs.undone} ${mention(by)} took that back: ${what} was declared by mistake.`);
}

function declaredWords(incidentID: string, by: string, what: string, room: Room | undefined): Words {
  const where = roomMention(room);
  const text = `${incidentSigns.declared} ${mention(by)} declared ${what}${where === '' ? '' : `. It is handled in ${where}`}.`;
  const join: KnownBlock[] = where === '' ? [] : [actions([pressable(joinFace, { incidentID })])];
  return { text, blocks: [section(text), ...join] };
}
