import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { type Parsed, parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { encodePeople, peerCommands, toAct } from '../../../support/peer-commands.ts';

const verbs = allVerbs(features);

function parse(line: string): Parsed {
  const [root = '', rest = ''] = line.split(/ (.*)/s);
  return parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: encodePeople(rest) });
}

test('the table has at least 150 lines, each once', () => {
  const lines = peerCommands.map(([line]) => line);
  expect(new Set(lines).size).toBe(lines.length);
  expect(lines.length).toBeGreaterThanOrEqual(150);
});

test.each(peerCommands.map(([line, act]) => ({ line, act })))('$line → $act', ({ line, act }) => {
  expect(toAct(parse(line))).toBe(act);
});

test('no line ends in a bare “there is no such command”', () => {
  for (const [line] of peerCommands) {
    const parsed = parse(line);
    if (parsed.kind === 'unknown') expect(parsed.says !== '' || parsed.readings.length > 0, line).toBe(true);
  }
});
