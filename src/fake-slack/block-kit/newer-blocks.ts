import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { BlockRule } from './block-rule.ts';
import { checkElement } from './elements.ts';
import type { Issues } from './issues.ts';
import { checkTable } from './table-checks.ts';
import { checkText } from './text.ts';

/** What a container may hold (docs/slack.md 12). */
const inContainers: readonly unknown[] = [
  'actions',
  'context',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'rich_text',
  'section',
  'table',
  'video',
];

/** The rules of blocks that a workspace may not know yet (docs/slack.md 12). */
export const newerRules: Readonly<Record<string, BlockRule>> = {
  alert: {
    members: ['text', 'level'],
    surfaces: ['modal'],
    check(issues, block, pointer) {
      checkText(issues, block, 'text', pointer, { max: 200, kind: 'any', required: true });
      issues.checkWord(block, 'level', ['default', 'info', 'warning', 'error', 'success'], pointer);
    },
  },
  card: {
    members: ['hero_image', 'icon', 'title', 'subtitle', 'body', 'actions'],
    check: checkCard,
  },
  carousel: {
    members: ['elements'],
    surfaces: ['message', 'home'],
    check(issues, block, pointer, checkChild) {
      for (const [card, at] of issues.checkList(block, 'elements', pointer, { max: 10, required: true })) {
        if (card.type === 'card') checkChild(card, at);
        else issues.add(`${at}/type`, 'must be one of: card');
      }
    },
  },
  container: {
    members: [
      'title',
      'rich_text_title',
      'subtitle',
      'child_blocks',
      'width',
      'icon',
      'is_collapsible',
      'default_collapsed',
      'has_header_divider',
    ],
    surfaces: ['message'],
    check(issues, block, pointer, checkChild) {
      if (block.title === undefined && block.rich_text_title === undefined) {
        issues.add(pointer, 'missing required field: title');
      }
      checkText(issues, block, 'title', pointer, { max: 150, kind: 'plain_text' });
      checkText(issues, block, 'subtitle', pointer, { max: 150, kind: 'any' });
      checkImage(issues, block, 'icon', pointer);
      issues.checkWord(block, 'width', ['narrow', 'standard', 'wide', 'full'], pointer);
      for (const [child, at] of issues.checkList(block, 'child_blocks', pointer, { max: 10, required: true })) {
        if (inContainers.includes(child.type)) checkChild(child, at);
        else issues.add(`${at}/type`, `unsupported type: ${String(child.type)}`);
      }
    },
  },
  context_actions: {
    members: ['elements'],
    surfaces: ['message'],
    check(issues, block, pointer) {
      for (const [element, at] of issues.checkList(block, 'elements', pointer, { max: 5, required: true })) {
        checkElement(issues, element, at, 'context_actions');
      }
    },
  },
  table: {
    members: ['rows', 'column_settings'],
    surfaces: ['message'],
    check: (issues, block, pointer) => checkTable(issues, block, pointer, { rows: [1, 100], hasHeader: false }),
  },
  data_table: {
    members: ['rows', 'caption', 'page_size', 'row_header_column_index'],
    surfaces: ['message'],
    check(issues, block, pointer) {
      issues.checkString(block, 'caption', pointer, { max: 2000, min: 1, required: true });
      const { page_size: size, row_header_column_index: column } = block;
      checkTable(issues, block, pointer, { rows: [2, 101], hasHeader: true });
      checkInteger(issues, size, `${pointer}/page_size`, [1, 100]);
      checkInteger(issues, column, `${pointer}/row_header_column_index`, [0, 19]);
    },
  },
  data_visualization: {
    members: ['title', 'chart'],
    surfaces: ['message'],
    check(issues, block, pointer) {
      issues.checkString(block, 'title', pointer, { max: 50, min: 1, required: true });
      if (isJsonObject(block.chart)) checkChart(issues, block.chart, `${pointer}/chart`);
      else issues.add(pointer, 'missing required field: chart');
    },
  },
  plan: {
    members: ['title', 'tasks'],
    surfaces: ['message'],
    check(issues, block, pointer, checkChild) {
      issues.checkString(block, 'title', pointer, { max: 3000, min: 1, required: true });
      for (const [task, at] of issues.checkList(block, 'tasks', pointer, { max: 100, min: 0 })) {
        if (task.type === 'task_card') checkChild(task, at);
        else issues.add(`${at}/type`, 'must be one of: task_card');
      }
    },
  },
  task_card: {
    members: ['task_id', 'title', 'details', 'output', 'sources', 'status'],
    surfaces: ['message'],
    check(issues, block, pointer, checkChild) {
      issues.checkString(block, 'task_id', pointer, { max: 255, min: 1, required: true });
      issues.checkString(block, 'title', pointer, { max: 3000, min: 1, required: true });
      issues.checkString(block, 'status', pointer, { max: 20, required: true });
      issues.checkWord(block, 'status', ['pending', 'in_progress', 'complete', 'error'], pointer);
      for (const member of ['details', 'output']) {
        const text = block[member];
        if (isJsonObject(text)) checkChild(text, `${pointer}/${member}`);
      }
      for (const [source, at] of issues.checkList(block, 'sources', pointer, { max: 100, min: 0 })) {
        issues.checkString(source, 'url', at, { max: 3000, min: 1, required: true });
      }
    },
  },
};

