import { z } from 'zod';
import { shownParts } from '../state/digests.ts';
import type { PendingLines } from './store.ts';

/*
 * How often Slack shows an incident: a pause after each write, longer while the room is busy. Lines come before card, topic and
 * announcement, which give way while there are many lines. Two rules are for what people must notice: it is written at once, and when much
 * of it comes within a minute, it is gathered. The writes of the last minute are stored with the room, so all processes keep one pace.
 */

/** The time for which a write counts, in milliseconds. */
const minute = 60_000;
/** Time between two writes of a part in a calm and in a busy room, in milliseconds. */
const pauses = { lines: { calm: 3000, busy: 20_000 }, state: { calm: 10_000, busy: 30_000 } } as const;
/** A room is busy when it had `changes` changes or more within `within` milliseconds. */
const busyFrom = { changes: 3, within: 8000 } as const;
/** After so many changes within a minute, so many ordinary writes, or writes in all, are enough for a minute. */
const crowdedFrom = { changes: 16, ordinary: 5, all: 8 } as const;
/** So many writes of lines within a minute make the state as rare as in a busy room. */
const manyLines = 3;
/** After so many urgent writes within a minute, further urgent changes are gathered, and for how long, in milliseconds. */
const urgentStorm = { writes: 6, pause: 5000 } as const;

/** The parts that are written about an incident: lines, or a part that shows its state. */
const pacedParts = ['lines', ...shownParts] as const;
type PacedPart = (typeof pacedParts)[number];

const Write = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  part: z.enum(pacedParts),
  /** It shows a change that people must notice. */
  isUrgent: z.boolean(),
});
export type Write = z.output<typeof Write>;

/** Stored writes; none when another version of Muster stored another shape. */
export function parseWrites(stored: string): readonly Write[] {
  return stored === '' ? [] : (Write.array().safeParse(JSON.parse(stored)).data ?? []);
}

/** An incident as its pace sees it: writes of the last minute, oldest first, and the lines that wait. */
export interface Paced extends PendingLines {
  readonly writes: readonly Write[];
}

/** The writes of the last minute. A clock that stepped back forgets what it wrote. */
function lately(writes: readonly Write[], now: number): readonly Write[] {
  return writes.filter(({ at }) => at <= now && now - at < minute);
}

/** How long an ordinary write of that part waits, in milliseconds. */
function partWait(part: PacedPart, { writes, changes }: Paced, now: number): number {
  const recent = lately(writes, now);
  const last = recent.findLast(each => each.part === part)?.at ?? Number.NEGATIVE_INFINITY;
  const nth = changes[busyFrom.changes - 1] ?? Number.NEGATIVE_INFINITY;
  const calmIn = Math.max(0, nth + busyFrom.within - now);
  const { calm, busy } = pauses[part === 'lines' ? 'lines' : 'state'];
  const isFull = part !== 'lines' && recent.filter(each => each.part === 'lines').length >= manyLines;
  const busyWait = Math.max(0, last + busy - now);
  const pause = isFull ? busyWait : Math.min(busyWait, Math.max(calmIn, last + calm - now, 0));
  return Math.max(pause, crowdedUntil(changes, recent, now) - now);
}

/** Until when a crowded minute has seen enough writes, in epoch milliseconds. */
function crowdedUntil(changes: readonly number[], recent: readonly Write[], now: number): number {
  if ((changes[crowdedFrom.changes - 1] ?? Number.NEGATIVE_INFINITY) <= now - minute) return 0;
  const ordinary = recent.filter(each => !each.isUrgent);
  return Math.max(untilFewer(crowdedFrom.all, recent), untilFewer(crowdedFrom.ordinary, ordinary));
}

/** When fewer than so many of these writes are within the last minute, in epoch milliseconds. */
function untilFewer(most: number, writes: readonly Write[]): number {
  return (writes.at(-most)?.at ?? Number.NEGATIVE_INFINITY) + minute;
}

/** How long changes are gathered before the next round, in milliseconds. */
export function roundWait(paced: Paced, now: number): number {
  if (!paced.isUrgent) return partWait('lines', paced, now);
  const urgent = lately(paced.writes, now).filter(each => each.isUrgent);
  const last = urgent.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
  return urgent.length < urgentStorm.writes ? 0 : Math.max(0, last + urgentStorm.pause - now);
}

/** Decides which parts one round may write. The caller holds the lease of the incident's card, so no other process writes meanwhile. */
export class RoundPace {
  readonly #before: Paced;
  #writes: readonly Write[];
  /** The round shows what people must notice; it may come up while it runs. */
  #isUrgent: boolean;
  readonly #now: () => number;
  readonly #isHurried: boolean;
  readonly #left = new Set<PacedPart>();
  /** The state that the round shows was read; and the room was told after that of what people must notice. */
  #isStateRead = false;
  #isStateOld = false;

  /** `isHurried`: nothing may wait for a later round. */
  constructor(deps: { readonly paced: Paced; readonly clock: () => Date; readonly isHurried: boolean }) {
    this.#before = deps.paced;
    this.#writes = deps.paced.writes;
    this.#isUrgent = deps.paced.isUrgent;
    this.#now = () => deps.clock().getTime();
    this.#isHurried = deps.isHurried;
  }

  /** Whether that part may be written in this round. The card shows an urgent change at once. */
  isDue(part: PacedPart): boolean {
    if (this.#isHurried || (part === 'card' && this.#isUrgent)) return true;
    return this.#wait(part) === 0;
  }

  #wait(part: PacedPart): number {
    return partWait(part, { ...this.#before, writes: this.#writes }, this.#now());
  }

  /** Something of that part waits for a later round. */
  leave(part: PacedPart): void {
    this.#left.add(part);
  }

  /** The state that the round shows was read. */
  readState(): void {
    this.#isStateRead = true;
  }

  /** The room was told of what people must notice: a state that was read before lacks it. */
  toldRoom(): void {
    this.#isStateOld = this.#isStateRead;
  }

  /** That part was written. */
  wrote(part: PacedPart, isUrgent = part === 'card' && this.#isUrgent): void {
    this.#isUrgent ||= isUrgent;
    const at = this.#now();
    this.#writes = [...lately(this.#writes, at), { at, part, isUrgent }];
  }

  /** The writes of the last minute, with those of this round. */
  get writes(): readonly Write[] {
    return this.#writes;
  }

  /** Whether something waits for a later round. */
  get isIncomplete(): boolean {
    return this.#left.size > 0;
  }

  /** Whether the next round shows the card at once: a line that people must notice came up after the card was looked at, or its state read. */
  get owesCard(): boolean {
    return this.#isStateOld || (this.#isUrgent && this.#left.has('card'));
  }

  /** How long until the first part that waits is due, in milliseconds. */
  get leftWait(): number {
    return Math.min(...[...this.#left].map(each => this.#wait(each)));
  }
}
