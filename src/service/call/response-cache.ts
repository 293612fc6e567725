import type { Context } from './context.ts';

/** A call whose input has been read and checked. */
export interface PreparedCall {
  answer(context: Context): unknown;
  /** A value that changes whenever the answer would, like an HTTP ETag; absent or undefined when there is none. */
  validator?(context: Context): Promise<string | undefined>;
}

/** An answer and its call. It is still true while the call gives the same validator. */
export interface CacheEntry {
  readonly call: PreparedCall;
  readonly validator: string;
  readonly text: string;
}

/** The most characters of all texts in the cache together. */
const mostCharacters = 16 * 1024 * 1024;
/** The most characters of a key or a text in the cache. */
const longestKey = 500;
const longestText = 256 * 1024;

/** Makes a cache of answers, by what the requests said, that drops the answer that was least recently used first. */
export function createResponseCache(most = mostCharacters) {
  const entries = new Map<string, CacheEntry>();
  let characters = 0;
  const forget = (key: string) => {
    characters -= key.length + (entries.get(key)?.text.length ?? 0);
    entries.delete(key);
  };
  return {
    find(key: string) {
      if (key.length > longestKey) return undefined;
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    store(key: string, kept: CacheEntry) {
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
