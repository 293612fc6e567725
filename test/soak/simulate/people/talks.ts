import { z } from 'zod';
import type { Message } from '../../../../playground/fake-slack/fake-slack.ts';

/** A message that somebody said in an incident's room. */
export interface Talk {
  readonly mark: string;
  readonly incident: string;
  /** The live object, also when it is deleted. */
  readonly message: Message;
  readonly authorId: string;
}

/** Something that a person did with a message, as Slack's event tells it, and whether Muster knows. */
export interface TalkEvent {
  readonly id: string;
  readonly kind: 'reacted' | 'unreacted' | 'edited' | 'deleted';
  readonly ts: string;
  readonly channelId: string;
  /** Slack id of who did it; `""` for a deletion. */
  readonly userId: string;
  /** Name of the emoji; `""` for what is no reaction. */
  readonly emoji: string;
  /** The words that the message had then; `""` when they did not change. */
  readonly text: string;
  readonly at: number;
  /** Muster has acknowledged it, so it has stored it. An event that it never acknowledged may stay unknown to it. */
  isTaken: boolean;
}

const Reaction = z.object({
  type: z.enum(['reaction_added', 'reaction_removed']),
  user: z.string(),
  reaction: z.string(),
  item: z.object({ channel: z.string(), ts: z.string() }),
});
const Edited = z.object({
  subtype: z.literal('message_changed'),
  channel: z.string(),
  message: z.object({ ts: z.string(), user: z.string(), text: z.string(), subtype: z.string().optional() }),
});
const Deleted = z.object({ subtype: z.literal('message_deleted'), channel: z.string(), deleted_ts: z.string() });
const Envelope = z.object({ event_id: z.string(), event: z.union([Reaction, Edited, Deleted]) });

/** Knows what was said in rooms and what people did with it, and which of that Slack could tell Muster. */
export class Talks {
  readonly all: Talk[] = [];
  readonly events: TalkEvent[] = [];
  /** Refusals that people read: Muster told them that it did not do what a reaction asked for, or cannot tell whether it did. */
  readonly refusals: { readonly userId: string; readonly at: number }[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Slack sends an event, which may be lost. */
  sent(body: string): void {
    const { data } = Envelope.safeParse(JSON.parse(body));
    if (!data || this.events.some(each => each.id === data.event_id)) return;
    this.events.push({ id: data.event_id, at: this.#now(), isTaken: false, ...toWhat(data.event) });
  }

  /** Muster acknowledged an event. */
  taken(body: string): void {
    const { event_id: id } = JSON.parse(body);
    const event = this.events.find(each => each.id === id);
    if (event) event.isTaken = true;
  }

  /** Somebody alone is shown something. */
  shown(userId: string, text: string): void {
    if (/I added nothing|nothing was changed|I could not look that up|may or may not have happened/i.test(text))
      this.refusals.push({ userId, at: this.#now() });
  }

  /** What was done with a message, in order. */
  of({ channel, ts }: Message): readonly TalkEvent[] {
    return this.events.filter(each => each.channelId === channel && each.ts === ts);
  }

  /** Whether Muster knows of an event, and told nobody that it would do nothing about it. */
  isKnown({ userId, at, isTaken }: TalkEvent): boolean {
    return isTaken && !this.refusals.some(each => each.userId === userId && each.at >= at);
  }
}

function toWhat(event: z.output<typeof Envelope>['event']): Omit<TalkEvent, 'id' | 'at' | 'isTaken'> {
  if ('type' in event) {
    const { item, user: userId, reaction: emoji, type } = event;
    const kind = type === 'reaction_added' ? 'reacted' : 'unreacted';
    return { kind, ts: item.ts, channelId: item.channel, userId, emoji, text: '' };
  }
  const { channel: channelId } = event;
  if (event.subtype === 'message_deleted')
    return { kind: 'deleted', ts: event.deleted_ts, channelId, userId: '', emoji: '', text: '' };
  const { ts, user: userId, text, subtype } = event.message;
  // A message with replies leaves a stone in its place (docs/slack.md 4).
  if (subtype === 'tombstone') return { kind: 'deleted', ts, channelId, userId: '', emoji: '', text: '' };
  return { kind: 'edited', ts, channelId, userId, emoji: '', text };
}
