/** From how many characters or lines on a text is folded. */
const foldFrom = { characters: 1200, lines: 16 };

/** Whether a text is so long that Slack's client folds it. */
export function isLong(words: string): boolean {
  return words.length > foldFrom.characters || words.split('\n').length > foldFrom.lines;
}
