import type { BlockRule } from './block-rule.ts';
import type { Issues } from './issues.ts';
import { checkTable } from './table-checks.ts';
import { checkText } from './text.ts';

/** The rules of blocks that a workspace may not know yet (docs/slack.md 12): those that Muster sends. */
export const newerRules: Readonly<Record<string, BlockRule>> = {
  alert: {
    members: ['text', 'level'],
    surfaces: ['modal'],
    check(issues, block, pointer) {
      checkText(issues, block, 'text', pointer, { max: 200, kind: 'any', required: true });
      issues.checkWord(block, 'level', ['default', 'info', 'warning', 'error', 'success'], pointer);
    },
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

function checkInteger(issues: Issues, value: unknown, pointer: string, [min, max]: readonly [number, number]): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max) {
    issues.add(pointer, `must be between ${min} and ${max}`);
  }
}
