import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { nearLines } from '../../../support/near-words.ts';
import { encodePeople, toAct } from '../../../support/peer-commands.ts';
import { readList } from '../../../support/table.ts';

const verbs = allVerbs(features);

function parse(line: string) {
  const [root = '', rest = ''] = line.split(/ (.*)/s);
  return parseCommand(verbs, {
    root: root === '@Muster' ? 'mention' : root,
    commandRoot: 'muster',
    channelPrefix: 'inc-',
    text: encodePeople(rest),
  });
}

test('the table has at least 30 lines, each once', () => {
  expect(new Set(nearLines.map(([line]) => line)).size).toBe(nearLines.length);
  expect(nearLines.length).toBeGreaterThanOrEqual(30);
});

test.each(nearLines.map(([line, act]) => ({ line, act })))('$line → $act', ({ line, act }) => {
  expect(toAct(parse(line))).toBe(act);
});

/** Verbs that other bots have behind a noun. */
const theirs = [
  ...['add', 'new', 'create', 'make', 'write', 'post', 'send', 'publish', 'log', 'record', 'set', 'put', 'edit'],
  ...['change', 'modify', 'update', 'rename', 'delete', 'remove', 'drop', 'list', 'show', 'view', 'ls', 'close'],
  ...['assign', 'unassign'],
];
/** What has words that people outside the command read, by its name in other bots; `note` alone takes free text. */
const nouns = ['update', 'updates', 'notes', 'title', 'titles', 'label', 'labels'];
const tails = fc
  .array(fc.constantFrom('we', 'roll', 'back', 'the', 'pool', 'is', 'full', '1', '@bob', 'major', 'release'), {
    minLength: 1,
    maxLength: 6,
  })
  .map(each => each.join(' '));

test('1,000 lines: another bot’s verb behind a noun is a verb or is asked, and never among the words that others read', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...nouns),
      fc.constantFrom(...theirs),
      tails,
      fc.constantFrom('/incident', '/muster', '@Muster'),
      fc.boolean(),
      (noun, verb, tail, root, isLoud) => {
        const line = `${root} ${noun} ${isLoud ? verb.toUpperCase() : verb} ${tail}`;
        const parsed = parse(line);
        if (parsed.kind === 'unknown') expect(parsed.readings.length, line).toBeGreaterThan(0);
        if (parsed.kind !== 'verb') return;
        const isRead = verbs.some(each => each.noun === parsed.noun && each.verb === parsed.verb && each.reads);
        const isOwn = parsed.verb === 'label' && ['add', 'remove'].includes(verb);
        if (!isRead && !isOwn) expect(parsed.args.text.toLowerCase(), line).not.toMatch(new RegExp(`^${verb}\\b`));
      },
    ),
    { numRuns: 1000 },
  );
});

test('1,000 lines: whatever is asked, one answer says every word that was typed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...nouns), fc.constantFrom(...theirs), tails, (noun, verb, tail) => {
      const line = `/incident ${noun} ${verb} ${tail}`;
      const parsed = parse(line);
      if (parsed.kind !== 'unknown') return;
      const whole = parsed.readings.some(as => {
        const read = parseCommand(verbs, {
          root: 'incident',
          commandRoot: 'muster',
          text: encodePeople(line.slice(10)),
          as,
        });
        return read.kind === 'verb' && read.args.raw.includes(verb) && read.args.raw.length >= tail.length;
      });
      expect(whole, line).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('1,000 lists of tasks: words that filter, in any order and number, list and change nothing', () => {
  const filters = readList(`
    all | open | done | closed | mine | my | me | unassigned | @bob | of @bob | assigned to @bob
  `);
  fc.assert(
    fc.property(
      fc.constantFrom('/incident tasks', '/task list', '/muster tasks', '@Muster tasks', '/incident todos'),
      fc.array(fc.constantFrom(...filters), { minLength: 1, maxLength: 4 }),
      (root, words) => {
        const line = `${root} ${words.join(' ')}`;
        expect(toAct(parse(line)), line).toBe(`task list: ${words.join(' ')}`);
      },
    ),
    { numRuns: 1000 },
  );
});

test('sentences that begin with no such word are said at once', () => {
  for (const [line, act] of [
    ['/incident update added two nodes', 'incident update: added two nodes'],
    ['/incident update addresses are back', 'incident update: addresses are back'],
    ['/incident update "add" fails again', 'incident update: "add" fails again'],
    ['/incident title Checkout is down', 'incident title: Checkout is down'],
    ['/note write fails on db-3', 'note add: write fails on db-3'],
    ['/note record traffic', 'note add: record traffic'],
    ['/incident label checkout', 'incident label: checkout'],
  ] as const)
    expect(toAct(parse(line)), line).toBe(act);
});
