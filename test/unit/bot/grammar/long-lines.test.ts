import { expect, test } from 'vitest';
import { addTypedText } from '../../../../src/bot/dispatch/answers/typed-back.ts';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { withoutPolite } from '../../../../src/bot/grammar/words.ts';
import { readMentions } from '../../../../src/bot/people/mentions.ts';
import { context, plainContext, section, toMrkdwn } from '../../../../src/bot/text/blocks.ts';
import { parseTime, timeLength } from '../../../../src/bot/text/times.ts';
import { leadingTime } from '../../../../src/bot/text/times-in-text.ts';
import { cap, cutMrkdwn, toComparable, toOneLine, toPlainText, toUnformatted } from '../../../../src/bot/text/words.ts';
import { expectSteadyGrowth } from '../../../support/growth.ts';

const verbs = allVerbs(features);
const lines = [
  ['incident', ''],
  ['incident', 'declare '],
  ['incident', 'resolve 7 '],
  ['task', ''],
  ['note', ''],
  ['note', 'add --at '],
  ['role', 'assign '],
  ['muster', ''],
  ['mention', ''],
] as const;

/** Everything that reads a typed line as a whole. */
function readAll(typed: string): void {
  const reading = { now: new Date('2026-11-20T12:15:00Z'), timeZone: 'Europe/Berlin' };
  for (const [root, before] of lines) {
    const parsed = parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: before + typed });
    if (parsed.kind === 'verb') readMentions(parsed.args, 'U1');
  }
  for (const read of [toComparable, toOneLine, toPlainText, toUnformatted, toMrkdwn, section, context, plainContext]) {
    (read as (text: string) => unknown)(typed);
  }
  for (const cut of [cap, cutMrkdwn]) cut(typed, typed.length - 1);
  for (const time of [typed, `at 07:20${typed}`]) {
    parseTime(time, reading);
    leadingTime(time, reading);
    timeLength(time.split(' '));
  }
  addTypedText('', { kind: 'command', root: 'note', text: typed });
}

const signs = [
  ...['.', ',', ':', ';', '!', '?', '-', '_', '/', '*', '~', '`', '>', '<', '&', '#', '@', '=', '—', '(', '^'],
  ...['"', "'", '“', '’', '«', '»', '"a ', 'a" ', '"" ', 'x="'],
  ...['a', '7', 'é', '\u0301', '👩‍👩‍👧', '\u202e', '\ufdfa', '\ud800', '\n', '\t', ' ', '\u00a0'],
  ...['&amp;', '<@U1>', '<@U1|b>', '<#C1|inc-7>', '<!here>', '<http://a|b>', 'http://a.', '@b ', '@b'],
  ...['--', '-- ', '--now ', '--at a ', '--at=1m ', '—at 1m ', '--label a '],
  ...['task ', 'help ', '7 ', '#7 ', 'INC-7 ', 'inc-7-', 'at ', '1 h and ', '7:20 '],
];

test.each(signs.map(sign => ({ sign })))('a line of $sign alone takes time that grows with its length', ({ sign }) =>
  expectSteadyGrowth(2500, length => readAll(`${sign.repeat(length / sign.length)}x`)),
);

test.each(['ty...', 'ty.!.!', 'now.', 'thank you!!', ':now::', 'ok,,', '👍 '])(
  'many “%s” before another word are read in steady time',
  words =>
    expectSteadyGrowth(100, length => {
      for (let time = 0; time < 100; time += 1) withoutPolite(`${words.repeat(length / words.length)}x`);
    }),
);

test.each(['.', ',', '-', '/', '"'])('an address that ends in many “%s” takes time that grows with its length', sign =>
  expectSteadyGrowth(10_000, length => readAll(`http://${sign.repeat(length)}x`)),
);

test.each(['--at a ', '--at 1m ', '--label a ', '--label=a ', '--now '])(
  'thousands of flags “%s” take time that grows with their number',
  async flag => {
    const parse = (times: number) =>
      parseCommand(verbs, { root: 'incident', commandRoot: 'muster', text: `declare ${flag.repeat(times)}` });
    await expectSteadyGrowth(3000, parse);
    expect(parse(3).kind).not.toBe('unknown');
  },
);
