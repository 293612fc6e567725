import { isJsonObject, type JsonObject, toObjects, toText } from '../protocol/json.ts';
import type { BlockRule, CheckChild, Surface } from './block-rule.ts';
import { checkContextElement, checkElement } from './elements.ts';
import { Issues } from './issues.ts';
import { withNested } from './nested.ts';
import { newerRules } from './newer-blocks.ts';
import { checkText, checkTextObject } from './text.ts';

/** Where blocks are to be shown, and whether the workspace knows the newer ones (docs/slack.md 12). */
export interface Place {
  readonly surface: Surface;
  readonly takesNewBlocks: boolean;
}

/** Lists what Slack would find wrong with the blocks of a message or view (docs/slack.md 5). Empty: Slack takes them. */
export function checkBlocks(holder: JsonObject, pointer: string, place: Place): string[] {
  const issues = new Issues();
  const { surface } = place;
  const limits = { max: surface === 'message' ? 50 : 100, min: 0, required: surface !== 'message' };
  const seen = new Set<string>();
  const check = (block: JsonObject, at: string): void => {
    checkBlock(issues, block, at, place, check);
    if (typeof block.block_id !== 'string') return;
    if (seen.has(block.block_id)) issues.add(`${at}/block_id`, `\`block_id\` "${block.block_id}" already exists`);
    seen.add(block.block_id);
  };
  for (const [block, at] of issues.checkList(holder, 'blocks', pointer, limits)) {
    if (block.type === 'file') issues.add(`${at}/type`, 'unsupported type: file');
    else check(block, at);
  }
  checkTotals(issues, holder, pointer);
  return issues.list;
}

/** Limits across the blocks of a message (docs/slack.md 5): characters of markdown, characters of tables, number of tables. */
const markdownLimit = 12_000;
const tableTextLimit = 10_000;
const tableCountLimit = 1;
const chartCountLimit = 2;

/** Checks the limits that count across blocks. */
function checkTotals(issues: Issues, holder: JsonObject, pointer: string): void {
  const blocks = withNested(toObjects(holder.blocks));
  const markdown = blocks.filter(block => block.type === 'markdown').map(block => toText(block.text).length);
  const tables = blocks.filter(block => block.type === 'table');
  const charts = blocks.filter(block => block.type === 'data_visualization');
  const tableText = blocks
    .filter(block => block.type === 'table' || block.type === 'data_table')
    .map(block => textLength(block.rows));
  if (markdown.length > 1 && sum(markdown) > markdownLimit) {
    issues.add(`${pointer}/blocks`, `markdown blocks must have at most ${markdownLimit} characters together`);
  }
  if (tables.length > tableCountLimit) issues.add(`${pointer}/blocks`, 'only one table is allowed');
  if (charts.length > chartCountLimit)
    issues.add(`${pointer}/blocks`, `no more than ${chartCountLimit} charts allowed`);
  if (sum(tableText) > tableTextLimit) {
    issues.add(`${pointer}/blocks`, `tables must have at most ${tableTextLimit} characters together`);
  }
}

