import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';
import { openProgram } from '../support/program.ts';
import { tablesWith } from '../support/stored-words.ts';
import { openWorkplace } from '../support/workplace.ts';

/** An incident that alice declared and worked on with bob, on a file; Muster has stopped. */
async function openPast() {
  const file = join(await openFolder(), 'muster.db');
  const desk = await openIncident({ databaseFile: file });
  const { alice, bob, home, place } = desk;
  await desk.type('/note the cache is cold', alice);
  await desk.type(`/task add warm it up @${alice.name}`, bob);
  await desk.type('/role assign commander me', alice);
  const message = bob.say(home, `<@${alice.id}> looks at it`);
  await desk.act(() => alice.react(message, 'memo'));
  await place.quiet();
  const erase = async (...words: readonly string[]) => {
    const { said, run } = openProgram();
    await run('erase', '--database', `sqlite:${file}`, ...words);
    return said;
  };
  return { desk, file, erase, stop: () => place[Symbol.asyncDispose]() };
}

test('a person who worked on an incident is erased from everything stored, and the incident stays readable', async () => {
  const { desk, file, erase, stop } = await openPast();
  const { alice, slack } = desk;
  await stop();
  expect(tablesWith(file, alice.id)).toEqual(expect.arrayContaining(['activity', 'bot_intent', 'bot_room', 'person']));

  const dry = await erase('--person', alice.id, '--dry-run');
  expect(dry.noted).toContain(phrases.unchanged);
  expect(dry.printed).toMatch(/changed\s+\d+\s+timeline items/);
  expect(tablesWith(file, alice.id)).toContain('person');

  const { printed, noted } = await erase('--person', alice.id);
  expect(printed).toBe(dry.printed);
  expect(noted).toMatch(/“Erased person [0-9a-f]{8}” stands in their place\./);
  expect(tablesWith(file, alice.id)).toEqual([]);
  expect(tablesWith(file, `${alice.name} in Slack`)).toEqual([]);
  expect(tablesWith(file, `@${alice.name}`)).toEqual([]);
  expect((await readFile(file)).includes(alice.id)).toBe(false);

  const again = await openWorkplace({ databaseFile: file, slack, clock: desk.now });
  const { incident } = await again.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.createdByUser.name).toMatch(/^Erased person/);
  await expect(erase('--person', 'nobody at all')).rejects.toThrow('Nobody is stored as “nobody at all”.');
});
