import type {
  AlertBlock,
  DataTableBlock,
  KnownBlock,
  RawNumberElement,
  RawTextElement,
  RichTextBlock,
} from '@slack/types';
import { slackLimits } from '../slack/limits.ts';
import { context, section, type Words } from './blocks.ts';
import { signs } from './signs.ts';
import { cap, toOneLine } from './words.ts';

/**
 * A block that a workspace may not know yet, with the blocks that say the same where Slack refuses it. Both travel together up to the
 * wire, which sends one of the two (`bot/slack/newer-blocks.ts`, docs/slack.md 12).
 */
type NewerBlock = (AlertBlock | DataTableBlock) & { readonly classic: readonly KnownBlock[] };

/** Whether a block may be refused. */
export function isNewer(block: KnownBlock): block is NewerBlock {
  return 'classic' in block;
}

/** The signs of the levels in the classic layout. */
const levelSigns = { info: signs.info, warning: signs.warning, error: signs.fails } as const;

/** A notice in a form, in Muster's own mrkdwn. A long one is classic everywhere. Slack refuses alerts in messages. */
export function alert(level: keyof typeof levelSigns, mrkdwn: string): KnownBlock {
  const classic = section(`${levelSigns[level]} ${mrkdwn}`);
  if (mrkdwn.length > slackLimits.alertText) return classic;
  const newer: NewerBlock = { type: 'alert', level, text: { type: 'mrkdwn', text: mrkdwn }, classic: [classic] };
  return newer;
}

/** A cell: plain text; a number with the text that shows it, by which its column is sorted; or a channel. */
export type Cell = string | { readonly value: number; readonly text: string } | { readonly channel: string };

/** A row of a table, and the same as a line of mrkdwn for the classic layout. */
export interface Row {
  readonly cells: readonly Cell[];
  readonly line: string;
}

/** Characters that the cells of a table have together ; a little below. */
const maxTableText = slackLimits.tableText - 500;
/** Most characters of a cell. */
const maxCell = 300;
/** Lines and characters of a section of the classic layout. */
const sectionSize = { lines: 10, characters: 2500 };

/** A table as it is posted, and how many of its rows have room in it. */
interface FittedTable {
  readonly block: NewerBlock;
  readonly shown: number;
}

/**
 * A table of as many rows as both layouts hold, from the first on; at least one. The first column names the row. `caption` is what a
 * screen reader says of it (plain text).
 */
export function dataTable(
  caption: string,
  columns: readonly string[],
  [first, ...others]: readonly [Row, ...Row[]],
): FittedTable {
  const header = columns.map(toText);
  const rows = [toCells(first)];
  const lines = [first.line];
  let newer = sizeOf(header) + sizeOf(rows[0]);
  let text = textOf(header) + textOf(rows[0] ?? []);
  let classic = sizeOf(first.line);
  for (const { cells, line } of others) {
    const row = toCells({ cells });
    newer += sizeOf(row);
    text += textOf(row);
    classic += sizeOf(line);
    const fits =
      newer <= slackLimits.messageJson &&
      classic <= slackLimits.messageJson &&
      text <= maxTableText &&
      rows.length < slackLimits.tableRows - 1;
    if (!fits) break;
    rows.push(row);
    lines.push(line);
  }
  const block: NewerBlock = {
    type: 'data_table',
    caption: cap(toOneLine(caption), maxCell),
    rows: [header, ...rows],
    page_size: 10,
    row_header_column_index: 0,
    classic: toSections(lines),
  };
  return { block, shown: rows.length };
}

/** A table as a message, under its title; `command` shows those of its `total` rows that have no room in it (mrkdwn, all of it). */
export function tableWords(
  { block, shown }: FittedTable,
  about: { readonly title: string; readonly notice: string; readonly total: number; readonly command: string },
): Words {
  const left = about.total - shown;
  return {
    text: about.title,
    blocks: [
      ...(about.notice ? [section(about.notice)] : []),
      section(about.title),
      block,
      ...(left > 0 ? [context(`And ${left} more: ${about.command} shows them.`)] : []),
    ],
  };
}

/** Characters of JSON, with a share of what stands around it. */
function sizeOf(part: unknown): number {
  return JSON.stringify(part).length + 20;
}

type TableCell = RawTextElement | RawNumberElement | RichTextBlock;

function textOf(cells: readonly TableCell[]): number {
  return cells.reduce((sum, cell) => sum + (cell.type === 'rich_text' ? 0 : cell.text.length), 0);
}

function toCells({ cells }: Pick<Row, 'cells'>): TableCell[] {
  return cells.map((cell): TableCell => {
    if (typeof cell === 'string') return toText(cell);
    if ('value' in cell) return { type: 'raw_number', value: cell.value, text: cap(toOneLine(cell.text), maxCell) };
    const channel = { type: 'channel' as const, channel_id: cell.channel };
    return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [channel] }] };
  });
}

/** Slack takes no empty cell. */
function toText(text: string): RawTextElement {
  return { type: 'raw_text', text: cap(toOneLine(text), maxCell) || '–' };
}

/** Lines as few sections, so that a phone shows many of them. */
function toSections(lines: readonly string[]): readonly KnownBlock[] {
  const groups: string[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    const length = last?.join('\n').length ?? 0;
    const isFull = !last || last.length === sectionSize.lines || length + line.length > sectionSize.characters;
    if (isFull) groups.push([line]);
    else last.push(line);
  }
  return groups.map(group => section(group.join('\n')));
}
