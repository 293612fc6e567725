import type { Context } from './context.ts';

/** A call as it was read from a request. */
export interface PreparedCall {
  answer(context: Context): unknown;
  /** Stands for everything that the answer depends on besides the question; absent or undefined when it is not known. */
  validator?(context: Context): Promise<string | undefined>;
}

/** An answer, and what was asked; it is still true while the question has the same stamp. */
export interface CacheEntry {
  readonly call: PreparedCall;
  readonly validator: string;
  readonly text: string;
}

/** Answers to questions, by what the requests said. */
export interface ResponseCache {
  find(key: string): CacheEntry | undefined;
  store(key: string, kept: CacheEntry): void;
}

/** The most characters of all kept texts together. */
const mostCharacters = 16 * 1024 * 1024;
/** The most characters of a key or a text that is kept. */
const longestKey = 500;
const longestText = 256 * 1024;

/** Makes a memory of answers, in which what was not asked for the longest is forgotten first. */
export function createResponseCache(most = mostCharacters): ResponseCache {
  const entries = new Map<string, CacheEntry>();
  let characters = 0;
  const forget = (key: string) => {
    characters -= key.length + (entries.get(key)?.text.length ?? 0);
    entries.delete(key);
  };
  return {
    find(key) {
      if (key.length > longestKey) return undefined;
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    store(key, kept) {
      if (entries.has(key)) forget(key);
      if (key.length > longestKey || kept.text.length > longestText) return;
      entries.set(key, kept);
      characters += key.length + kept.text.length;
      for (const oldest of entries.keys()) {
        if (characters <= most) break;
        forget(oldest);
      }
    },
  };
}
