import type { Settled } from './store.ts';

/** Outcomes that are at hand and being stored, by the ids of their intents. */
export interface Storing {
  /** Takes note of the storing of one; yields what that yields. */
  add(id: string, stored: Promise<Settled | undefined>): Promise<Settled | undefined>;
  /** Resolves when the outcomes of these are stored, or cannot be. */
  stored(ids: readonly string[]): Promise<void>;
  /** Everybody has heard of these. Yields, once their outcomes are stored, those for which that was not noted with the outcome. */
  answer(ids: readonly string[]): Promise<readonly string[]>;
  /** Whether everybody has heard of that one, whose outcome is being stored. */
  isAnswered(id: string): boolean;
}

/** Opens the storing. */
export function createStoring(): Storing {
  const storing = new Map<string, Promise<Settled | undefined>>();
  const answered = new Set<string>();
  const ofAll = (ids: readonly string[]) => Promise.allSettled(ids.map(id => storing.get(id)));
  return {
    add: (id, stored) => {
      const ending = stored.finally(() => {
        storing.delete(id);
        answered.delete(id);
      });
      storing.set(id, ending);
      return ending;
    },
    stored: async ids => {
      await ofAll(ids);
    },
    answer: async ids => {
      const ends = ofAll(ids);
      for (const id of ids) if (storing.has(id)) answered.add(id);
      const isDue = (await ends).map(end => end.status === 'rejected' || end.value?.changes.aftermath !== 0);
      return ids.filter((_, index) => isDue[index]);
    },
    isAnswered: id => answered.has(id),
  };
}
