/** What happened in a world, in order, for whoever has to find out why it went wrong. */
export class History {
  readonly lines: string[] = [];
  readonly #began: number;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.#began = now();
  }

  /** Adds a line: who, and what they did or what befell them. */
  add(who: string, what: string): void {
    const line = `${sinceThen(this.#now() - this.#began)}  ${who.padEnd(10)}  ${what.replaceAll('\n', ' ⏎ ')}`;
    this.lines.push(`${String(this.lines.length + 1).padStart(5)}  ${line}`);
  }
}

/** `+00:03:12.450`; after a day `+1d 00:03:12.450`. */
function sinceThen(milliseconds: number): string {
  const days = Math.floor(milliseconds / 86_400_000);
  return `+${days > 0 ? `${days}d ` : ''}${new Date(Math.max(0, milliseconds)).toISOString().slice(11, 23)}`;
}
