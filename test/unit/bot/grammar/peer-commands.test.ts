import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { type Parsed, parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { encodePeople, peerCommands } from '../../../support/peer-commands.ts';

const verbs = allVerbs(features);

function parse(line: string): Parsed {
  const [root = '', rest = ''] = line.split(/ (.*)/s);
  return parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: encodePeople(rest) });
}

function toAct(parsed: Parsed): string {
  switch (parsed.kind) {
    case 'verb': {
      const { noun, verb, args, named } = parsed;
      const incident = named ? ` (${named.isCertain ? 'in' : 'or in'} ${named.reference.id})` : '';
      return `${noun} ${verb}: ${args.sentence}${incident}`.trim();
    }
    case 'unknown': {
      const offered = parsed.readings.map(each => `${each.noun} ${each.verb}`).join(' | ');
      return `${parsed.says === '' ? 'asked' : 'told'}: ${offered}`.trim();
    }
    case 'invalid':
      return parsed.problem;
    default:
      return [parsed.kind, parsed.noun, parsed.kind === 'help' ? parsed.verb : undefined].filter(Boolean).join(' ');
  }
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
