import { expect, test } from 'vitest';
import { declareNow, openIncident } from '../support/incident-room.ts';

/** Acts in the incident's room, what the typist alone reads of each, and what the room reads (regular expressions). */
const acts = [
  ['/role assign @bob investigator', /^:bust_in_silhouette: Done\.\n\[Undo\]$/, /@bob is now investigator/],
  ['/role assign me commander', /^:bust_in_silhouette: Done\.\n\[Undo\]$/, /@alice is now commander/],
  ['/incident lead @bob', /^:bust_in_silhouette: Done\.\n@alice is commander too\.\n/, /@bob is now commander/],
  ['/role handover @wendy', /^:bust_in_silhouette: Done\.\n\[Undo\]$/, /@wendy/],
  ['/role unassign @wendy commander', /^:bust_in_silhouette: Done\.\n\[Undo\]$/, /@wendy is no longer commander/],
  ['/incident title Cart is down', /^:pencil2: Renamed to “Cart is down”.*\n\[Undo\]$/, /renamed the incident/],
  ['/incident severity major', /^☑️ Set to major\.\n\[Undo\]$/, /Severity raised/],
  ['/incident label db', /^:label: Done\.\n\[Undo\]$/, /added the label db/],
  ['/incident unlabel db', /^:label: Done\.\n\[Undo\]$/, /took the label db off/],
  ['/incident drill on', /^🧪 Done\.\n\[Undo\]$/, /marked this as a drill/],
  ['/incident drill off', /^🧪 Done\.\n\[Undo\]$/, /marked this as real/],
  ['/incident summary Payments fail', /^📋 Done\.\n\[Undo\]$/, /set the summary/],
  ['/incident update We roll back', /^📣 Posted\.\n\[Undo\]$/, /We roll back/],
  ['/incident resolve --now The pool was full', /^✅ Resolved\.\n\[Undo\]$/, /The pool was full/],
  ['/incident reopen It is back', /^🔁 Open again\.\n\[Undo\]$/, /It is back/],
] as const;

test('where the room says it, the typist reads the shortest answer, with Undo', async () => {
  const { type, publicLines, wait } = await openIncident();
  for (const [line, answer, said] of acts) {
    wait(2);
    const known = publicLines().length;
    expect(await type(line), line).toMatch(answer);
    expect(publicLines().slice(known).join('\n'), line).toMatch(said);
  }
});

test('a resolution is one answer, one headline and one message about what comes next', async () => {
  const { type, publicLines, next, place, alice, home, wait } = await openIncident();
  wait(10);
  const known = place.reads(alice, home.id).length;
  await type('/incident resolve --now The pool was full --at 5m ago');
  const read = place.reads(alice, home.id).slice(known);
  expect(read.filter(each => each.includes('[Undo]'))).toEqual(['✅ Resolved.\n[Undo]']);
  expect(read.join('\n')).not.toContain('The summary is on the timeline');
  expect(publicLines().filter(each => each.includes('The pool was full'))).toHaveLength(1);
  expect(next()).toHaveLength(1);
});

test('where the room hears nothing, the answer is whole', async () => {
  const { type } = await openIncident();
  await type('/incident receipts quiet');
  expect(await type('/incident resolve --now The pool was full')).toContain('The summary is on the timeline');
  await type('/incident reopen');
  await type('/incident receipts thread');
  const read = await type('/incident resolve --now The pool was full');
  expect(read).toContain('Incident 1 is resolved after');
  expect(read).not.toContain('The summary is on the timeline');
});

test('a declaration says the title once where the channel reads of it; a private one and one in a direct message say all', async () => {
  const { place, alice, general } = await openIncident();
  const room = await declareNow(place, alice, general, 'Search is slow');
  expect(place.lastRead(alice, general.id)).toBe(`🚨 Incident 2 is declared.\nHead to #${room.name}.\n[Undo]`);
  expect(place.reads(alice, general.id).filter(each => each.includes('Search is slow'))).toHaveLength(1);
  await declareNow(place, alice, general, 'Data leak --private');
  expect(place.lastRead(alice, general.id)).toContain('“Data leak”');
});
