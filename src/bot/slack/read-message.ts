import { z } from 'zod';
import type { WebClient } from './bolt.ts';
import { slackRefusal } from './clients.ts';
import { type MessageAddress, type SourceMessage, toSourceMessage } from './source-message.ts';

/** An emoji under a message. Slack counts everybody, and names only some of many. */
const Reaction = z.object({ name: z.string(), count: z.number(), users: z.array(z.string()).default([]) });
/** An emoji under a message. */
export type Reaction = z.output<typeof Reaction>;
const Reacted = z.object({ reactions: z.array(Reaction).default([]) });

/** A message as Slack has it. */
export interface StandingMessage {
  readonly message: SourceMessage;
  readonly reactions: readonly Reaction[];
}

/** Messages that are asked for: a thread's answer may begin with its first message, whichever reply is asked for. */
const asked = 2;

/**
 * Reads the very message of an address, also a reply, which a channel's history does not have. Undefined when it is gone. Throws
 * Slack's other refusals.
 */
export async function readMessageAt(
  { conversations }: { readonly conversations: Pick<WebClient['conversations'], 'replies'> },
  { channelId, ts }: MessageAddress,
): Promise<StandingMessage | undefined> {
  try {
    const terms = { channel: channelId, ts, oldest: ts, latest: ts, inclusive: true, limit: asked };
    const { messages = [] } = await conversations.replies(terms);
    const found = messages.find(each => each.ts === ts);
    // A deleted message with replies leaves a stone in its place (docs/slack.md 4).
    const isStone = found !== undefined && 'subtype' in found && found.subtype === 'tombstone';
    if (!found || isStone) return undefined;
    return { message: toSourceMessage(channelId, found), reactions: Reacted.parse(found).reactions };
  } catch (error) {
    if (['thread_not_found', 'message_not_found'].includes(slackRefusal(error) ?? '')) return undefined;
    throw error;
  }
}

/** An emoji's name without its colons and skin tone. */
export function toEmojiName(reaction: string): string {
  return reaction.replaceAll(/^:|:$/g, '').replace(/::skin-tone-\d$/, '');
}

/** How many reactions of these names stand that the bot did not set itself. */
export function countOthers(reactions: readonly Reaction[], names: ReadonlySet<string>, botUserId: string): number {
  return reactions
    .filter(each => names.has(toEmojiName(each.name)))
    .reduce((sum, { count, users }) => sum + count - (users.includes(botUserId) ? 1 : 0), 0);
}

/** Whether a person's reaction of that name stands. Slack names only some of many people; then it counts as standing. */
export function stands(reactions: readonly Reaction[], name: string, userId: string): boolean {
  return reactions.some(
    each => toEmojiName(each.name) === name && (each.users.includes(userId) || each.count > each.users.length),
  );
}
