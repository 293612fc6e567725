import type { Setting } from '../setting.ts';

/** A time in which somebody or something could not be reached, in milliseconds since the epoch. */
interface Absence {
  readonly from: number;
  /** `Infinity` while it lasts. */
  until: number;
}

/**
 * Knows when people could not be reached, since they had left or were guests, and when channels took nothing of Muster's, since they were
 * archived, or private and without Muster.
 */
export class Presence {
  readonly #absences = new Map<string, Absence[]>();
  readonly #now: () => number;

  constructor({ slack, time }: Pick<Setting, 'slack' | 'time'>) {
    this.#now = () => time.now();
    slack.watch(change => {
      if (change.kind === 'person') {
        const { id, deleted, isRestricted, isStranger } = change.person;
        this.#note(id, deleted || isRestricted || isStranger);
      } else if (change.kind === 'channel') {
        const { id, isArchived, isPrivate, members } = change.channel;
        this.#note(id, isArchived || (isPrivate && !members.has(slack.botUserId)));
      }
    });
  }

  /** When a person or a channel, by its id, could not be reached, oldest first. */
  absences(id: string): readonly Absence[] {
    return this.#absences.get(id) ?? [];
  }

  /** Whether a person or a channel could be reached all the time between two moments. */
  isThere(id: string, from: number, until = from): boolean {
    return !this.absences(id).some(each => each.from <= until && each.until > from);
  }

  #note(id: string, isAway: boolean): void {
    const all = this.#absences.get(id) ?? [];
    this.#absences.set(id, all);
    const last = all.at(-1);
    const wasAway = last?.until === Number.POSITIVE_INFINITY;
    if (isAway && !wasAway) all.push({ from: this.#now(), until: Number.POSITIVE_INFINITY });
    if (last && wasAway && !isAway) last.until = this.#now();
  }
}
