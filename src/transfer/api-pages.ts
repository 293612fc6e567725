import type { Cursor } from '../contract/fields.ts';

/** Everything that a paged call lists (docs/incident-api.md, Paging rule). Ends when a cursor comes a second time. */
export async function* everyPage<T>(
  read: (cursor: Cursor) => Promise<{ readonly found: readonly T[]; readonly cursor: Cursor }>,
): AsyncGenerator<T, void, undefined> {
  const seen = new Set<string>();
  let cursor: Cursor = { nextValue: '', hasMore: false };
  do {
    const page = await read(cursor);
    yield* page.found;
    ({ cursor } = page);
    if (seen.has(cursor.nextValue)) return;
    seen.add(cursor.nextValue);
  } while (cursor.hasMore && cursor.nextValue !== '');
}

/** How many are listed at a time: what callers of the real system use (docs/api-rules.md A7). */
export const pageSize = 100;
