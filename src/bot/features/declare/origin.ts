import type { Incident } from '../../../contract/incidents.ts';
import { type AfterDoneContext, toOwner } from '../../incident/acts/intent-kind.ts';
import type { PlacedLine } from '../../incident/lines/of-act.ts';
import { originWords } from '../../incident/lines/origin.ts';
import { markMessage } from '../../incident/notes/message-mark.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { answerOpenly } from '../../slack/answer.ts';
import { refusalLevel, slackReason } from '../../slack/clients.ts';
import { sentence } from '../../text/blocks.ts';
import type { Declaration } from './declaration.ts';

/** Where people read that an incident was declared: in the channel, or below the message from which it was. */
function spotOf({ channelId, quote }: Declaration): { readonly channel: string; readonly thread: string } {
  return quote ? { channel: quote.channelId, thread: quote.threadTs || quote.ts } : { channel: channelId, thread: '' };
}

function wordsOf(incident: Incident, wish: Declaration): string {
  const actor = toOwner({ teamId: wish.teamId, userId: wish.declaredBy });
  return originWords(incident, { actor, thread: spotOf(wish).thread });
}

/** The line there; none when it was declared nowhere in particular. */
export function originLine(incident: Incident, wish: Declaration): readonly PlacedLine[] {
  const spot = spotOf(wish);
  return spot.channel === '' ? [] : [{ words: wordsOf(incident, wish), isAlone: true, of: 'origin', ...spot }];
}

/** Marks the message from which an incident was declared. Returns sentences of mrkdwn about what failed. */
export async function markSource(
  { deps, repeated }: AfterDoneContext,
  { quote }: Declaration,
): Promise<readonly string[]> {
  const unmarked = quote && !repeated ? await markMessage(deps, quote) : '';
  return unmarked === '' ? [] : [unmarked];
}

/** The same for an incident that Muster shows nowhere: answers below its message, once, if the readers may see that. */
export async function tellSource(
  ctx: AfterDoneContext,
  incident: Incident,
  wish: Declaration,
): Promise<readonly string[]> {
  const { deps, log, id: intent, mayStand, askedAt: since } = ctx;
  const unmarked = await markSource(ctx, wish);
  if (!wish.quote || ctx.repeated || unmarked.length > 0) return unmarked;
  const { channel, thread: threadTs } = spotOf(wish);
  const words = sentence(wordsOf(incident, wish));
  try {
    if ((await deps.visibility.share('announcement', incident, channel)) !== 'all') return [];
    await answerOpenly(deps.slack, { channel, threadTs, words, intent, part: 'declared', mayStand, since });
    return [];
  } catch (error) {
    log[refusalLevel(error)]({ reason: slackReason(error), channel }, 'declare: could not answer in a thread');
    return [`I could not say so in the thread of the message: ${reasonWords(error)}`];
  }
}
