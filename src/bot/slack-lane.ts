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

/** How many calls of a paced lane may go at once after a rest, and the milliseconds between those that follow (slack.md 6). */
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
  #waiting: Waiting[] = [];
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
    return this.#waiting.length;
  }

  /** Whether the lane remembers nothing that another one would not know. */
  get isForgettable(): boolean {
    const now = performance.now();
    return this.#waiting.length + this.#inFlight === 0 && this.#heldUntil <= now && this.#even <= now;
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
    const turn = Promise.withResolvers<number | undefined>();
    const behind = this.#waiting.findIndex(other => isBefore(place, other));
    this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, { ...place, turn });
    this.#advance();
    return turn.promise;
  }

  /** Ends the turn of a call. */
  leave({ order }: Place, ending: Ending): void {
    this.#inFlight -= 1;
    this.#underWay.delete(order);
    if (typeof ending === 'object') this.#hold(ending.limited);
    else if (ending === 'answered' && this.#isProbing) {
      this.#isWary = false;
      this.#guesses = 0;
    }
    this.#isProbing = false;
    this.#advance();
  }

  #hold(seconds: number | undefined): void {
    const guess = Math.min(pace * 2 ** this.#guesses, longestGuess);
    if (seconds === undefined) this.#guesses += 1;
    const pause = seconds === undefined ? guess : Math.max(seconds * 1000, pace);
    this.#heldUntil = Math.max(this.#heldUntil, performance.now() + pause);
    this.#even = this.#isPaced ? this.#heldUntil + (burst - 1) * pace : this.#even;
    this.#isWary = true;
  }

  #advance(): void {
    const now = performance.now();
    this.#turnAway(now);
    while (this.#freeAt(now) <= now && !(this.#isWary && this.#inFlight > 0)) {
      const index = this.#waiting.findIndex(each => !this.#underWay.has(each.order));
      const [next] = index === -1 ? [] : this.#waiting.splice(index, 1);
      if (!next) break;
      this.#depart(now, next.order);
      next.turn.resolve(undefined);
    }
    this.#wake(now);
  }

  /** Ends the wait of those who would wait too long. */
  #turnAway(now: number): void {
    const staying: Waiting[] = [];
    for (const each of this.#waiting) {
      const at = this.#freeAt(now, staying.length);
      if (at > each.deadline || now > each.deadline) each.turn.resolve(toSeconds(at - now));
      else staying.push(each);
    }
    this.#waiting = staying;
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
    if (this.#waiting.length === 0) return;
    const free = this.#freeAt(now);
    const patience = Math.min(...this.#waiting.map(each => each.deadline)) + 1;
    const at = free > now ? Math.min(free, patience) : patience;
    this.#timer = setTimeout(() => this.#advance(), Math.ceil(at - now));
  }
}

function isBefore(one: Place, other: Place): boolean {
  return one.rank === other.rank ? one.number < other.number : one.rank === 'essential';
}

function toSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
