/** Answers that are kept as long as what they say is true. */
export interface AnswerMemory {
  /** The text kept under this key, when it was kept with this very stamp. */
  find(key: string, stamp: string): string | undefined;
  keep(key: string, stamp: string, text: string): void;
}

/** The most characters of all kept texts together. */
const mostCharacters = 16 * 1024 * 1024;
/** The most characters of a key or a text that is kept. */
const longestKey = 500;
const longestText = 256 * 1024;

/**
 * Makes a memory of answers. A stamp stands for everything that an answer depends on besides its key: it is read from the
 * database for each call, so that an answer is given again only if a new one would be the same. What was not asked for the
 * longest is forgotten first.
 */
export function createAnswerMemory(most = mostCharacters): AnswerMemory {
  const kept = new Map<string, { stamp: string; text: string }>();
  let characters = 0;
  const forget = (key: string) => {
    characters -= key.length + (kept.get(key)?.text.length ?? 0);
    kept.delete(key);
  };
  return {
    find(key, stamp) {
      const entry = kept.get(key);
      if (entry?.stamp !== stamp) return undefined;
      kept.delete(key);
      kept.set(key, entry);
      return entry.text;
    },
    keep(key, stamp, text) {
      if (kept.has(key)) forget(key);
      if (key.length > longestKey || text.length > longestText) return;
      kept.set(key, { stamp, text });
      characters += key.length + text.length;
      for (const oldest of kept.keys()) {
        if (characters <= most) break;
        forget(oldest);
      }
    },
  };
}
