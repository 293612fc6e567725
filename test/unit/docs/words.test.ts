import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countSentences, lintWords } from '../../docs/words-rules.ts';

const page = readFileSync(new URL('../../words.md', import.meta.url), 'utf8');

/** A list with one line, said in a room. */
const listOf = (line: string, head = '**room**, after x') => `## Chapter\n\n${head}\n\n    ${line}\n`;

test('every text of the list of words is plain, short English', () => {
  expect(lintWords(page)).toEqual([]);
});

/** A bad line, and the rule that it breaks. */
const bad: readonly (readonly [line: string, rule: string])[] = [
  ['Incident 1 ended at today 11:11 PM.', 'a preposition before a relative day'],
  ['The channel is archived on tomorrow.', 'a preposition before a relative day'],
  [':memo: @alice noted at Nov 20, 2026 1:00 PM: “x”', '“at” before a date'],
  ['I archive it at 2026-12-01.', '“at” before a date'],
  ['It began at ‹startedAt›.', '“began at”, “started at”, “ended at” a time'],
  ['There are commander, investigator, observer.', '“There are” before a list of names'],
  ['@carol is now commander, and @bob no longer.', '“and somebody no longer”'],
  ['@bob handed commander to you.', '“handed it to you”'],
  ['@bob gave commander back to you.', '“gave it back to you”'],
  ['@bob gave commander, which was yours, to @dora.', '“which was yours”'],
  ['tells everybody how it stands', '“how it stands”'],
  ['Shows how the incident of this channel stands.', '“how it stands”'],
  ['Everything happens in #inc-1.', '“everything happens in”'],
  ['“at 23:59” is no time until the next update.', '“is no time until”'],
  ['Incident 8 is no drill.', '“is no …” for “is not a …”'],
  ['@bob took it back: this was no mistake.', '“is no …” for “is not a …”'],
  ['It is over already.', '“over already”'],
  ['What do we do? (optional): []', '“What do we do?”'],
  ['What is to be done?: []', '“What is to be done?”'],
  ['Who is to do task 1?', '“What is to be done?”'],
  ['Next update: [No promise ▾]', '“No promise”'],
  ['[Here and now] [All commands]', '“Here and now”'],
  ['To join: #inc-1', '“To join” as a label'],
  ['[Start] [Done] [Nobody]', 'a button that names nobody'],
  ['I am here. Type a command.', '“I am here”'],
  ['All is added under the names of its people.', '“under the names of its people”'],
  ['Notes have their own times.', '“Notes have their own times”'],
  ['The incident API cannot be reached.', '“The incident API”'],
  ['I cannot search while the API is away.', '“The API” as a person'],
  ['Recorded times: 1 h.', '“Recorded times”'],
  ['Everybody in #incidents reads of it.', '“reads of it”'],
  ['Who is commander from now on?', '“from now on?” in a question'],
  ['No dashboard was linked lately.', '“lately” for “recently”'],
  ['somebody unknown', '“somebody unknown”'],
  ['Task 1 says so already.', '“say so already”'],
  ['Those who hold it keep it.', '“those who hold”'],
  ['Shows the tasks to you alone.', '“to you alone”'],
  ['I go on by myself.', '“by myself”'],
  ['It saves a dashboard anew.', '“anew”'],
  ['I make queued changes.', '“queued” and “sent in order”'],
  ['I do it once and in order.', '“I make … once and in order”'],
  ['One. Two. Three.', 'more than two sentences'],
  ['There is none. Did you mean it? Nothing was changed.', 'more than two sentences'],
  ['Two  spaces.', 'two spaces'],
  ['It says "no".', 'straight quotes'],
  ["I'll do it.", 'straight quotes'],
  ['Ended 4:20 PM (4:20 PM).', 'a time twice in a line'],
  ['Active since 1:00 PM (13:00 UTC)', 'UTC in a room'],
];

test.each(bad)('the list may not say: %s', (line, rule) => {
  expect(lintWords(listOf(line)).map(each => each.rule)).toContain(rule);
});

test('a card may say a moment once', () => {
  const card = 'Active since Nov 20, 2026 1:00 PM, just now\n    Incident 1 · declared Nov 20, 2026 1:00 PM by @alice';
  expect(lintWords(listOf(card))).toEqual([expect.objectContaining({ rule: 'a time twice on a card' })]);
});

test.each([
  'Incident 1 started Nov 20, 2026 1:00 PM, 5 minutes ago. It is still active: /incident resolve resolves it.',
  'There is no task “at today. How it stands. There are commander.”. Nothing was changed.',
  'What comes next: close 1 open task · set the severity · check the times (Nov 20, 2026 1:00 PM–4:20 PM)',
  'Started at: [2026-11-20 13:00 UTC]',
  '• 1:00 PM *Active* since 2026-11-20 13:00 UTC · Muster (bot) · message (https://acme.slack.com/…)',
  'You typed: /note tell  everybody "how it stands". At today. Now.',
  '⏳ Saved. I’ll set the end of incident 8 to 2026-11-20 16:00 UTC as soon as Grafana answers.',
])('the list may say: %s', line => {
  expect(lintWords(listOf(line))).toEqual([]);
});

test('help, the doctor and the record may explain at length', () => {
  const long = 'One. Two. Three. Four.';
  for (const head of [
    '**one person**, after /task add help',
    '**one person**, after /muster doctor',
    '### `src/bot/doctor/api.ts`',
  ])
    expect(lintWords(listOf(long, head))).toEqual([]);
});

test.each([
  ['One.', 1],
  ['One. Two', 2],
  ['Version 1.2 of https://example.com/a.b. Two', 2],
  ['It said “No. Never. Not.”.', 1],
  ['Which one? This. Or that!', 3],
] as const)('%s has %i sentences', (text, count) => {
  expect(countSentences(text)).toBe(count);
});
