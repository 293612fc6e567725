import { expect, test } from 'vitest';
import { engine } from '../support/databases/fresh.ts';
import { patient } from '../support/deadlines.ts';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { declareNow, notesOf } from '../support/incident-room.ts';
import { openProgram } from '../support/program.ts';
import { openRestarts } from '../support/restarts.ts';
import type { WorkplaceOptions } from '../support/workplace.ts';

/** Alice and bob in the channel of an incident, a Grafana, and Musters that start one after the other. */
async function openStory(options: WorkplaceOptions = {}) {
  const grafana = await openFakeGrafana();
  const restarts = await openRestarts({ ...options, settings: grafana.settings });
  const { alice, bob, general, open } = restarts;
  const place = await open();
  const room = await declareNow(place, alice, general, 'Disk is full');
  bob.join(room);
  const heard = { alice: place.reads(alice, room.id).length, bob: place.reads(bob, room.id).length };
  const called = (method: string) => grafana.requests.filter(line => line.includes(method)).length;
  return {
    ...restarts,
    grafana,
    room,
    place,
    called,
    /** What each of them has read since. */
    read: (who: 'alice' | 'bob') => {
      const person = who === 'alice' ? alice : bob;
      return place.reads(person, room.id).slice(heard[who]).join('\n');
    },
    notes: async () => (await notesOf(place, '1')).map(each => each.body.split('\n')[0]),
  };
}

/** Words that are false when somebody did a thing once and it was done once. */
const falseWords = /already|Nothing was done twice|Something broke|not your doing/;

test('a Muster that stops while the API is slow says nothing false; the next one answers everybody once', async () => {
  const { place, grafana, alice, bob, room, called, read, open } = await openStory({
    deadlines: patient({ stop: { people: 100, intents: 100, cutOff: 100, rest: 100 } }),
  });
  grafana.fail({ when: /AddActivity/, answer: 'stall' });
  await alice.command(room, '/note add first while slow');
  await expect.poll(() => called('AddActivity')).toBe(1);
  await bob.command(room, '/task add second while slow');
  await place[Symbol.asyncDispose]();
  expect(read('alice')).toBe('');
  expect(read('bob')).toBe('');
  expect(called('AddTask')).toBe(0);

  grafana.heal();
  const next = await open();
  await next.quiet();
  expect(read('alice').match(/^:memo: You noted on the timeline/gm)).toHaveLength(1);
  expect(read('bob').match(/You added task 1: “second while slow/g)).toHaveLength(1);
  expect(read('bob')).toContain('You added task 1: “second while slow”');
  for (const who of ['alice', 'bob'] as const) {
    expect(read(who)).not.toMatch(falseWords);
    expect(read(who)).not.toContain('What you asked for earlier');
  }
  const { incident } = await next.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.taskList.tasks.map(task => task.text)).toEqual(['second while slow']);
  const query = { incidentID: '1', activityKind: ['userNote' as const] };
  expect((await next.api.ActivityService.QueryActivity({ query })).activityItems).toHaveLength(1);
});

test('once the API answers anybody, what waited is done, and so is what is asked for then', async () => {
  // Time stands still: no pause ever ends.
  const now = new Date();
  const { place, grafana, alice, bob, room, notes, read } = await openStory({
    clock: () => now,
  });
  grafana.fail({ when: /./, answer: 'hang up' });
  await alice.command(room, '/note add while away');
  await place.quiet();
  expect(read('alice')).toContain('Saved');
  grafana.heal();
  await expect
    .poll(async () => {
      await bob.command(room, '/incident status');
      await place.quiet();
      return read('alice');
    })
    .toContain('What you asked for earlier is done');
  expect(await notes()).toEqual(['while away']);
  await bob.command(room, '/note add afterwards');
  await place.quiet();
  expect(read('bob')).toMatch(/^:memo: You noted on the timeline/m);
  expect(await notes()).toEqual(['while away', 'afterwards']);
});

test('what is asked for in one incident wakes what waits in another', async () => {
  const now = new Date();
  const { place, grafana, alice, general, room, notes, read } = await openStory({
    clock: () => now,
  });
  const other = await declareNow(place, alice, general, 'Cache is cold');
  grafana.fail({ when: /./, answer: 'hang up' });
  await alice.command(room, '/note add while away');
  await place.quiet();
  grafana.heal();
  await alice.command(other, '/note add elsewhere');
  await place.quiet();
  await expect.poll(notes).toEqual(['while away']);
  await place.quiet();
  expect(read('alice')).toContain('What you asked for earlier is done');
});

// On Postgres a second Muster is welcome.
if (engine === 'sqlite')
  test('a second Muster on the same SQLite file is refused with a sentence; an operator may look at the journal meanwhile', async () => {
    const { place, url, alice, room, read, open } = await openStory();
    await expect(open()).rejects.toThrow(
      'Another Muster is running on this SQLite file. Stop it first; to run several, give them a Postgres in DATABASE_URL.',
    );
    const { said, run } = openProgram();
    await run('journal', 'list', '--database', url);
    expect(said.noted).toContain('The journal has no such intents.');
    await alice.command(room, '/note add still here');
    await place.quiet();
    expect(read('alice')).toContain('“still here”');
    await place[Symbol.asyncDispose]();
    await (await open()).quiet();
  });
