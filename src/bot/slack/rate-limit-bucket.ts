/** What goes first where both wait. */
export type Rank = 'essential' | 'nicety';

/** A call in a lane. Times are milliseconds of the monotonic clock, which no change of the wall clock moves. */
export interface Place {
  /** Calls of one order go one after the other; `""` for those whose order does not matter. */
  readonly order: string;
  readonly rank: Rank;
  /** Earlier calls have smaller numbers; one that goes again keeps its own. */
  readonly number: number;
  /** When waiting is over for it; one that has passed already never waits. */
  readonly deadline: number;
}

/** How a call ended for the lane: `limited` carries the seconds of `Retry-After`, undefined without that header. */
export type Ending = 'answered' | 'failed' | { readonly limited: number | undefined };

/** How many calls of a paced lane may go at once after a rest, and the milliseconds between those that follow (docs/slack.md 6). */
const burst = 5;
const pace = 1000;
/** The longest pause after refusals that do not say how long to wait, in milliseconds. */
const longestGuess = 30_000;

interface Waiting extends Place {
  readonly turn: PromiseWithResolvers<number | undefined>;
}

/** The calls that Slack counts against one limit, in their order. */
export class Lane {
  readonly #isPaced: boolean;
  /** Those who wait, by their order: a backlog then costs no more to look through than it has orders. */
  readonly #lines = new Map<string, Waiting[]>();
  #count = 0;
  /** No deadline of those who wait is earlier. */
  #soonest = Number.POSITIVE_INFINITY;
  readonly #underWay = new Set<string>();
  #inFlight = 0;
  /** Slack refuses everything until then. */
  #heldUntil = Number.NEGATIVE_INFINITY;
  /** When the pace is even again: a call may go while that is at most `burst - 1` paces away. */
  #even = Number.NEGATIVE_INFINITY;
  /** After a refusal one call goes alone, to find out whether the limit is over. */
  #isWary = false;
  #isProbing = false;
  #guesses = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `isPaced`: no more than one call a second after a burst. */
  constructor(isPaced: boolean) {
    this.#isPaced = isPaced;
  }

  /** How many calls wait for their turn. */
  get waiting(): number {
    return this.#count;
  }

  /** Whether the lane remembers nothing that another one would not know. */
  get isForgettable(): boolean {
    const now = performance.now();
    return this.#count + this.#inFlight === 0 && this.#heldUntil <= now && this.#even <= now;
  }

  /**
   * Resolves when it is this call's turn, which `leave` must end; or, as soon as the wait would outlast its deadline, with
   * the seconds after which another try makes sense.
   */
  enter(place: Place): Promise<number | undefined> {
    const now = performance.now();
    if (place.deadline <= now) {
      const at = this.#freeAt(now);
      if (at > now) return Promise.resolve(toSeconds(at - now));
      this.#depart(now, place.order);
      return Promise.resolve(undefined);
    }
    const line = this.#lines.get(place.order) ?? [];
    const index = line.findLastIndex(other => isBefore(other, place)) + 1;
    const at = this.#freeAt(now, index);
    if (at > place.deadline) return Promise.resolve(toSeconds(at - now));
    const turn = Promise.withResolvers<number | undefined>();
    line.splice(index, 0, { ...place, turn });
    this.#lines.set(place.order, line);
    this.#count += 1;
    this.#soonest = Math.min(this.#soonest, place.deadline);
    this.#advance(now);
    return turn.promise;
  }

  /** Ends the turn of a call. */
  leave({ order }: Place, ending: Ending): void {
    this.#inFlight -= 1;
    this.#underWay.delete(order);
    const now = performance.now();
    if (typeof ending === 'object') {
      this.#hold(ending.limited, now);
      this.#turnAway(now);
    } else if (ending === 'answered' && this.#isProbing) {
      this.#isWary = false;
      this.#guesses = 0;
    }
    this.#isProbing = false;
    this.#advance(now);
  }

  #hold(seconds: number | undefined, now: number): void {
    const guess = Math.min(pace * 2 ** this.#guesses, longestGuess);
    if (seconds === undefined) this.#guesses += 1;
    const pause = seconds === undefined ? guess : Math.max(seconds * 1000, pace);
    this.#heldUntil = Math.max(this.#heldUntil, now + pause);
    this.#even = this.#isPaced ? this.#heldUntil + (burst - 1) * pace : this.#even;
    this.#isWary = true;
  }

  #advance(now: number): void {
    while (this.#freeAt(now) <= now && !(this.#isWary && this.#inFlight > 0)) {
      const next = this.#takeNext();
      if (!next) break;
      this.#depart(now, next.order);
      next.turn.resolve(undefined);
    }
    this.#wake(now);
  }

  /** Takes the first of those whose order is not under way. */
  #takeNext(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const [order, [head]] of this.#lines) {
      if (head && !this.#underWay.has(order) && !(first && isBefore(first, head))) first = head;
    }
    if (!first) return undefined;
    const line = this.#lines.get(first.order);
    line?.shift();
    if (line?.length === 0) this.#lines.delete(first.order);
    this.#count -= 1;
    return first;
  }

  /** Ends the wait of those who would wait too long. */
  #turnAway(now: number): void {
    this.#count = 0;
    this.#soonest = Number.POSITIVE_INFINITY;
    for (const [order, line] of this.#lines) {
      const staying: Waiting[] = [];
      for (const each of line) {
        const at = this.#freeAt(now, staying.length);
        if (at > each.deadline || now > each.deadline) {
          each.turn.resolve(toSeconds(at - now));
        } else {
          staying.push(each);
          this.#soonest = Math.min(this.#soonest, each.deadline);
        }
      }
      this.#count += staying.length;
      if (staying.length > 0) this.#lines.set(order, staying);
      else this.#lines.delete(order);
    }
  }

  #depart(now: number, order: string): void {
    this.#inFlight += 1;
    this.#isProbing = this.#isWary;
    if (order !== '') this.#underWay.add(order);
    if (this.#isPaced) this.#even = Math.max(this.#even, now) + pace;
  }

  /** When a call may go before which `others` go, as far as limits are known. */
  #freeAt(now: number, others = 0): number {
    const paced = Math.max(this.#even, now) + (others - (burst - 1)) * pace;
    return Math.max(this.#heldUntil, this.#isPaced ? paced : now);
  }

  #wake(now: number): void {
    clearTimeout(this.#timer);
    if (this.#count === 0) return;
    const free = this.#freeAt(now);
    const at = free > now ? Math.min(free, this.#soonest + 1) : this.#soonest + 1;
    this.#timer = setTimeout(() => this.#look(), Math.max(0, Math.ceil(at - now)));
  }

  #look(): void {
    const now = performance.now();
    if (now > this.#soonest) this.#turnAway(now);
    this.#advance(now);
  }
}

function isBefore(one: Place, other: Place): boolean {
  return one.rank === other.rank ? one.number < other.number : one.rank === 'essential';
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
