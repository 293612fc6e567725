/** How deep free-form JSON of a request may nest. JSON.parse reads more levels than JSON.stringify can write. */
export const maxNesting = 100;

/** Whether a JSON value nests deeper than `most` levels; it looks no deeper than that. */
export function nestsDeeper(value: unknown, most = maxNesting): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (most === 0) return true;
  return Object.values(value).some(each => nestsDeeper(each, most - 1));
}
