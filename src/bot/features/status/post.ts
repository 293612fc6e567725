import { z } from 'zod';
import type { Context } from '../../dispatch/context.ts';
import { defineButton } from '../../dispatch/feature.ts';
import { reasonWords } from '../../incident/reason-words.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { type Post, postOnce } from '../../slack/post-once.ts';
import { context, mention, sentence } from '../../text/blocks.ts';
import { publicWords } from './status-words.ts';

/** A press of the button beside one answer posts once, however often it comes. */
const Asked = z.object({ incidentID: z.string(), asked: z.string(), at: z.number() });

/** Posts the status where everybody in the channel reads it. */
export const postButton = defineButton({
  id: 'incident.status.post',
  label: 'Post to channel',
  value: Asked,
  run: async (ctx, { value: { incidentID, asked: intent, at } }) => {
    const { threadTs } = ctx.location;
    const thread = threadTs === '' ? {} : { threadTs };
    const problem = await post(ctx, incidentID, { ...thread, intent, mayStand: true, since: new Date(at) });
    await ctx.answer(sentence(problem || ':mega: Posted. Everybody in this channel can read it.'));
  },
});

/** What the button of an answer carries; undefined where there is nobody else to read it, or the person may not post. */
export function toAsked(
  { actor, location, key, now }: Context,
  incidentID: string,
): z.output<typeof Asked> | undefined {
  if (actor.isGuest || isDirectMessage(location.channelId)) return undefined;
  return { incidentID, asked: key, at: now.getTime() };
}

/**
 * Answers a mention in its thread, for all. False when it was no mention, or its readers may not see the incident: then the person is
 * answered alone.
 */
export async function answerMention(ctx: Context, incidentID: string): Promise<boolean> {
  const { draft, location, key: intent, mayStand, now: since } = ctx;
  if (draft?.kind !== 'command' || draft.root !== 'mention' || isDirectMessage(location.channelId)) return false;
  const threadTs = location.threadTs || (draft.message?.split('/').at(-1) ?? '');
  const problem = await post(ctx, incidentID, { threadTs, intent, mayStand, since });
  return problem === '';
}

/** Posts the status. Returns a sentence of mrkdwn when that is not possible, and `""` when it stands there. */
async function post(
  ctx: Context,
  incidentID: string,
  how: Pick<Post, 'threadTs' | 'intent' | 'mayStand' | 'since'>,
): Promise<string> {
  const { deps, actor, log, location } = ctx;
  const { channelId: channel } = location;
  const share = await deps.visibility.share('status', { incidentID }, channel);
  if (share === 'nothing') return 'I did not post it: the incident is private, and not everybody here sees it.';
  if (share !== 'all') return 'I did not post it: people of another organisation read this channel.';
  const shown = await publicWords(ctx, incidentID);
  if (!shown) return 'I did not post it: the incident API cannot be reached, and I have not seen this incident before.';
  const words = { ...shown, blocks: [...(shown.blocks ?? []), context(`Asked for by ${mention(actor.userId)}`)] };
  try {
    await postOnce(deps.slack, { channel, words, part: 'status', ...how });
    return '';
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'status: could not be posted');
    return `I could not post it: ${reasonWords(error)}`;
  }
}
