import { expect, test } from 'vitest';
import { declareNow, openIncident } from '../support/incident-room.ts';
import { readTable } from '../support/table.ts';

/** Acts in the incident's room, what the typist alone reads of each, and what the room reads (regular expressions). */
const acts = readTable(
  'line | answer | said',
  String.raw`
  /role assign @bob investigator            | ^:bust_in_silhouette: You made @bob investigator\.\n\[Undo\]$ | @alice made @bob investigator
  /role assign me commander                 | ^:bust_in_silhouette: You took command\.\ncommander: Owns the incident .*\n\[Undo\]$ | @alice took command
  /incident lead @bob                       | ^:bust_in_silhouette: You made @bob commander\.\n@alice is commander too\.\n | @alice made @bob commander
  /role handover @wendy                     | ^:bust_in_silhouette: You handed command to @wendy.*\.\n\[Undo\]$ | @alice handed command to @wendy
  /role unassign @wendy commander           | ^:bust_in_silhouette: You took command from @wendy\.\n\[Undo\]$ | @alice took command from @wendy
  /incident title Cart is down              | ^:pencil2: You renamed incident 1 to “Cart is down”.*\n\[Undo\]$ | renamed the incident
  /incident severity major                  | ^☑️ You set the severity of incident 1 to major \(was pending\)\.\n\[Undo\]$ | Severity raised
  /incident label db                        | ^:label: You added the label db to incident 1\.\n\[Undo\]$ | added the label db
  /incident unlabel db                      | ^:label: You took the label db off incident 1\.\n\[Undo\]$ | took the label db off
  /incident drill on                        | ^🧪 You marked incident 1 as a drill\.\n\[Undo\]$ | marked the incident as a drill
  /incident drill off                       | ^🧪 You marked incident 1 as real\.\n\[Undo\]$ | marked the incident as real
  /incident summary Payments fail           | ^📋 You set the summary of incident 1 to “Payments fail”\.\n\[Undo\]$ | set the summary
  /incident update We roll back             | ^📣 You posted the update of incident 1: “We roll back”\.\n\[Undo\]$ | We roll back
  /incident resolve --now The pool was full | ^✅ You resolved incident 1 after .*\.\n\[Undo\]$ | The pool was full
  /incident reopen It is back               | ^🔁 You reopened incident 1: .*\.\n\[Undo\]$ | It is back
`,
);

test('the typist reads the sentence that the room reads, with Undo', async () => {
  const { type, publicLines, wait } = await openIncident();
  for (const { line, answer, said } of acts) {
    wait(2);
    const known = publicLines().length;
    expect(await type(line), line).toMatch(new RegExp(answer));
    expect(publicLines().slice(known).join('\n'), line).toMatch(new RegExp(said));
  }
});

test('a resolution is one answer, one headline and one message about what comes next', async () => {
  const { type, publicLines, next, place, alice, home, wait } = await openIncident();
  wait(10);
  const known = place.reads(alice, home.id).length;
  await type('/incident resolve --now The pool was full --at 5m ago');
  const read = place.reads(alice, home.id).slice(known);
  expect(read.filter(each => each.includes('[Undo]'))).toEqual([
    expect.stringMatching(/^✅ You resolved incident 1 after [^\n]*\n:clock3: You set the end [^\n]*\n\[Undo\]/),
  ]);
  expect(read.join('\n')).not.toContain('You put the summary');
  expect(publicLines().filter(each => each.includes('The pool was full'))).toHaveLength(1);
  expect(next()).toHaveLength(1);
});

test('where the room hears nothing, the answer is whole', async () => {
  const { type } = await openIncident();
  await type('/incident receipts quiet');
  expect(await type('/incident resolve --now The pool was full')).toContain(
    'You put the summary “The pool was full” on the timeline',
  );
  await type('/incident reopen');
  await type('/incident receipts thread');
  const read = await type('/incident resolve --now The pool was full');
  expect(read).toContain('You resolved incident 1 after');
  expect(read).not.toContain('You put the summary');
});

test('a declaration says its title, and where it is handled', async () => {
  const { place, alice, general } = await openIncident();
  const room = await declareNow(place, alice, general, 'Search is slow');
  expect(place.lastRead(alice, general.id)).toBe(
    `🚨 You declared incident 2: “Search is slow”, severity pending.\nHead to #${room.name}.\n[Undo]`,
  );
  await declareNow(place, alice, general, 'Data leak --private');
  expect(place.lastRead(alice, general.id)).toContain('“Data leak”');
});
