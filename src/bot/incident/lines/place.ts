import type { LineTable } from '../../schema/lines.ts';

/** How long lines of one person join a message after it began, in milliseconds. */
const together = 60_000;

/** After so many messages within a minute, lines of anybody join the last one: each message is a write to Slack, and one more to read. */
const perMinute = 2;

/** A line that has a message. */
interface PlacedLine {
  readonly id: string;
  /** The first line of its message. */
  readonly message: string;
  /** When that was begun, in epoch milliseconds. */
  readonly begunAt: number;
  /** It is that first line. */
  readonly isNew: boolean;
}

/** The state of a room's messages. */
export interface Placing {
  /** A line of its last message. */
  readonly last: Pick<LineTable, 'message' | 'begun_at' | 'actor' | 'is_alone' | 'is_closed'> | undefined;
  /** Messages begun within the last hour, and within the last minute. */
  readonly begun: number;
  readonly lately: number;
  /** So many of them are enough. */
  readonly perHour: number;
  readonly now: number;
}

/**
 * Gives each line without a message one. Lines of one person within a minute share a message. When a room has had enough messages within
 * a minute or an hour, lines of all people join the last one. A line that people must notice always begins one, and nothing joins that.
 */
export function placeLines(
  waiting: readonly Pick<LineTable, 'id' | 'actor' | 'is_alone' | 'message'>[],
  { last, begun, lately, perHour, now }: Placing,
): readonly PlacedLine[] {
  const placed: PlacedLine[] = [];
  let [open, added] = [last, 0];
  const isEnough = () => begun + added >= perHour || lately + added >= perMinute;
  for (const { id, actor, is_alone, message } of waiting) {
    if (message !== '') continue;
    const isOpen = open !== undefined && open.is_alone === 0 && open.is_closed === 0 && is_alone === 0;
    const isSame = open?.actor === actor && now - open.begun_at < together && now >= open.begun_at;
    if (open && isOpen && (isSame || isEnough())) {
      placed.push({ id, message: open.message, begunAt: open.begun_at, isNew: false });
      continue;
    }
    open = { message: id, begun_at: now, actor, is_alone, is_closed: 0 };
    added += 1;
    placed.push({ id, message: id, begunAt: now, isNew: true });
  }
  return placed;
}