function checkCard(issues: Issues, card: JsonObject, pointer: string): void {
  const { hero_image: hero, title, body, actions } = card;
  if ([hero, title, body, actions].every(each => each === undefined)) {
    issues.add(pointer, 'must have at least one of: hero_image, title, body, actions');
  }
  checkText(issues, card, 'title', pointer, { max: 150, kind: 'mrkdwn' });
  checkText(issues, card, 'subtitle', pointer, { max: 150, kind: 'mrkdwn' });
  checkText(issues, card, 'body', pointer, { max: 200, kind: 'mrkdwn' });
  checkImage(issues, card, 'hero_image', pointer);
  checkImage(issues, card, 'icon', pointer);
  for (const [button, at] of issues.checkList(card, 'actions', pointer, { max: 3 })) {
    if (button.type === 'button') checkElement(issues, button, at, 'actions');
    else issues.add(`${at}/type`, 'must be one of: button');
  }
}

function checkImage(issues: Issues, holder: JsonObject, member: string, pointer: string): void {
  const image = holder[member];
  if (image === undefined) return;
  if (!isJsonObject(image) || image.type !== 'image') issues.add(`${pointer}/${member}`, 'should be an image');
  else checkElement(issues, image, `${pointer}/${member}`, 'section');
}

function checkInteger(issues: Issues, value: unknown, pointer: string, [min, max]: readonly [number, number]): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max) {
    issues.add(pointer, `must be between ${min} and ${max}`);
  }
}

function checkChart(issues: Issues, chart: JsonObject, pointer: string): void {
  issues.checkWord(chart, 'type', ['pie', 'bar', 'line', 'area'], pointer);
  if (chart.type === undefined) issues.add(pointer, 'missing required field: type');
  if (chart.type === 'pie') {
    issues.checkMembers(chart, ['type', 'segments'], pointer);
    checkPoints(issues, chart, 'segments', pointer, 6);
    return;
  }
  issues.checkMembers(chart, ['type', 'series', 'axis_config'], pointer);
  if (!isJsonObject(chart.axis_config)) issues.add(pointer, 'missing required field: axis_config');
  for (const [series, at] of issues.checkList(chart, 'series', pointer, { max: 6, required: true })) {
    issues.checkString(series, 'name', at, { max: 75, min: 1, required: true });
    checkPoints(issues, series, 'data', at, 100);
  }
}

function checkPoints(issues: Issues, holder: JsonObject, member: string, pointer: string, max: number): void {
  for (const [point, at] of issues.checkList(holder, member, pointer, { max, required: true })) {
    issues.checkString(point, 'label', at, { max: 75, min: 1, required: true });
    if (typeof point.value !== 'number') issues.add(`${at}/value`, 'must provide a number');
  }
}
