import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { BlockRule, Issues } from './issues.ts';
import { checkText } from './text.ts';

const stepStates = ['pending', 'in_progress', 'complete', 'error'];

/** The rules of blocks that came later (docs/slack.md 12). Other apps send them; Muster sends none. */
export const newerRules: Readonly<Record<string, BlockRule>> = {
  alert: {
    members: ['text', 'level'],
    surfaces: ['modal'],
    check(issues, block, pointer) {
      checkText(issues, block, 'text', pointer, { max: 200, kind: 'any', required: true });
      issues.checkWord(block, 'level', ['default', 'info', 'warning', 'error', 'success'], pointer);
    },
  },
  plan: {
    members: ['title', 'tasks'],
    surfaces: ['message'],
    check(issues, block, pointer) {
      issues.checkString(block, 'title', pointer, { max: 2000, min: 1, required: true });
      const { tasks } = block;
      if (!Array.isArray(tasks)) return issues.add(`${pointer}/tasks`, 'must be an array of task cards');
      for (const [index, task] of tasks.entries()) checkStep(issues, task, `${pointer}/tasks/${index}`);
    },
  },
  task_card: {
    members: ['task_id', 'title', 'status', 'details', 'output', 'sources'],
    surfaces: ['message'],
    check: checkStep,
  },
  data_table: {
    members: ['rows', 'caption', 'page_size', 'row_header_column_index'],
    surfaces: ['message'],
    check(issues, block, pointer) {
      issues.checkString(block, 'caption', pointer, { max: 2000, min: 1, required: true });
      const { page_size: size, row_header_column_index: column } = block;
      checkTable(issues, block, pointer);
      checkInteger(issues, size, `${pointer}/page_size`, [1, 100]);
      checkInteger(issues, column, `${pointer}/row_header_column_index`, [0, 19]);
    },
  },
};

/** Checks a step of a plan. */
function checkStep(issues: Issues, step: unknown, pointer: string): void {
  if (!isJsonObject(step)) {
    issues.add(pointer, 'must be a task card');
    return;
  }
  issues.checkString(step, 'task_id', pointer, { max: 255, min: 1, required: true });
  issues.checkString(step, 'title', pointer, { max: 2000, min: 1, required: true });
  issues.checkWord(step, 'status', stepStates, pointer);
}

function checkInteger(issues: Issues, value: unknown, pointer: string, [min, max]: readonly [number, number]): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max) {
    issues.add(pointer, `must be between ${min} and ${max}`);
  }
}

/** Rows that a table may have, its header among them, and cells that a row may have. */
const [fewestRows, mostRows] = [2, 101];
const mostCells = 20;

/** Checks the rows of a data table. Every row is as long as the header, whose cells are no rich text. */
function checkTable(issues: Issues, block: JsonObject, pointer: string): void {
  const rows: unknown = block.rows;
  if (!Array.isArray(rows) || rows.length < fewestRows || rows.length > mostRows) {
    issues.add(`${pointer}/rows`, `must be an array of ${fewestRows} to ${mostRows} rows`);
    return;
  }
  const [first] = rows;
  rows.forEach((row: unknown, index) => {
    const at = `${pointer}/rows/${index}`;
    if (!Array.isArray(row) || row.length > mostCells) {
      issues.add(at, `must be an array of at most ${mostCells} cells`);
      return;
    }
    if (Array.isArray(first) && row.length !== first.length) issues.add(at, 'must have as many cells as the header');
    row.forEach((cell: unknown, column) => {
      checkCell(issues, cell, `${at}/${column}`, index === 0);
    });
  });
}

function checkCell(issues: Issues, cell: unknown, pointer: string, isHeader: boolean): void {
  const kinds = isHeader ? ['raw_text', 'raw_number'] : ['raw_text', 'raw_number', 'rich_text'];
  if (!isJsonObject(cell) || typeof cell.type !== 'string' || !kinds.includes(cell.type)) {
    issues.add(`${pointer}/type`, `must be one of: ${kinds.join(', ')}`);
    return;
  }
  if (cell.type !== 'rich_text') issues.checkString(cell, 'text', pointer, { max: 10_000, min: 1, required: true });
  if (cell.type === 'raw_number' && typeof cell.value !== 'number') {
    issues.add(`${pointer}/value`, 'must provide a number');
  }
}
