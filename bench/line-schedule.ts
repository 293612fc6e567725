/** How far the lead moves with each piece, in milliseconds. */
const step = 0.002;

/**
 * When the pieces on a line leave: each so many milliseconds after it came, and so in the order in which they came. A thread that waits
 * for a moment wakes a little late. So the schedule asks for an earlier moment, and learns from each piece by how much: half of the
 * pieces leave a little early, half a little late. Times are milliseconds of {@link clock}.
 */
export class LineSchedule {
  readonly #delay: number;
  readonly #due: number[] = [];
  #lead = 0;

  constructor(delay: number) {
    this.#delay = delay;
  }

  /** A piece comes. Gives the moment to wait for before it leaves. */
  come(now: number): number {
    const due = now + this.#delay;
    this.#due.push(due);
    return due - this.#lead;
  }

  /** The oldest piece leaves. Gives how long it was on the line. */
  leave(now: number): number {
    const due = this.#due.shift();
    if (due === undefined) throw new Error('No piece is on the line.');
    this.#lead = Math.min(this.#delay, Math.max(0, this.#lead + step * Math.sign(now - due)));
    return now - due + this.#delay;
  }
}

/** A clock that all threads of a process share, in milliseconds. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
