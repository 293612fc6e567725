import { check } from 'recheck';
import { expect, inject, test } from 'vitest';
import { read } from '../support/docs/files.ts';
import {
  changedSince,
  type Expression,
  expressionsIn,
  madeExpressions,
  makesExpressions,
} from '../support/expressions/expressions.ts';
import { expectSteadyGrowth } from '../support/growth.ts';
import { sources } from '../support/imports.ts';

/*
 * No text from outside meets a regular expression that takes more than linear time (docs/architecture.md, Tests). `recheck` looks at each expression that
 * changed since the last landing, and `npm run test:long` at all of them. The service and the bot answer on one thread: while an expression is
 * at work, nobody is answered.
 */

/** An expression that recheck does not take for linear, and why it does no harm. */
interface Exception {
  /** The file that has it, and how it begins. */
  readonly path: string;
  readonly begins: string;
  /** Most characters of its input; undefined where the number of characters that it looks at from one place is bounded. */
  readonly cap?: number;
  readonly reason: string;
  /** The worst input of about a length that is known. */
  readonly worst: (length: number) => string;
}

const repeat = (text: string, length: number) => text.repeat(Math.ceil(length / text.length));

const exceptions: readonly Exception[] = [
  {
    path: 'src/contract/note-forms.ts',
    begins: '^— (?:since',
    cap: 2000,
    reason: 'longestFoot; names may hold the words that stand between names',
    worst: length => `—  in Slack, added by ${repeat(', edited by b', length)}:`,
  },
  {
    path: 'src/bot/incident/notes/notes.ts',
    begins: '^(.*?)(, edited by',
    cap: 2000,
    reason: 'it reads a foot that splitNoteBody gave, so longestFoot holds',
    worst: length => `${repeat(', edited by ', length)}:\n`,
  },
  {
    path: 'src/bot/incident/notes/timeline-words.ts',
    begins: ', edited by ',
    cap: 2000,
    reason: 'it reads a foot that splitNoteBody gave, so longestFoot holds',
    worst: length => `d${repeat(', edited by ', length)}:`,
  },
  {
    path: 'src/bot/text/time-words.ts',
    begins: '^((?:(?:about',
    cap: 80,
    reason: 'readTimeWords reads at most `longest` characters, and `plain` makes one space of several',
    worst: length => `-${repeat(' ', length / 2)}C${repeat(' ', length / 2)}\n`,
  },
  {
    path: 'src/bot/grammar/words.ts',
    begins: '(?:(?:^|(?:[\\s',
    cap: 60,
    reason: 'withoutPolite looks at mostPolite characters',
    worst: length => `w${repeat('-!', length)}y`,
  },
  {
    path: 'src/bot/grammar/phrasebook.ts',
    begins: '(?:,? (?:please',
    cap: 120,
    reason: 'answerOf reads no longer line',
    worst: length => `${repeat(' all,', length)}m yet`,
  },
  {
    path: 'src/bot/features/task/feature.ts',
    begins: '(?:(?<![\\s,])',
    cap: 100,
    reason: 'longestNumber',
    worst: length => `\tTO${repeat('\tFOR', length)}\0`,
  },
  {
    path: 'src/bot/secrets/find-secrets.ts',
    begins: '\\barn:',
    cap: 80,
    reason: 'isInArn looks at the 80 characters before a name',
    worst: length => `${repeat('arn:', length)}A`,
  },
  {
    path: 'src/bot/secrets/find-secrets.ts',
    begins: '(?<![\\w-])(?:-u',
    reason: 'a user has at most 80 characters',
    worst: length => `${repeat('-u=', length)}\t`,
  },
  {
    path: 'src/bot/secrets/find-secrets.ts',
    begins: '\\bmysql',
    reason: 'at most 60 characters stand between the program and its password',
    worst: length => `${repeat('mysql-', length)};`,
  },
  {
    path: 'src/bot/secrets/find-secrets.ts',
    begins: '(?<![A-Za-z0-9])(?:((?:AKIA',
    reason:
      'recheck ends without a result; the first part of a JWT has at most 2,000 characters, and each other part is the last or bounded',
    worst: length => `${repeat('-eyJ', length)}aaaaaaaa.eyJ${repeat('a', length)}`,
  },
  {
    path: 'src/bot/slack/source-message.ts',
    begins: '!?\\[([^[',
    reason: 'recheck’s fuzzing may time out; the address ends at a space, and each other part is bounded',
    worst: length => `${repeat('![](\t"\t', length / 2)}[](\n${repeat('](', length / 2)}`,
  },
];

