/** One page of a list, counted from 0. A page beyond the last gives the last. */
export function pageOf<T>(
  items: readonly T[],
  page: number,
  size: number,
): { readonly items: readonly T[]; readonly page: number; readonly pages: number } {
  const pages = Math.max(1, Math.ceil(items.length / size));
  const at = Math.min(Math.max(page, 0), pages - 1);
  return { items: items.slice(at * size, (at + 1) * size), page: at, pages };
}
