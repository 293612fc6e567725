import { expect, test } from 'vitest';
import { renderView } from '../../../../playground/fake-slack/fake-slack.ts';
import { readList } from '../../../support/table.ts';
import { openVerbs, shareVerbs } from '../../../support/verbs.ts';

/** Lines that end in words which the verb does not need, or that need none. */
const lines = readList(`
  /incident record | /task list | /role list | /dash home | /dash recent | /dash tags | /incident reopen
  /incident resolve --now | /incident reopen | /incident update | /incident status | /incident list
  /incident severity critical | /incident severity | /incident drill on | /incident drill off | /incident drill
  /incident title | /incident label | /incident unlabel | /incident started 12:05 | /incident ended 12:10
  /incident archive now | /incident archive | /incident receipts quiet | /incident receipts | /incident link
  /incident unlink | /incident record | /incident declare | /incident declare --now | /task add | /task list
  /task done 1 | /task assign 1 me | /task unassign 1 | /task edit 1 | /task reopen 1 | /task delete 1 | /note add
  /note list | /note timeline | /role assign me commander | /role unassign me commander
  /role handover <@bob> commander | /role list | /role create | /role edit | /role archive | /role unarchive
  /role delete | /dash link | /dash show | /dash home | /dash save | /dash recent | /dash tags | /dash delete
  /dash restore | /dash purge | /muster doctor | /muster whoami
`);

test('no verb drops a word that a person typed', async () => {
  const { place, slack, alice, bob, home, type, bodies, incident } = await openVerbs();
  await type('/task add first');
  const dropped: string[] = [];
  for (const [index, line] of lines.entries()) {
    const word = `zebra${index}`;
    const before = place.reads(alice, home.id).length;
    await type(`${line.replace('<@bob>', `<@${bob.id}|bob>`)} it is back ${word}`);
    const views = alice.view ? renderView(slack, alice.view) : '';
    const all = [place.reads(alice, home.id).slice(before).join('\n'), views, (await bodies()).join('\n')];
    if (![...all, JSON.stringify(await incident())].some(text => text.includes(word))) dropped.push(line);
  }
  expect(dropped).toEqual([]);
});

test('why an incident is reopened stands in its room and on its timeline', async () => {
  const { type, publicLines, items, reads } = await openVerbs();
  await type('/incident resolve --now');
  await type('/incident reopen it is back,\nsince db-1.example.com restarted');
  const why = 'it is back,\nsince db-1.example.com restarted';
  expect((await publicLines()).at(-1)).toBe(`🔁 Reopened – @alice\n${inQuote(why)}`);
  expect((await items('userNote')).at(-1)).toMatchObject({
    body: `${why}\n\n— alice in Slack`,
    fieldValues: { source: 'reopening' },
  });
  await type('/incident reopen and again');
  expect(reads()).toContain('Incident 1 is active already.');
  expect(reads()).toContain('and again');
});

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

const room = shareVerbs();

test.each(onLines)('%j keeps its lines in an update and in a note, wherever they are read', async (typed, read) => {
  const { type, publicLines, bodies, readCard, wait } = room();
  wait(1);
  await type(`/incident update ${typed}`);
  expect((await publicLines()).at(-1)).toContain(inQuote(read));
  expect(await readCard()).toContain(read);
  await type(`/note add ${typed} (noted)`);
  const told = (await publicLines()).at(-1);
  for (const line of read.split('\n')) expect(told).toContain(line);
  expect(told?.split('\n'), 'below the words that tell of it').toHaveLength(read.split('\n').length + 1);
  const note = (await bodies()).at(-1);
  for (const line of read.split('\n')) expect(note).toContain(line);
});

test.each(onLines)('%j loses no word as tasks or a title', async (typed, read) => {
  const { type, incident } = await openVerbs();
  await type(`/task add ${typed}`);
  await type(`/incident title ${typed}`);
  const { title, taskList } = await incident();
  const words = (text: string) => text.match(/[\p{L}\p{N}]+/gu);
  expect(words(title)).toEqual(words(read));
  // The numbers of a list are its signs.
  const wanted = words(read.replace(/^\d+\. /gm, ''));
  expect(words(taskList.tasks.map(each => each.text).join('\n'))).toEqual(wanted);
});
