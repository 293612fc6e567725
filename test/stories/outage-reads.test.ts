import { expect, test } from 'vitest';
import { openOutage } from '../support/outage-room.ts';
import { phrases } from '../support/phrases.ts';

async function openRoom() {
  const clock = { now: new Date('2026-11-20T02:10:00Z') };
  const world = await openOutage({ clock: () => clock.now });
  await world.type('/incident declare Checkout answers 500 --now');
  const home = world.room();
  world.bob.join(home.id);
  await world.place.quiet();
  return { ...world, clock, home, here: (line: string, person = world.alice) => world.type(line, person, home.name) };
}

test('while the API is away, lists answer from memory: how old it is, and what is queued', async () => {
  const { here, clock, goAway, comeBack } = await openRoom();
  await here('/task add Call the vendor');
  await here('/role assign @bob investigator');
  await here('/note The vendor confirms');
  await here('/incident severity major');
  await here('/task list');
  goAway();
  clock.now = new Date('2026-11-20T02:22:00Z');
  await here('/task add Fail over');
  await here('/note It is their network');
  await here('/role assign @alice observer');

  const away = ':warning: Grafana cannot be reached. This is how it was 12 min ago.';
  const tasks = await here('/task list');
  expect(tasks).toContain(`${away}\nTasks of incident 1 “Checkout answers 500”: 1 open, 0 done\n`);
  expect(tasks).toContain('⬜ 1. Call the vendor · to do');
  expect(tasks).toMatch(/Saved: 1 change, made in this order\n⏳ add the task “Fail over” · saved /);
  expect(await here('/task list me')).toContain(`${away}\nYour tasks of incident 1`);

  const roles = await here('/role list');
  expect(roles).toContain(`${away}\nRoles of incident 1`);
  expect(roles).toContain('investigator: @bob');
  expect(roles).toMatch(/Saved: 1 change, made in this order\n⏳ make alice observer · saved /);
  expect(await here('/role list me')).toContain(`${away}\nYour roles in incident 1`);

  const remembered =
    ':warning: Grafana cannot be reached. This is what was done through Muster, as of Nov 20, 2026 2:10 AM.';
  const notes = await here('/note list');
  expect(notes).toContain(`${remembered}\nTimeline of incident 1, notes only, newest first\n`);
  expect(notes).toContain('2:10 AM :memo: @alice noted: “The vendor confirms”');
  expect(notes).not.toContain('Call the vendor');
  expect(notes).toContain('⏳ add “It is their network” to the timeline of incident 1');
  const timeline = await here('/incident timeline');
  expect(timeline.indexOf('Severity raised')).toBeLessThan(timeline.indexOf('The vendor confirms'));
  expect(timeline.indexOf('The vendor confirms')).toBeLessThan(timeline.indexOf('added task 1'));
  expect(await here('/incident timeline important')).toContain('Nothing was found.');

  await comeBack();
  expect(await here('/task list')).toContain('Tasks of incident 1 “Checkout answers 500”: 2 open, 0 done');
});

test('an incident that is not registered yet is in lists and pickers, and its own lists show what is queued', async () => {
  const { here, type, room, place, slack, alice, bob, general, goAway, comeBack, reads } = await openRoom();
  goAway();
  await type('/incident declare Payments are down --drill --now');
  const born = room();
  bob.join(born.id);
  const there = (line: string) => type(line, alice, born.name);
  expect(await there('/task list')).toBe(
    `⏳ This incident is ${phrases.unregistered}. Nothing is saved for its tasks.`,
  );
  await there('/task add Fail over');
  await there('/note It began at noon');
  await there('/role assign @bob investigator');
  expect(await there('/task list')).toMatch(/not registered yet.*\nSaved: 1 change.*\n⏳ add the task “Fail over”/);
  expect(await there('/note list')).toMatch(/not registered yet.*\nSaved: 1 change.*\n⏳ add “It began at noon”/);
  expect(await there('/incident timeline')).toMatch(/not registered yet.*\nSaved: 1 change/);
  expect(await there('/role list')).toMatch(/not registered yet.*\nSaved: 1 change.*\n⏳ make bob investigator/);

  const list = await type('/incident list', bob);
  expect(list).toContain(`⏳ ${phrases.unregistered} · 🧪 Drill · Payments are down`);
  expect(list.indexOf('Payments are down')).toBeLessThan(list.indexOf('Checkout answers 500'));
  expect(await type('/incident list payments', bob)).toContain('Payments are down');
  await type('/task add from elsewhere', bob);
  const asked = JSON.stringify(place.messages(bob, general.id).at(-1)?.blocks);
  expect(asked).toContain('Drill · Payments are down');
  expect(asked).toContain(phrases.unregistered);
  await bob.shortcut('add_timeline', alice.say(general, 'It is the payment provider'));
  await slack.settled();
  await place.quiet();
  expect(JSON.stringify(bob.view?.blocks)).toContain('Drill · Payments are down');
  await bob.close();

  await comeBack();
  expect(await there('/task list')).toContain('⬜ 1. Fail over · to do');
  expect(await here('/incident list')).not.toContain(phrases.unregistered);
  expect(reads(bob, born.name)).toBeDefined();
});

test('what nobody has seen is not answered from memory', async () => {
  const { type, api, goAway, alice } = await openRoom();
  await api.IncidentsService.CreateIncident({ title: 'Elsewhere', severity: 'minor', status: 'active', labels: [] });
  goAway();
  for (const line of ['/task list', '/role list', '/note list'])
    expect(await type(`${line} --incident 2`, alice), line).toContain('I could not look that up');
});