const exceptionOf = ({ path, source }: Expression) =>
  exceptions.find(each => each.path === path && source.startsWith(each.begins));

/** The files whose functions make expressions while they run, and what test/support/expressions/main.ts has of each. */
const makers: Readonly<Record<string, string>> = {
  'src/bot/text/clock-words.ts': 'a constant of the file calls it',
  'src/bot/text/zones.ts': 'a constant of the file calls it',
  'src/bot/people/kept-mentions.ts': 'it joins names, escaped',
  'src/bot/features/declare/feature.ts': 'an expression of the file, with other flags',
  'src/erase/erase.ts': 'it joins names and ids, escaped',
};

const texts = new Map(sources.map(path => [path, read(path)]));
const written = [...texts].flatMap(([path, text]) => expressionsIn(path, text));
const made = await madeExpressions();

test('each file whose functions make expressions is in the list', () => {
  const making = [...texts].flatMap(([path, text]) => (makesExpressions(path, text) ? [path] : []));
  expect(making.toSorted()).toEqual(Object.keys(makers).toSorted());
});

test('each exception is about one expression', () => {
  const all = new Map([...written, ...made].map(each => [`${each.path} ${each.source}`, each]));
  for (const each of exceptions)
    expect(
      [...all.values()].filter(one => exceptionOf(one) === each),
      each.begins,
    ).toHaveLength(1);
});

test.each(exceptions.map(each => [each.path, each.begins, each] as const))(
  'an exception does no harm: %s %s',
  async (path, _begins, exception) => {
    const { cap, worst } = exception;
    const found = [...written, ...made].find(each => exceptionOf(each) === exception);
    const pattern = new RegExp(found?.source ?? '', found?.flags);
    const find = (text: string) => (pattern.global ? [...text.matchAll(pattern)] : pattern.exec(text));
    if (cap === undefined) return await expectSteadyGrowth(10_000, length => find(worst(length)));
    const before = process.cpuUsage();
    for (let time = 0; time < 20; time += 1) find(worst(cap).slice(0, cap));
    const { user } = process.cpuUsage(before);
    expect(user / 20_000, `milliseconds for ${path}`).toBeLessThan(5);
  },
);

test('every other expression that changed is linear', async () => {
  const changed = inject('isLong') ? undefined : changedSince();
  const known = new Set(
    [...(changed ?? [])].flatMap(([path, text]) =>
      expressionsIn(path, text).map(each => `${each.source}/${each.flags}`),
    ),
  );
  const concerned = [...written, ...made].filter(
    each =>
      exceptionOf(each) === undefined &&
      (changed === undefined || (changed.has(each.path) && !known.has(`${each.source}/${each.flags}`))),
  );
  const slow: string[] = [];
  for (const { path, source, flags } of new Map(
    concerned.map(each => [`${each.source}/${each.flags}`, each]),
  ).values()) {
    // Where it fuzzes, it tries the same inputs each time.
    const found = await check(source, flags, { timeout: 60_000, randomSeed: 20_261_129 });
    const how =
      found.status === 'vulnerable' ? `${found.complexity.summary}, with ${found.attack.pattern}` : found.status;
    if (found.status !== 'safe') slow.push(`${path}: /${source}/${flags}: ${how}`);
  }
  expect(slow).toEqual([]);
});
