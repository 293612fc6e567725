import type { CallOptions } from './define.ts';
import type { Cursor } from './fields.ts';

/** A method that lists a page at a time (docs/incident-api.md, Paging rule). */
type PagedCall<I extends { cursor?: unknown }, O extends { cursor: Cursor }> = (
  input: I,
  options?: CallOptions,
) => Promise<O>;

/** The members of a page that are lists. */
type ListNames<O> = { [K in keyof O]-?: O[K] extends readonly unknown[] ? K : never }[keyof O];

/**
 * All pages, one call each: `for await (const page of pages(api.UsersService.QueryUsers, {}))`. Ends when the API says so, when there is no
 * cursor to go on with, or when a cursor comes a second time, which would never end.
 */
export async function* pages<I extends { cursor?: unknown }, O extends { cursor: Cursor }>(
  call: PagedCall<I, O>,
  input: Omit<I, 'cursor'>,
  options?: CallOptions,
): AsyncGenerator<O, void, undefined> {
  const seen = new Set<string>();
  let cursor: Cursor | undefined;
  for (;;) {
    const page = await call({ ...input, ...(cursor && { cursor }) } as I, options);
    yield page;
    cursor = page.cursor;
    if (!cursor.hasMore || cursor.nextValue === '' || seen.has(cursor.nextValue)) return;
    seen.add(cursor.nextValue);
  }
}

/** The items of all pages, one by one: `items(api.ActivityService.QueryActivity, 'activityItems', { query })`. */
export async function* items<I extends { cursor?: unknown }, O extends { cursor: Cursor }, K extends ListNames<O>>(
  call: PagedCall<I, O>,
  list: K,
  input: Omit<I, 'cursor'>,
  options?: CallOptions,
): AsyncGenerator<O[K] extends readonly (infer Item)[] ? Item : never, void, undefined> {
  for await (const page of pages(call, input, options)) {
    const found = page[list];
    if (Array.isArray(found)) yield* found;
  }
}
