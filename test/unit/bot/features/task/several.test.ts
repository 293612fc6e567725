import { expect, test } from 'vitest';
import { splitTasks } from '../../../../../src/bot/features/task/add.ts';

test.each([
  ['one line', 'call the vendor', ['call the vendor']],
  ['plain lines', 'call the vendor\n\nrestart it ', ['call the vendor', 'restart it']],
  ['a list', '- call the vendor\n2) restart it\n[ ] look', ['call the vendor', 'restart it', 'look']],
  ['a line before a list', 'call the vendor\n- restart it', ['call the vendor', 'restart it']],
  [
    'a line that goes on with the one above',
    '- call the vendor\nby phone\n- look',
    ['call the vendor by phone', 'look'],
  ],
  ['a heading above a list', 'for the vendor:\n- call\n- write', ['for the vendor: call', 'for the vendor: write']],
  ['a heading in a list', '- look\nfor the vendor:\n- call', ['look', 'for the vendor: call']],
  ['an indent without signs', 'call the vendor\n  by phone', ['call the vendor\n  by phone']],
  ['cited lines', '> it is down\ncall', ['> it is down\ncall']],
])('a text is split into tasks: %s', (_, text, tasks) => {
  expect(splitTasks(text)).toEqual(tasks);
});
