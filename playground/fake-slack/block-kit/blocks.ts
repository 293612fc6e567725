import { isJsonObject, type JsonObject, toObjects, toText } from '../protocol/json.ts';
import { checkContextElement, checkElement } from './elements.ts';
import { type BlockRule, Issues, type Surface } from './issues.ts';
import { newerRules } from './newer-blocks.ts';
import { checkText, checkTextObject } from './text.ts';

/** Lists what Slack would find wrong with the blocks of a message or view (docs/slack.md 5). Empty: Slack takes them. */
export function checkBlocks(holder: JsonObject, pointer: string, surface: Surface): string[] {
  const issues = new Issues();
  const limits = { max: surface === 'message' ? 50 : 100, min: 0, required: surface !== 'message' };
  const seen = new Set<string>();
  for (const [block, at] of issues.checkList(holder, 'blocks', pointer, limits)) {
    checkBlock(issues, block, at, surface);
    if (typeof block.block_id !== 'string') continue;
    if (seen.has(block.block_id)) issues.add(`${at}/block_id`, `\`block_id\` "${block.block_id}" already exists`);
    seen.add(block.block_id);
  }
  const tables = toObjects(holder.blocks).filter(block => block.type === 'data_table');
  if (sum(tables.map(table => textLength(table.rows))) > tableTextLimit) {
    issues.add(`${pointer}/blocks`, `tables must have at most ${tableTextLimit} characters together`);
  }
  return issues.list;
}

/** Characters of all tables of a message together (docs/slack.md 5). */
const tableTextLimit = 10_000;

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

function checkBlock(issues: Issues, block: JsonObject, pointer: string, surface: Surface): void {
  const type = toText(block.type);
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined || (rule.surfaces !== undefined && !rule.surfaces.includes(surface))) {
    issues.add(`${pointer}/type`, `unsupported type: ${type}`);
    return;
  }
  issues.checkMembers(block, ['type', 'block_id', ...rule.members], pointer);
  issues.checkString(block, 'block_id', pointer, { max: 255, min: 1 });
  rule.check(issues, block, pointer);
}

const rules: Readonly<Record<string, BlockRule>> = {
  ...newerRules,
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
