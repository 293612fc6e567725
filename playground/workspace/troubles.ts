import type { SystemView } from './protocol.ts';

/** The parts of the playground that try again when they fail. */
export type TroubledPart = keyof SystemView['troubles'];

/** Hears each attempt of a part that goes on after a failure. */
export interface Attempts {
  failed(error: unknown): void;
  succeeded(): void;
}

/** What the playground cannot do at present. A trouble is said once, and again only when it was over in between. */
export class Troubles {
  readonly #say: (sentence: string) => void;
  readonly #changed: () => void;
  readonly #sentences = new Map<TroubledPart, string>();

  /** `say` hears each trouble when it begins; `changed` is called when one begins or ends. */
  constructor(say: (sentence: string) => void, changed: () => void) {
    this.#say = say;
    this.#changed = changed;
  }

  /** One sentence or more for each part that fails: what happened, why, and what to do. */
  get facts(): SystemView['troubles'] {
    return Object.fromEntries(this.#sentences);
  }

  /** The attempts of a part. `describe` makes the words of its trouble from the reason. */
  of(part: TroubledPart, describe: (reason: string) => string): Attempts {
    return {
      failed: error => {
        if (this.#sentences.has(part)) return;
        const words = describe(error instanceof Error ? error.message : String(error));
        this.#sentences.set(part, words);
        this.#say(`${part}: ${words}`);
        this.#changed();
      },
      succeeded: () => {
        if (this.#sentences.delete(part)) this.#changed();
      },
    };
  }
}
