import { parse } from 'yaml';

/** The names in a head such as `'name | count'`. */
type Names<Head extends string> = Head extends `${infer Name} | ${infer Rest}` ? Name | Names<Rest> : Head;

/** A row of a text table: each cell is the text under its name, `""` when nothing stands there. */
export type Row<Head extends string> = Readonly<Record<Names<Head>, string>>;

/**
 * Reads a table that is written as text, a row on a line and ` | ` between cells. Spaces around a cell and empty lines say nothing; `\n` within
 * a cell is a new line, but in a value ({@link readValue}). Throws when a row has more cells than the head has names.
 */
export function readTable<const Head extends string>(head: Head, text: string): readonly Row<Head>[] {
  const names = head.split(' | ');
  const lines = text.split('\n').filter(line => line.trim() !== '');
  return lines.map(line => {
    const cells = `${line} `.split(/(?<= )\|(?= )/).map(toCell);
    if (cells.length > names.length) throw new Error(`More cells than ${head}: ${line}`);
    return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])) as Row<Head>;
  });
}

function toCell(text: string): string {
  const cell = text.trim();
  return cell.startsWith('{') ? cell : cell.replaceAll('\\n', '\n');
}

/**
 * The value in a cell that is written as YAML's short form, such as `{title: Checkout is down, isDrill: true}`; an empty cell is `{}`, and
 * `x×501` in it is a text of 501 letters.
 */
export function readValue(cell: string) {
  const whole = cell.replaceAll(/(\S)×(\d+)/g, (_, letter: string, count: string) => letter.repeat(Number(count)));
  return whole === '' ? {} : parse(whole);
}

/** Reads a list that is written as text, with ` | ` or the end of a line after each item. */
export const readList = (text: string): string[] => text.split(/ \| |\n/).flatMap(item => item.trim() || []);
