import { nameToEmoji } from 'gemoji';
import { expect, test } from 'vitest';
import { literalsOf } from '../../docs/literals.ts';
import { read } from '../../support/docs/files.ts';
import { sources } from '../../support/imports.ts';

const home = 'src/bot/text/signs.ts';
/** The signs of notes are part of what stands on timelines. */
const formed = 'src/contract/note-forms.ts';
/** The grammar only reads signs. */
const bot = sources.filter(path => path.startsWith('src/bot/') && !path.startsWith('src/bot/grammar/'));

/** Every sign in a text, as one reads it: `:memo:` is 📝. */
function signsIn(text: string): readonly string[] {
  const shown = text.replaceAll(/:([a-z][a-z0-9_+-]*):/g, (whole, name: string) => nameToEmoji[name] ?? whole);
  return shown.match(/\p{Extended_Pictographic}\ufe0f?/gu) ?? [];
}

const literals = (path: string) => literalsOf(read(path)).map(each => each.pieces.join(' '));
const glossary = read('docs/glossary.md');
const listed = [...(/\n## Signs\n([\s\S]*?)\n## /.exec(glossary)?.[1] ?? '').matchAll(/^\| (\S[^|]*) \|/gm)]
  .flatMap(([, cell = '']) => signsIn(cell))
  .toSorted();

test('the glossary has each sign once, and those are the signs of the code', () => {
  expect(listed.length).toBeGreaterThan(20);
  expect(listed).toEqual([...new Set(listed)]);
  expect([...new Set([home, formed].flatMap(literals).flatMap(signsIn))].toSorted()).toEqual(listed);
});

test('no other file of the bot writes a sign', () => {
  const elsewhere = bot
    .filter(path => path !== home)
    .flatMap(path =>
      literals(path)
        .flatMap(signsIn)
        .map(sign => `${sign} in ${path}`),
    );
  expect(elsewhere).toEqual([]);
});

test('a change that waits for the API is saved, and an incident that it does not know is not registered yet', () => {
  const texts = bot
    .filter(path => !/^src\/bot\/(?:features\/dash|schema|doctor|journal|slack)\//.test(path))
    .flatMap(path => literals(path).map(text => ({ path, text })));
  const stray = texts.filter(({ text }) =>
    /\bqueued (?!at|changes$)|\bqueue (?:it|them)\b|not yet registered|never registered with/i.test(text),
  );
  expect(stray).toEqual([]);
  expect(texts.filter(({ text }) => /\bsaved\b/i.test(text)).length).toBeGreaterThan(8);
  expect(texts.filter(({ text }) => /not registered yet/i.test(text)).length).toBeGreaterThan(3);
});
