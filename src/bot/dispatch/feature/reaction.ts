import type { EmojiMeaning } from '../../../config/formats.ts';
import { incidentsHere } from '../../incident/acts/incidents-here.ts';
import { hasContent } from '../../incident/notes/message-note.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { whyNot } from '../../people/reach.ts';
import { isPassing, refusalLevel, slackReason } from '../../slack/clients.ts';
import { type Reaction, readMessageAt, type StandingMessage, stands } from '../../slack/read-message.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { sentence } from '../../text/blocks.ts';
import { type Context, Unanswered } from './context.ts';

/** Carries out the reactions of one meaning. The mark on the message is the answer; the person reads words when something went wrong. */
export interface ReactionHandler {
  readonly means: EmojiMeaning;
  added(ctx: Context, incidentID: string, message: SourceMessage): Promise<void>;
  /** A reaction was taken back. `reactions` are those that are left; none when the message is gone. */
  removed?(ctx: Context, incidentID: string, message: MessageAddress, reactions: readonly Reaction[]): Promise<void>;
}

/** A reaction that a person set or took back in an incident's room. */
export interface ReactionAct {
  readonly emoji: string;
  readonly isAdded: boolean;
  readonly ts: string;
}

/**
 * Carries out a reaction. Reads the present message in Slack, so a reaction that arrives late or out of order has the right effect.
 */
export async function handleReaction(ctx: Context, act: ReactionAct, handler: ReactionHandler): Promise<void> {
  const { deps, actor, location } = ctx;
  if (actor.isBot) return;
  const refused = whyNot(actor);
  if (refused) return act.isAdded ? ctx.answer(sentence(refused)) : undefined;
  const here = await incidentsHere(deps, { teamId: actor.teamId, channelId: location.channelId }, ctx.now);
  const [only, another] = here;
  if (!only) return;
  const address = { channelId: location.channelId, ts: act.ts };
  const standing = await read(ctx, address);
  if (standing === 'refused') return;
  if (!act.isAdded) {
    for (const { incidentID } of here) await handler.removed?.(ctx, incidentID, address, standing?.reactions ?? []);
    return;
  }
  if (!standing || !stands(standing.reactions, act.emoji, actor.userId)) return;
  const { message } = standing;
  if (another) {
    const text = `This channel has ${here.length} active incidents, so I added nothing. *Add to timeline* in the menu of the message asks which one you mean.`;
    return ctx.answer(sentence(text));
  }
  if (message.userId === deps.slack.identity.botUserId || !hasContent(message)) {
    const what = hasContent(message) ? 'it is one of my own messages' : 'that message has no words and no files';
    return ctx.answer(sentence(`I added nothing: ${what}. Write your own note with \`/note add …\`.`));
  }
  await handler.added(ctx, only.incidentID, message);
}

async function read(ctx: Context, address: MessageAddress): Promise<StandingMessage | undefined | 'refused'> {
  try {
    return await readMessageAt(ctx.deps.slack.web, address);
  } catch (error) {
    if (isPassing(error)) throw new Unanswered('Slack does not show a message', { cause: error });
    ctx.log[refusalLevel(error)]({ reason: slackReason(error) }, 'reaction: Slack does not show the message');
    const text = `Slack did not show me the message, so use *Add to timeline* in its menu: ${reasonWords(error)}`;
    await ctx.answer(sentence(text));
    return 'refused';
  }
}
