import type { ServiceOptions } from './options.ts';

/** The most characters that a service keeps in all, and of one thing. */
const most = { all: 2_000_000, one: 500_000 } as const;

interface CacheEntry {
  readonly mark: string;
  readonly made: Promise<unknown>;
  /** In characters. */
  size: number;
}

/** Cache entries of each service, by its options, least recently used first. */
const shelves = new WeakMap<ServiceOptions, Map<string, CacheEntry>>();

/**
 * What `make` gives, made once for all who ask by the same key while its mark stays the same, however many ask at once. A new mark takes
 * the place of the old one. The entry that was asked for longest ago goes first, and what fails is not kept. `weigh` tells its size in
 * characters. Callers check before they ask that their reader may see it.
 */
export async function recall<T>(
  options: ServiceOptions,
  { key, mark }: { readonly key: string; readonly mark: string },
  make: () => Promise<T>,
  weigh: (made: T) => number,
): Promise<T> {
  const shelf = shelves.get(options) ?? new Map<string, CacheEntry>();
  shelves.set(options, shelf);
  const known = shelf.get(key);
  shelf.delete(key);
  if (known?.mark === mark) {
    shelf.set(key, known);
    return (await known.made) as T;
  }
  const made = make();
  const entry: CacheEntry = { mark, made, size: 0 };
  shelf.set(key, entry);
  const isKept = await made.then(
    it => {
      entry.size = key.length + weigh(it);
      return entry.size <= most.one;
    },
    () => false,
  );
  if (!isKept && shelf.get(key) === entry) shelf.delete(key);
  let room: number = most.all;
  for (const [other, { size }] of [...shelf].reverse()) {
    room -= size;
    if (room < 0) shelf.delete(other);
  }
  return await made;
}
