import { z } from 'zod';
import { shownParts } from '../state/digests.ts';

/*
 * How often Slack shows an incident. Slack allows fifty edits a minute (docs/slack.md 6), and people read more slowly. A calm room reads a
 * change at once. In a busy one, changes are gathered: at most six writes a minute show them. Two changes that people must notice take three
 * writes each, for line, card and news, so all are twelve. The writes of the last minute are stored with the room, so all processes keep one
 * pace.
 */

/** The time for which a write counts, in milliseconds. */
const minute = 60_000;
/** Time between two writes of one part in a calm room, by the number of them within the last minute, in milliseconds. */
const calm = { lines: [0, 3000, 10_000, 17_000], state: [0, 10_000, 17_000] } as const;
/** After so many writes within a minute nothing but what is urgent is written. */
const mostPerMinute = 12;
/** From so many changes on a room may be busy, and for how long each change keeps it so, in milliseconds. */
const busyFrom = { changes: 6, each: 2500 } as const;
/**
 * A busy room: the time between two writes of one part in milliseconds, and the number of ordinary writes within a minute from which on
 * that part waits. A round may write two messages of lines, and lines come before the state. The writes that are left are spread over the time
 * until the oldest no longer counts.
 */
const busy = { lines: { gap: 20_000, most: 5 }, state: { gap: 25_000, most: 5 } } as const;
/** After so many urgent writes within a minute, further urgent changes are gathered, and for how long, in milliseconds. */
const urgentStorm = { writes: 6, gap: 5000 } as const;

/** What is written about an incident: lines in its room, a part that shows its state, or news below the announcement. */
export const pacedParts = ['lines', ...shownParts, 'news'] as const;
/** One of {@link pacedParts}. */
export type PacedPart = (typeof pacedParts)[number];

const Write = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  part: z.enum(pacedParts),
  /** It shows a change that people must notice. */
  isUrgent: z.boolean(),
  /** How often the incident had been changed; of the first write for a minute, how often it had been when it was shown before. */
  version: z.number(),
});
/** One write to Slack about an incident. */
export type Write = z.output<typeof Write>;

/** An incident as its pace sees it. */
export interface Paced {
  /** How often it was changed. */
  readonly version: number;
  /** Writes of the last minute, oldest first. */
  readonly writes: readonly Write[];
}

/** Stored writes; none when another version of Muster stored another shape. */
export function parseWrites(stored: string): readonly Write[] {
  return stored === '' ? [] : (Write.array().safeParse(JSON.parse(stored)).data ?? []);
}

/** The writes of the last minute. A clock that stepped back forgets what it wrote. */
function lately(writes: readonly Write[], now: number): readonly Write[] {
  return writes.filter(({ at }) => at <= now && now - at < minute);
}

/** How long an ordinary write of that part waits, in milliseconds. */
export function partWait(part: PacedPart, { version, writes }: Paced, now: number): number {
  const recent = lately(writes, now);
  const own = recent.filter(each => each.part === part && (part !== 'lines' || !each.isUrgent));
  const last = own.at(-1)?.at ?? now - minute;
  const kind = part === 'lines' ? 'lines' : 'state';
  const gaps = calm[kind];
  const gapWait = last + (gaps[Math.min(own.length, gaps.length - 1)] ?? 0) - now;
  const calmWait = Math.max(0, gapWait, roomWait(recent, mostPerMinute, now));
  const calmIn = busyUntil(version, recent) - now;
  if (calmIn <= 0) return calmWait;
  const { gap, most } = busy[kind];
  const ordinary = recent.filter(each => !each.isUrgent);
  const [oldest, ...others] = ordinary;
  const spread = oldest ? (oldest.at + minute - last) / Math.max(1, most - others.length) : 0;
  const busyWait = Math.max(
    0,
    roomWait(ordinary, most, now),
    own.length === 0 ? 0 : last + Math.max(gap, spread) - now,
  );
  return Math.min(busyWait, Math.max(calmWait, calmIn));
}

/** Until when a room is busy if nothing else changes, in epoch milliseconds. */
function busyUntil(version: number, recent: readonly Write[]): number {
  const ends = recent.map(each => {
    const changes = version - each.version;
    return changes < busyFrom.changes ? 0 : each.at + Math.min(minute, changes * busyFrom.each);
  });
  return Math.max(0, ...ends);
}

/** How long until fewer than so many of these writes are within the last minute, in milliseconds. */
function roomWait(writes: readonly Write[], most: number, now: number): number {
  const oldest = writes.at(-most);
  return oldest ? oldest.at + minute - now : 0;
}

/** How long changes are gathered before the next round, in milliseconds. */
export function roundWait(paced: Paced, now: number, isUrgent: boolean): number {
  if (!isUrgent) return partWait('lines', paced, now);
  const urgent = lately(paced.writes, now).filter(each => each.isUrgent);
  const since = now - (urgent.at(-1)?.at ?? Number.NEGATIVE_INFINITY);
  return urgent.length < urgentStorm.writes ? 0 : Math.max(0, urgentStorm.gap - since);
}

/** What one round may write. The caller holds the lease of the incident's card, so nobody else writes meanwhile. */
export class RoundPace {
  #paced: Paced;
  readonly #rendered: number;
  #hasUrgentLine = false;
  readonly #isUrgent: boolean;
  readonly #now: () => number;
  readonly #isHurried: boolean;
  readonly #left = new Set<PacedPart>();

  /** `rendered`: the version that Slack shows. `isUrgent`: it shows a change that people must notice. `isHurried`: nothing may wait for a later round. */
  constructor(deps: {
    readonly paced: Paced & { readonly rendered: number };
    readonly clock: () => Date;
    readonly isUrgent: boolean;
    readonly isHurried: boolean;
  }) {
    this.#paced = deps.paced;
    this.#rendered = deps.paced.rendered;
    this.#now = () => deps.clock().getTime();
    this.#isUrgent = deps.isUrgent;
    this.#isHurried = deps.isHurried;
  }

  /** Whether that part may be written now. The card shows an urgent change at once. */
  isDue(part: PacedPart): boolean {
    if (this.#isHurried || (part === 'card' && (this.#isUrgent || this.#hasUrgentLine))) return true;
    return partWait(part, this.#paced, this.#now()) === 0;
  }

  /** Whether lines may be written although others were written shortly before. */
  hasRoom(): boolean {
    const now = this.#now();
    const ordinary = lately(this.#paced.writes, now).filter(each => !each.isUrgent);
    return this.isDue('lines') || roomWait(ordinary, busy.lines.most, now) <= 0;
  }

  /** Something of that part waits for a later round. */
  leave(part: PacedPart): void {
    this.#left.add(part);
  }

  /** That part was written. The card is as urgent as the lines of its round. */
  wrote(part: PacedPart, isUrgent = part === 'card' && this.#hasUrgentLine): void {
    const { version, writes } = this.#paced;
    const at = this.#now();
    this.#hasUrgentLine ||= isUrgent;
    const recent = lately(writes, at);
    const write = { at, part, isUrgent, version: recent.length === 0 ? this.#rendered : version };
    this.#paced = { version, writes: [...recent, write] };
  }

  /** The writes of the last minute, with those of this round. */
  get writes(): readonly Write[] {
    return this.#paced.writes;
  }

  /** Whether something waits for a later round. */
  get isIncomplete(): boolean {
    return this.#left.size > 0;
  }

  /** How long until the first part that waits is due, in milliseconds. */
  get leftWait(): number {
    return Math.min(...[...this.#left].map(each => partWait(each, this.#paced, this.#now())));
  }
}
