/** What a browser keeps: for one tab until it is closed, or for all pages for good. */
type Keeper = 'sessionStorage' | 'localStorage';

/** Reads what the browser keeps under a key. A browser may be told to keep nothing; then there is nothing. */
export function readKept(keeper: Keeper, key: string): string | undefined {
  try {
    return globalThis[keeper].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a text under a key, where the browser keeps anything. The empty text takes the key away. */
export function keep(keeper: Keeper, key: string, text: string): void {
  try {
    if (text === '') globalThis[keeper].removeItem(key);
    else globalThis[keeper].setItem(key, text);
  } catch {
    // The page goes on with what it has in memory.
  }
}
