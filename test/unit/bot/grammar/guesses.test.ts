import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { Vocabulary } from '../../../../src/bot/grammar/words.ts';
import { talkByMention } from '../../../support/by-mention.ts';
import { encodePeople } from '../../../support/peer-commands.ts';
import { readList } from '../../../support/table.ts';
import { talk } from '../../../support/talk.ts';

const verbs = allVerbs(features);
const grave = verbs.filter(each => each.grave).map(each => `${each.noun} ${each.verb}`);

/**
 * The words for what ends an incident, wakes people or is read by the whole company: its own names and its synonyms. Other bots and everyday talk
 * have more; they are not added here.
 */
const graveWords = readList(`
  resolve | close | end | finish | done | fixed | all clear
  cancel | abort | mistake | false alarm | false positive | duplicate
  page | pager | sos | escalate | call | wake
  update | post | say | brief | status | mitigate
`);

/** Whether a word is one of them, or a regular form of one. */
function isGraveWord(word: string): boolean {
  // “By mistake” and “fixed, watching” may be written as one word.
  const plain = word.toLowerCase().replace(/[^a-z]|^by|watching$/g, '');
  return graveWords.some(each => {
    const base = each.replaceAll(' ', '');
    const forms = ['', 's', 'es', 'ed', 'd', `${base.slice(-1)}ed`].map(end => `${base}${end}`);
    return forms.includes(plain);
  });
}

function isGraveLine(line: string): boolean {
  return /all clear|false alarm|false positive/.test(line) || line.split(/\s+/).some(isGraveWord);
}

/** The grave acts that a line does or offers. */
function graveActs(root: string, line: string): readonly string[] {
  const parsed = parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: encodePeople(line) });
  const answers = parsed.kind === 'verb' ? [parsed] : parsed.kind === 'unknown' ? parsed.readings : [];
  return answers.map(each => `${each.noun} ${each.verb}`).filter(act => grave.includes(act));
}

const roots = ['incident', 'task', 'mention'];
const tails = ['', ' 1', ' the pool is full'];

test('what is grave is what ends, wakes and publishes, and its words are at most 25', () => {
  const named = readList('incident call | incident cancel | incident page | incident resolve | incident update');
  expect(grave.toSorted()).toEqual(named);
  expect(graveWords.length).toBeLessThanOrEqual(25);
});

test('of all words that the grammar knows, those reach what is grave, and no other', () => {
  const source = readFileSync('src/bot/grammar/phrasebook.ts', 'utf8');
  const vocabulary = new Vocabulary(verbs);
  const written = [...source.matchAll(/'(?:\w+: )?([a-z0-9 ]+)'/g)].flatMap(([, words = '']) => words.split(' '));
  const words = new Set([...written, ...vocabulary.hits.keys(), ...vocabulary.nouns.keys()]);
  expect(words.size).toBeGreaterThan(600);
  const guessed = [...words].flatMap(word => {
    if (isGraveWord(word)) return [];
    const lines = roots.flatMap(root => tails.map(tail => [root, `${word}${tail}`] as const));
    return lines.flatMap(([root, line]) => graveActs(root, line).map(act => `/${root} ${line} → ${act}`));
  });
  expect(guessed).toEqual([]);
  // Each word of the list is needed.
  const idle = graveWords.filter(word =>
    roots.every(root => tails.every(tail => graveActs(root, word + tail).length === 0)),
  );
  expect(idle).toEqual([]);
});

test('1,000 lines without such a word, with slips in it or in talk, neither do nor offer anything grave', () => {
  const letters = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz');
  const slips = fc
    .tuple(fc.constantFrom(...graveWords), fc.nat(), letters, fc.constantFrom('less', 'more', 'other', 'short'))
    .map(([word, at, letter, kind]) => {
      const place = at % word.length;
      if (kind === 'short') return word.slice(0, Math.max(2, place));
      return word.slice(0, place) + (kind === 'less' ? '' : letter) + word.slice(kind === 'more' ? place : place + 1);
    });
  const sentence = fc.constantFrom(...talk, ...talkByMention);
  const line = fc.oneof(
    slips,
    fc.tuple(slips, fc.constantFrom(...tails)).map(([word, tail]) => word + tail),
    fc.tuple(slips, sentence).map(([word, rest]) => `${word} ${rest}`),
    fc.tuple(sentence, slips).map(([rest, word]) => `${rest} ${word}`),
    sentence,
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...roots),
      line.filter(each => !isGraveLine(each.replace(/[^\p{L}\s]/gu, ''))),
      (root, each) => {
        expect(graveActs(root, each), `/${root} ${each}`).toEqual([]);
      },
    ),
    { numRuns: 1000 },
  );
});

test('a guess stays with the noun that was typed', () => {
  const vocabulary = new Vocabulary(verbs);
  for (const noun of ['task', 'role', 'dash']) {
    for (const { verb } of verbs) {
      const word = `${verb}x`;
      if (vocabulary.hits.has(word)) continue;
      const parsed = parseCommand(verbs, { root: noun, commandRoot: 'muster', text: `${word} 1` });
      const guessed = parsed.kind === 'unknown' ? parsed.readings.map(each => each.noun) : [];
      expect(
        guessed.filter(each => each !== noun),
        `/${noun} ${word} 1`,
      ).toEqual([]);
    }
  }
});

test('what is offered in place of a word has every word behind it', () => {
  const behind = 'the pool of db-3 is full';
  const words = [
    ...new Vocabulary(verbs).hits.keys(),
    ...readList(
      'impact | announce | edit | postmortem | ack | invite | downgrade | merge | subscribe | escalate | test | undo | channel',
    ),
  ];
  for (const root of ['incident', 'mention'])
    for (const word of words) {
      const text = `${word} ${behind}`;
      const parsed = parseCommand(verbs, { root, commandRoot: 'muster', text });
      if (parsed.kind !== 'unknown') continue;
      for (const as of parsed.readings) {
        const read = parseCommand(verbs, { root, commandRoot: 'muster', text, as });
        const isShown = verbs.find(each => each.noun === as.noun && each.verb === as.verb)?.reads;
        if (read.kind === 'verb' && !isShown)
          expect(read.args.raw, `/${root} ${text}: ${as.noun} ${as.verb}`).toContain(behind);
      }
    }
});
