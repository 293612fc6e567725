import type { Doer } from '../virtual-time.ts';

const never = new Promise<never>(() => {});

/** The moment of a death: before the write that it comes to, or after it with the answer never heard. */
export interface Doom {
  /** How many writes from now, the fatal one included. */
  readonly writes: number;
  readonly isBefore: boolean;
}

/** What a write comes to that death prevented. */
export class Killed extends Error {}

/**
 * The life of one process. Killed, it does nothing more: whatever it waits for never comes, as after SIGKILL. What it wrote
 * before stays. Frozen, as by SIGSTOP, it does nothing until it goes on: no timer of its own fires, and it hears no answer.
 */
export class Life implements Doer {
  isAlive = true;
  /** Resolves when it goes on; undefined while it does not stand still. */
  standstill: Promise<void> | undefined;
  readonly #onDeath: (() => void)[] = [];
  readonly #onFreeze: ((standstill: Promise<void>) => void)[] = [];
  #doom: Doom | undefined;

  /** Sets when it dies; the last word counts. */
  condemn(doom: Doom): void {
    this.#doom = doom;
  }

  /** It is not to die any more. */
  spare(): void {
    this.#doom = undefined;
  }

  /** Lets it stand still until then; what it has sent arrives all the same. */
  async freeze(until: Promise<void>): Promise<void> {
    if (!this.isAlive || this.standstill) return;
    this.standstill = until;
    for (const tell of this.#onFreeze) tell(until);
    await until;
    this.standstill = undefined;
  }

  /** Calls this whenever it is frozen, with what resolves when it goes on; returns what ends that. */
  onFreeze(tell: (standstill: Promise<void>) => void): () => void {
    this.#onFreeze.push(tell);
    return () => void this.#onFreeze.splice(this.#onFreeze.indexOf(tell), 1);
  }

  /** Ends it now. */
  die(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const tell of this.#onDeath.splice(0)) tell();
  }

  /** Calls this when it dies, or at once if it has. */
  onDeath(tell: () => void): void {
    if (this.isAlive) this.#onDeath.push(tell);
    else tell();
  }

  /** Work whose end only the living hear of. */
  async hear<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isAlive) return never;
    try {
      const result = await work();
      await this.standstill;
      return this.isAlive ? result : never;
    } catch (error) {
      await this.standstill;
      if (this.isAlive) throw error;
      return never;
    }
  }

  /** A write to the outside: a moment at which it may die, before or after. Throws {@link Killed} when it is dead. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const isFatal = this.isAlive && this.#comesTo();
    if (isFatal && this.#doom?.isBefore) this.die();
    if (!this.isAlive) throw new Killed('before the write');
    const result = await work();
    if (isFatal) this.die();
    if (!this.isAlive) throw new Killed('after the write');
    return result;
  }

  #comesTo(): boolean {
    if (!this.#doom) return false;
    this.#doom = { ...this.#doom, writes: this.#doom.writes - 1 };
    return this.#doom.writes === 0;
  }
}
