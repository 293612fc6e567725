import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

test('the status, to the person alone: since when, people, open tasks, the latest of the timeline', async () => {
  const { type, wait, bob, place, home, publicLines } = await openVerbs();
  await type('/task add fail over to the replica @bob');
  await type('/task add tell support');
  await type('/task done tell support');
  await type('/role assign @bob commander');
  await type('/incident severity major');
  await type('/incident label add db');
  await type('/incident title Checkout is down');
  wait(65);
  const before = (await publicLines()).length;

  const seen = await type('/incident status', bob);
  expect(seen).toContain('🟠 MAJOR · Checkout is down\nActive since');
  expect(seen).toContain('Commander @bob');
  // The card's line has the age, and nothing says it again.
  expect(seen.match(/1 hour ago|1 h 5 min/g)).toEqual(['1 hour ago']);
  expect(seen).toContain('Open tasks (1)\n');
  expect(seen).toContain('⬜ 1. fail over to the replica · bob');
  expect(seen).toContain('Task completed: tell support · alice');
  const latest = seen.slice(seen.indexOf('Latest on the timeline')).split('\n');
  expect(latest.slice(1, -2)).toHaveLength(5);
  expect(latest.at(-3)).toBe('Nov 20, 2026 12:15 PM Title changed to Checkout is down · alice');
  expect(latest.at(-2)).toContain('[Tasks] [Edit]');
  expect(latest.at(-1)).toBe('[Post to channel]');
  expect(await publicLines()).toHaveLength(before);
  expect(place.lastRead(bob, home.id)).toBe(seen);
});

test('a resolved drill, from elsewhere: when it was over, where it is handled; its notes name who spoke', async () => {
  const { type, wait, alice, general } = await openVerbs();
  await type('/incident drill on');
  wait(20);
  await type(`/incident resolve --now --at 5m ago ${'all <!channel> fine '.repeat(20)}`);

  const seen = await type('/incident status --incident 1', alice, general);
  expect(seen).toContain('🧪 DRILL · ✅ RESOLVED');
  expect(seen).toContain('Resolved Nov 20, 2026 12:30 PM after 15 min\n');
  expect(seen).toContain('\nRecorded as resolved Nov 20, 2026 12:35 PM.\n');
  expect(seen.slice(0, seen.indexOf('Latest on')).match(/12:30 PM/g)).toHaveLength(1);
  expect(seen).toContain('It is handled in #inc-1-checkout-answers-500.');
  expect(seen).toMatch(/:memo: all <!channel> fine .{100,250}… · alice\n/);
  expect(seen).not.toContain('!!!');
  expect(seen).toContain('[Reopen]');
});

test('the status leads with state, commander and latest update, and says nothing twice', async () => {
  const { type, wait, bob } = await openVerbs();
  await type('/role assign @bob commander');
  await type('/incident update We roll back v42');
  wait(10);
  const lead = (seen: string) => seen.split('\n').slice(1, 4);
  const latest = '📣 Latest update 10 minutes ago, by @alice: We roll back v42';
  const seen = await type('/incident status', bob);
  expect(lead(seen)).toEqual([latest, 'Active since Nov 20, 2026 12:15 PM, 10 minutes ago', 'Commander @bob']);
  expect(seen).toContain('Open tasks: none');
  await type('/task add fail over');
  await type('/task done fail over');
  await type('/incident resolve --now');
  const over = await type('/incident status', bob);
  expect(over).toContain('Tasks 0 open, 1 done');
  expect(over).not.toContain('Open tasks');
  expect(over.match(/after 10 min/g)).toHaveLength(1);
  expect(over).not.toContain('Recorded as resolved');
});

test('guests may look, also by way of the picker and of More; strangers may not', async () => {
  const { type, alice, gus, press, last, general, reads, slack, home, place, act } = await openVerbs();
  gus.join(general);
  expect(await type('/incident status', gus)).toContain('Active since');
  await type('/incident status', gus, general);
  expect(reads(gus, general)).toContain('Which one do you mean');
  await press(last(gus, general), '#1 Checkout answers 500', gus);
  expect(reads(gus, general)).toContain('Active since');

  const zoe = slack.addPerson({ name: 'zoe', isStranger: true, teamId: 'T0OTHER' });
  alice.share(home);
  zoe.join(home.id);
  await act(() => zoe.command(home, '/incident status'));
  expect(place.lastRead(zoe, home.id)).toContain('cannot see or change');
});

test('who hears the list gets all of it in words, and knows which row a button belongs to', async () => {
  const { type, last, general, alice, wait } = await openVerbs();
  await type('/incident title Checkout *answers* 500');
  await type('/role assign @bob commander');
  wait(3);
  await type('/incident list', alice, general);
  const { text, blocks } = last(alice, general);
  expect(text).toMatch(
    /^Active incidents \(1\)\n⚪ pending · #1 Checkout .*answers.* 500 · active for 3 min · commander <@U\w+>/,
  );
  expect(text.replaceAll(/<[^>]*>/g, '')).not.toMatch(/[*_`]/);
  expect(JSON.stringify(blocks)).toContain('"accessibility_label":"Open incident 1, Checkout *answers* 500"');
});

test('a query in the API’s language, with the quotes that phones make; a wrong one is explained', async () => {
  const { type, api } = await openVerbs();
  await api.IncidentsService.CreateIncident({ title: 'The database is slow', severity: 'major' });
  expect(await type('/incident list severity:major')).toBe(
    'Active incidents for “severity:major” (1)\n🟠 major · #2 The database is slow · active for 0 s · no commander\n[Open]\n[Post to channel]',
  );
  expect(await type('/incident list title:“database is”')).toContain('2 The database is slow');
  expect(await type('/incident list checkout')).toContain('1 Checkout answers 500');
  expect(await type('/incident list status:resolved')).toContain('No incident was found for “status:resolved”.');

  await api.IncidentsService.CreateIncident({ title: 'The disk is full', severity: 'minor', status: 'resolved' });
  const over = await type('/incident list status:resolved');
  expect(over).toContain('The disk is full');
  expect(over).not.toContain('No incident is active');

  const refused = await type('/incident list colour:red');
  expect(refused).toContain('I cannot search for that: “invalid query: unknown property "colour"');
  expect(refused).toContain('You typed: /incident list colour:red');
  // The place is one in the words that were typed.
  expect(await type('/incident list disk (((')).toMatch(
    /^I cannot search for that: “invalid query: .* \(at character 6\)”/,
  );
  expect(await type(`/incident list ${'a'.repeat(900)}`)).toContain('at most 800 characters');
});
