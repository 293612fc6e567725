/** A mutant that no test can or should notice, and why. */
export interface Explained {
  readonly file: string;
  /** The whole line that it begins on, without indentation; any line when absent. */
  readonly line?: string;
  /** The code that is replaced, as it stands in the file. */
  readonly code: string;
  /** What replaces it; any mutant of that code when absent. */
  readonly becomes?: string;
  readonly why: string;
}

const directory = 'src/bot/people/directory.ts';
const mentions = 'src/bot/people/mentions.ts';
const unicodeText = '"Stryker was here!"';

/** Survivors that are no gap in the tests. */
export const explained: readonly Explained[] = [
  {
    file: directory,
    code: "''",
    becomes: unicodeText,
    why: 'The text stands for a value that is absent, and any text that is no id, and no refusal does the same.',
  },
  { file: directory, code: '[]', why: 'Any list without the workspace’s own id means the same.' },
  { file: mentions, code: '[]', why: 'The words that were cut are only searched for “me”.' },
  { file: mentions, code: "word !== ''", becomes: 'true', why: 'No word that is cut off is empty.' },
  { file: mentions, code: "''", becomes: unicodeText, why: 'No word that is cut off is empty, and none is this text.' },
  {
    file: mentions,
    code: 'end < 0',
    becomes: 'end <= 0',
    why: 'The text begins with a word, so the space is never first.',
  },
  {
    file: mentions,
    code: 'start > 0',
    becomes: 'start >= 0',
    why: 'A text of one word was looked at from its beginning before.',
  },
  ...['row > 1 && column > 1', 'row > 1', 'column > 1'].map(code => ({
    file: 'src/bot/text/distance.ts',
    line: 'const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];',
    code,
    why: 'Before a word’s beginning there is no letter, and no letter equals that.',
  })),
  {
    file: 'src/bot/text/distance.ts',
    line: 'let beforePrevious: number[] = [];',
    code: '[]',
    why: 'It is read from the second row on, and written after the first.',
  },
];
