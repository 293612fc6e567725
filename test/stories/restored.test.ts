import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { openIncident } from '../support/incident-room.ts';
import { openOutage } from '../support/outage-room.ts';
import { openProgram } from '../support/program.ts';
import { openWorkplace } from '../support/workplace.ts';

/** Incident 1 has the severity minor and a task of bob's. What alice then asks for is open in a backup, and done before the disk is lost. */
async function openLostDisk(asks: readonly string[]) {
  const folder = await openFolder();
  const [url, copy] = [`sqlite:${join(folder, 'data', 'muster.db')}`, join(folder, 'copy.db')];
  const world = await openOutage({ settings: { DATABASE_URL: url } });
  const { slack, grafana, alice, bob, type, general } = world;
  await type('/incident declare Disk is full --severity minor --now');
  const room = slack.channel('inc-1-disk-is-full');
  bob.join(room);
  await type('/task add fail over', alice, room.name);
  world.goAway();
  for (const ask of asks) await type(ask, alice, room.name);
  await openProgram().run('backup', '--out', copy, '--database', url);
  await world.comeBack();
  const open = async () => {
    await world.place[Symbol.asyncDispose]();
    await openProgram().run('restore', copy, '--database', url);
    const settings = { ...grafana.settings, DATABASE_URL: url };
    const place = await openWorkplace({ slack, settings });
    await expect
      .poll(async () => {
        await place.muster.bot.journal.wake();
        return (await place.muster.bot.journal.countByState()).some(each => /pending|running/.test(each.state));
      })
      .toBe(false);
    await place.quiet();
    const incident = async () => (await place.api.IncidentsService.GetIncident({ incidentID: '1' })).incident;
    const told = () =>
      slack.channels
        .flatMap(each => (each.members.has(alice.id) ? place.messages(alice, each.id) : []))
        .filter(each => each.text.includes('restored from a backup'));
    return { place, incident, told };
  };
  return { ...world, room, general, open };
}

test('a severity, title, label, role or task that was changed again since stays; its person may do it all the same', async () => {
  const { type, alice, bob, room, open } = await openLostDisk([
    '/incident severity major',
    '/incident title The disk is full',
    '/incident label disk',
    '/role assign @bob commander',
    '/task done 1',
    '/incident resolve --now',
  ]);
  await type('/incident reopen', bob, room.name);
  await type('/incident severity critical', bob, room.name);
  await type('/incident title All disks are full', bob, room.name);
  await type('/incident unlabel disk', bob, room.name);
  await type('/role unassign @bob commander', bob, room.name);
  await type('/task reopen 1', bob, room.name);

  const { place, incident, told } = await open();
  const now = await incident();
  expect([now.status, now.severity, now.title, now.labels]).toEqual(['active', 'critical', 'All disks are full', []]);
  expect(now.taskList.tasks[0]?.status).toBe('todo');
  const words = told()
    .map(each => each.text)
    .join('\n');
  for (const what of [
    'set the severity of incident 1 to major',
    'rename incident 1 to “The disk is full”',
    'add the label disk to incident 1',
    'make bob commander',
    'finish the task “fail over”',
    'resolve incident 1',
  ])
    expect(words).toContain(`I could not ${what}. This waited while Muster’s database was restored from a backup`);

  const [message] = told();
  if (!message) throw new Error('alice was told nothing');
  await alice.press(message, { text: 'Try again', near: 'severity' });
  await place.quiet();
  expect((await incident()).severity).toBe('major');
  // The other buttons stay.
  await alice.press(told()[0] ?? message, { text: 'Try again', near: 'rename' });
  await place.quiet();
  expect((await incident()).title).toBe('The disk is full');
});

test('what took effect since and still holds is neither done again nor asked about', async () => {
  const { room, open } = await openLostDisk([
    '/incident severity major',
    '/incident title The disk is full',
    '/incident label disk',
    '/role assign @bob commander',
    '/task done 1',
    '/note we fail over',
  ]);
  // The Muster that starts on the backup finds the end of the outage again, perhaps a second later.
  const lines = () =>
    room.messages
      .filter(each => each.ephemeralTo === undefined && !each.subtype)
      .map(each => each.text.replace(/again after \d+ s/, 'again after a while'));
  const before = lines();
  const { incident, told } = await open();
  expect(told()).toEqual([]);
  const now = await incident();
  expect([now.severity, now.title, now.labels.map(each => each.label)]).toEqual([
    'major',
    'The disk is full',
    ['disk'],
  ]);
  expect(now.taskList.tasks[0]?.status).toBe('done');
  expect(lines()).toEqual(before);
});

test('lines that Slack did not show yet when the backup was made stand there once, with what joined them later', async () => {
  const folder = await openFolder();
  const [file, copy] = [join(folder, 'data', 'muster.db'), join(folder, 'copy.db')];
  const { slack, place, home, type, alice, now } = await openIncident({ databaseFile: file });
  slack.fail('chat.postMessage', { status: 503, body: 'Service Unavailable' }, { times: 1000 });
  for (const word of ['first', 'second', 'third']) await type(`/note the ${word} finding`);
  await openProgram().run('backup', '--out', copy, '--database', `sqlite:${file}`);
  slack.heal();
  await type('/note the fourth finding');
  const findings = () =>
    home.messages
      .filter(each => each.ephemeralTo === undefined)
      .flatMap(each => each.text.match(/the \w+ finding/g) ?? []);
  await expect.poll(findings).toEqual(['first', 'second', 'third', 'fourth'].map(word => `the ${word} finding`));

  await place[Symbol.asyncDispose]();
  await openProgram().run('restore', copy, '--database', `sqlite:${file}`);
  const again = await openWorkplace({ slack, databaseFile: file, clock: now });
  slack.connectApp(`${again.muster.url}/slack/events`);
  await alice.command(home, '/note the fifth finding');
  await again.quiet();
  await expect.poll(findings).toContain('the fifth finding');
  expect(findings()).toEqual(['first', 'second', 'third', 'fourth', 'fifth'].map(word => `the ${word} finding`));
});
