import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { imports, sources } from '../../support/imports.ts';

/* Whoever writes to Slack does so through one of three doors, so that pace, marks and sight have one place each. */

/** The file that calls Slack's methods of messages. */
const wire = 'src/bot/slack/post-once.ts';
/** What passes each door. */
const doors = {
  'src/bot/incident/lines/sender.ts': 'the lines of the outbox',
  'src/bot/incident/board/messages.ts': 'card, announcement and what comes next',
  'src/bot/slack/answer.ts': 'what a person reads because they asked, or because it is about them',
} as const;

const bot = sources.filter(path => path.startsWith('src/bot/'));
const textOf = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('messages are posted, edited and deleted in one file, and direct messages sent in another', () => {
  const callers = bot.filter(path => /\.chat\s*\.(postMessage|update|delete)\(/.test(textOf(path)));
  expect(callers.toSorted()).toEqual(['src/bot/slack/answer.ts', wire]);
});

test('that file is used by the three doors alone', () => {
  const writers = imports
    .filter(each => each.to === wire)
    .filter(each => /\b(postOnce|sendOnce|editPost|withdrawPost)\b/.test(textOf(each.from)))
    .map(each => each.from);
  expect([...new Set(writers)].toSorted()).toEqual(Object.keys(doors).toSorted());
});

test('only the board has lines said', () => {
  const sayers = imports.filter(each => each.to === 'src/bot/incident/lines/sender.ts').map(each => each.from);
  expect(sayers.map(path => path.replace('src/bot/incident/board/', '')).toSorted()).toEqual([
    'group-messages.ts',
    'next-steps/next-steps.ts',
    'round.ts',
  ]);
});
