import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { openGeneral } from '../support/general.ts';
import { lastMessage, notesOf } from '../support/incident-room.ts';

const users = [
  { userID: 'grafana-user:1', name: 'Alice Doe', email: 'alice.doe@corp.example' },
  { userID: 'grafana-user:2', name: 'Bob Roe', email: 'bob@corp.example' },
  { userID: 'grafana-user:3', name: 'Zoe', email: 'zoe@corp.example' },
];

/** Alice and bob in #general, and a Grafana that knows bob by his e-mail address and alice by none of hers. */
async function openTeam() {
  const grafana = await openFakeGrafana({ users });
  const team = await openGeneral({
    settings: grafana.settings,
    profile: { email: 'alice@home.example', tz: 'Europe/Berlin' },
  });
  const { place, slack, general, alice } = team;
  const bob = slack.addPerson({ name: 'bob', email: 'bob@corp.example' });
  const mallory = slack.addPerson({ name: 'mallory', email: 'mallory@home.example' });
  const gus = slack.addPerson({ name: 'gus', isRestricted: true });
  for (const person of [bob, mallory]) person.join(general);
  alice.invite(general, gus);
  /** Links a person by the form. */
  const link = async (person: typeof alice, user: string) => {
    await team.type('/muster whoami', 'general', person);
    await person.press(lastMessage(place, person, general), 'This is me');
    await place.quiet();
    await person.submit({ user });
    await place.quiet();
    return place.lastRead(person, 'general');
  };
  const incident = async () => (await place.api.IncidentsService.GetIncident({ incidentID: '1' })).incident;
  return { ...team, bob, mallory, gus, link, incident };
}

test('somebody links themselves; their roles and tasks go to that user, and the timeline says by whose word', async () => {
  const { type, place, alice, link, incident, slack, act } = await openTeam();
  expect(await link(alice, 'grafana-user:1')).toContain('You are linked to Alice Doe (alice.doe@corp.example).');
  expect(await type('/muster whoami')).toContain('In Grafana you say that you are Alice Doe (alice.doe@corp.example).');

  await type('/incident declare Disk is full --commander --now');
  const [holder] = (await incident()).incidentMembership.assignments;
  expect([holder?.user.userID, holder?.role.name]).toEqual(['grafana-user:1', 'commander']);
  const room = slack.channels.find(each => each.name.startsWith('inc-1'))?.name ?? '';
  expect(await type('/role assign me observer', room)).toContain('You ');
  expect(place.reads(alice, room).join('\n')).toContain(
    '@alice took the role observer (recorded as “Alice Doe”, by their own statement)',
  );
  await type('/task add Swap it @me', room);
  expect((await incident()).taskList.tasks[0]?.assignedUser?.userID).toBe('grafana-user:1');
  const said = 'alice in Slack is recorded as “Alice Doe” here. Only alice says that they are the same person.';
  expect((await notesOf(place, '1')).map(each => each.body)).toEqual([said, said, said]);
  expect(await type('/muster whoami', room)).toContain('In this incident you are commander and observer.');
  expect(await type('/role unassign @alice observer', room)).toContain('You ');

  await type('/muster whoami', room);
  await act(() => alice.press(lastMessage(place, alice, slack.channel(room)), 'Unlink'));
  expect(place.lastRead(alice, room)).toContain('Unlinked.');
  await type('/task add Check it @me', room);
  expect((await incident()).taskList.tasks[1]?.assignedUser?.userID).toBe(`slack:${alice.id}`);
});
