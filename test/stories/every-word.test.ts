import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';

function inQuote(text: string): string {
  return text.replace(/^/gm, '> ');
}

/** What somebody types on several lines, and what is read of it. */
const onLines = [
  ['one\ntwo', 'one\ntwo'],
  ['one\n\ntwo', 'one\n\ntwo'],
  ['one\r\ntwo', 'one\ntwo'],
  ['- first\n- second\n- third', '- first\n- second\n- third'],
  ['1. first\n2. second', '1. first\n2. second'],
  ['  indented\n   more', 'indented\nmore'],
  ['one  \n  two', 'one\ntwo'],
  ['a\n\n\n\nb', 'a\n\nb'],
  ['“quoted\nover lines”', 'quoted\nover lines'],
  ['> cited\nanswered', '> cited\nanswered'],
  ['höre\nzu 🎉', 'höre\nzu 🎉'],
] as const;

test.each(onLines)('%j keeps its lines in an update and in a note, wherever they are read', async (typed, read) => {
  const { type, publicLines, bodies, place, alice, home } = await openIncident();
  await type(`/incident update ${typed}`);
  expect(publicLines().at(-1)).toContain(inQuote(read));
  expect(place.reads(alice, home.id)[0]).toContain(read);
  await type(`/note add ${typed} (noted)`);
  for (const line of read.split('\n')) expect(publicLines().at(-1)).toContain(line);
  expect(publicLines().at(-1)?.split('\n'), 'below the words that tell of it').toHaveLength(
    read.split('\n').length + 1,
  );
  const [, note] = await bodies();
  for (const line of read.split('\n')) expect(note).toContain(line);
});