/** Characters of every `text` string inside a value. */
function textLength(value: unknown): number {
  if (Array.isArray(value)) return sum(value.map(textLength));
  if (!isJsonObject(value)) return 0;
  return sum(
    Object.entries(value).map(([name, inner]) =>
      name === 'text' && typeof inner === 'string' ? inner.length : textLength(inner),
    ),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function checkBlock(issues: Issues, block: JsonObject, pointer: string, place: Place, checkChild: CheckChild): void {
  const type = toText(block.type);
  const known = place.takesNewBlocks ? { ...rules, ...newerRules } : rules;
  const rule = Object.hasOwn(known, type) ? known[type] : undefined;
  if (rule === undefined || (rule.surfaces !== undefined && !rule.surfaces.includes(place.surface))) {
    issues.add(`${pointer}/type`, `unsupported type: ${type}`);
    return;
  }
  issues.checkMembers(block, ['type', 'block_id', ...rule.members], pointer);
  issues.checkString(block, 'block_id', pointer, { max: 255, min: 1 });
  rule.check(issues, block, pointer, checkChild);
}

const rules: Readonly<Record<string, BlockRule>> = {
  divider: { members: [], check() {} },
  header: {
    members: ['text'],
    check: (issues, block, pointer) =>
      checkText(issues, block, 'text', pointer, { max: 150, kind: 'plain_text', required: true }),
  },
  section: { members: ['text', 'fields', 'accessory', 'expand'], check: checkSection },
  context: {
    members: ['elements'],
    check(issues, block, pointer) {
      for (const [element, at] of issues.checkList(block, 'elements', pointer, { max: 10, required: true })) {
        checkContextElement(issues, element, at);
      }
    },
  },
  actions: {
    members: ['elements'],
    check(issues, block, pointer) {
      const elements = issues.checkList(block, 'elements', pointer, { max: 25, required: true });
      const seen = new Set<string>();
      for (const [element, at] of elements) {
        checkElement(issues, element, at, 'actions');
        if (typeof element.action_id !== 'string') continue;
        if (seen.has(element.action_id)) {
          issues.add(`${at}/action_id`, `\`action_id\` "${element.action_id}" already exists`);
        }
        seen.add(element.action_id);
      }
    },
  },
  input: { members: ['label', 'element', 'hint', 'optional', 'dispatch_action'], check: checkInput },
  image: {
    members: ['image_url', 'slack_file', 'alt_text', 'title'],
    check(issues, block, pointer) {
      issues.checkString(block, 'alt_text', pointer, { max: 2000, min: 1, required: true });
      issues.checkString(block, 'image_url', pointer, { max: 3000, required: block.slack_file === undefined });
      checkText(issues, block, 'title', pointer, { max: 2000, kind: 'plain_text' });
    },
  },
  rich_text: {
    members: ['elements'],
    check(issues, block, pointer) {
      const kinds = ['rich_text_section', 'rich_text_list', 'rich_text_preformatted', 'rich_text_quote'];
      for (const [element, at] of issues.checkList(block, 'elements', pointer, { max: 1000, required: true })) {
        issues.checkWord(element, 'type', kinds, at);
        issues.checkList(element, 'elements', at, { max: 1000, min: 0, required: true });
      }
    },
  },
  markdown: {
    members: ['text'],
    surfaces: ['message'],
    check: (issues, block, pointer) =>
      issues.checkString(block, 'text', pointer, { max: 12_000, min: 1, required: true }),
  },
  file: {
    members: ['source', 'external_id'],
    surfaces: ['message'],
    check(issues, block, pointer) {
      issues.checkString(block, 'external_id', pointer, { max: 255, min: 1, required: true });
      issues.checkWord(block, 'source', ['remote'], pointer);
    },
  },
  video: {
    members: [
      'video_url',
      'thumbnail_url',
      'alt_text',
      'title',
      'title_url',
      'author_name',
      'provider_name',
      'provider_icon_url',
      'description',
    ],
    check(issues, block, pointer) {
      for (const member of ['video_url', 'thumbnail_url', 'alt_text']) {
        issues.checkString(block, member, pointer, { max: 3000, min: 1, required: true });
      }
      checkText(issues, block, 'title', pointer, { max: 200, kind: 'plain_text', required: true });
      checkText(issues, block, 'description', pointer, { max: 200, kind: 'plain_text' });
      issues.checkString(block, 'title_url', pointer, { max: 3000 });
      issues.checkString(block, 'author_name', pointer, { max: 50 });
    },
  },
};

function checkSection(issues: Issues, block: JsonObject, pointer: string): void {
  if (block.text === undefined && block.fields === undefined) issues.add(pointer, 'missing required field: text');
  checkText(issues, block, 'text', pointer, { max: 3000, kind: 'any' });
  for (const [field, at] of issues.checkList(block, 'fields', pointer, { max: 10 })) {
    checkTextObject(issues, field, at, { max: 2000, kind: 'any' });
  }
  if (isJsonObject(block.accessory)) checkElement(issues, block.accessory, `${pointer}/accessory`, 'section');
  else if (block.accessory !== undefined) issues.add(`${pointer}/accessory`, 'should be an object');
}

function checkInput(issues: Issues, block: JsonObject, pointer: string): void {
  checkText(issues, block, 'label', pointer, { max: 2000, kind: 'plain_text', required: true });
  checkText(issues, block, 'hint', pointer, { max: 2000, kind: 'plain_text' });
  if (isJsonObject(block.element)) checkElement(issues, block.element, `${pointer}/element`, 'input');
  else issues.add(pointer, 'missing required field: element');
}
