import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { escapeMrkdwn } from '../../../../src/bot/text/words.ts';
import { nearMissLines, sentences } from '../../../support/sentences.ts';

const verbs = allVerbs(features);

function parse(root: string, text: string, as?: Parameters<typeof parseCommand>[1]['as']) {
  return parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: escapeMrkdwn(text), as });
}

test('2,000 sentences after /note and in mentions are notes, word for word; where they read like talk, after a question', () => {
  fc.assert(
    fc.property(sentences, sentence => {
      const lines: [string, string][] = [
        ['note', sentence],
        ['note', `add ${sentence}`],
        ['muster', `note ${sentence}`],
        ['mention', `note ${sentence}`],
      ];
      for (const [root, text] of lines) {
        const typed = parse(root, text);
        const asked =
          typed.kind === 'unknown'
            ? typed.readings.find(each => each.noun === 'note' && each.verb === 'add')
            : undefined;
        const isTalk = root === 'mention' || /^(list|show|ls|view)\b/i.test(sentence);
        const parsed = asked && isTalk ? parse(root, text, asked) : typed;
        expect(parsed).toMatchObject({ kind: 'verb', noun: 'note', verb: 'add', args: { flags: {} } });
        if (parsed.kind === 'verb') expect(parsed.args.text).toBe(sentence);
      }
    }),
    { numRuns: 2000 },
  );
});

test('500 near-misses of commands do nothing, under their noun and without one', () => {
  fc.assert(
    fc.property(nearMissLines(verbs), ({ noun, text }) => {
      for (const root of [noun, 'muster', 'mention']) {
        const parsed = parse(root, text);
        const isRead =
          parsed.kind === 'verb' &&
          verbs.some(each => each.verb === parsed.verb && each.noun === parsed.noun && each.reads);
        expect(
          parsed.kind === 'unknown' || parsed.kind === 'help' || parsed.kind === 'bare' || isRead,
          `/${root} ${text}: ${JSON.stringify(parsed)}`,
        ).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
