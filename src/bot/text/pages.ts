/** Entries on one page at most: each takes two of the 50 blocks of a message (docs/slack.md 5), and a phone must show it. */
const mostOnPage = 12;
/**
 * Characters of JSON that the entries of one page may have. Slack refuses a message of much more than 13,000
 * (`msg_blocks_too_long`); the notice takes up to 1,200 of them, and the rest of the message up to 1,000.
 */
const maxRows = 9600;

/** Where each page begins, by the sizes of the rows; the first page is there even when it is empty. */
export function toPages(sizes: readonly number[]): readonly number[] {
  const starts = [0];
  let [size, count] = [0, 0];
  for (const [index, each] of sizes.entries()) {
    if (count > 0 && (count === mostOnPage || size + each > maxRows)) {
      starts.push(index);
      [size, count] = [0, 0];
    }
    size += each;
    count += 1;
  }
  return starts;
}
