import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openIncident } from '../support/incident-room.ts';

/** An incident in a Grafana that has ids of its own for people, and lists nobody. */
async function openResolved() {
  const grafana = await openFakeGrafana({ ownIds: true });
  const opened = await openIncident({ settings: grafana.settings });
  return { ...opened, grafana, room: () => opened.place.reads(opened.bob, opened.home.id).join('\n') };
}

test('a role that is given is told as what it is, and no other holder is made up', async () => {
  const { type, room, bob, home, place, alice, incident } = await openResolved();
  const receipt = await type('/role assign @bob commander');
  expect(receipt).not.toContain('too');
  await place.quiet();
  expect(room()).toContain('@bob is now commander');
  expect(room()).not.toContain('Outside Slack');
  const [holder] = (await incident()).incidentMembership.assignments;
  expect(holder?.user.userID).toBe(`grafana-incident:user-${bob.id}`);
  expect(place.reads(alice, home.id)[0], 'the card').toMatch(/ommander.*@bob/);
});

test('nobody’s name goes to a Grafana in a header', async () => {
  const { type, grafana } = await openResolved();
  await type('/task add fail over @bob');
  expect(grafana.requests.length).toBeGreaterThan(5);
  expect(grafana.named).toEqual([]);
});

test('what is whose is known to the lists of one, and to what they give back', async () => {
  const { type, bob, room, incident } = await openResolved();
  await type('/role assign @bob observer');
  await type('/task add fail over @bob');
  expect(await type('/role list me', bob)).toContain('observer');
  expect(await type('/task list me', bob)).toContain('fail over');
  await type('/role leave observer', bob);
  expect((await incident()).incidentMembership.assignments.filter(each => each.user.userID !== '')).toEqual([]);
  expect(room()).not.toContain('Outside Slack');
});

test('a role that is handed over stays with one person, also to and fro', async () => {
  const { type, alice, bob, incident, room } = await openResolved();
  const holders = async () =>
    (await incident()).incidentMembership.assignments.map(each => each.user.userID).filter(each => each !== '');
  await type('/role assign me commander');
  await type('/role handover @bob commander');
  expect(await holders()).toEqual([`grafana-incident:user-${bob.id}`]);
  await type('/role handover @alice commander', bob);
  expect(await holders()).toEqual([`grafana-incident:user-${alice.id}`]);
  await type('/role handover @alice commander', bob);
  expect(await holders()).toEqual([`grafana-incident:user-${alice.id}`]);
  expect(room()).not.toContain('Outside Slack');
});
