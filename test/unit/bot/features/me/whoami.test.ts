import { expect, test } from 'vitest';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { openBareGeneral } from '../../../../support/general.ts';
import { lastMessage } from '../../../../support/incident-room.ts';

const users = [
  { userID: 'grafana-user:1', name: 'Alice Doe', email: 'alice.doe@corp.example' },
  { userID: 'grafana-user:2', name: 'Bob Roe', email: 'bob@corp.example' },
  { userID: 'grafana-user:3', name: 'Zoe', email: 'zoe@corp.example' },
];

/** Alice and bob in #general, and a Grafana that knows bob by his e-mail address and alice by none of hers. */
async function openTeam() {
  const grafana = await openFakeGrafana({ users });
  const team = await openBareGeneral({
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

test('whom the API takes somebody for is shown, by command and by mention', async () => {
  const { type, place, alice, bob, gus, act } = await openTeam();
  for (const line of ['/muster whoami', '/incident whoami']) {
    const shown = await type(line);
    expect(shown).toContain(
      'In Slack you are alice (alice@home.example), a full member; your time zone is Europe/Berlin.',
    );
    expect(shown).toContain(
      `In Grafana nobody has your Slack account or e-mail address, so you are recorded as slack:${alice.id}.`,
    );
    expect(shown).toContain('[This is me]');
  }
  expect(await type('/muster whoami', 'general', bob)).toContain(
    'In Grafana you are Bob Roe (bob@corp.example), found by your e-mail address.',
  );
  await act(() => alice.mention('general', 'whoami'));
  expect(place.lastRead(alice, 'general')).toContain('In Slack you are alice');
  const guest = await type('/muster whoami', 'general', gus);
  expect(guest).toContain('a guest who may read and not change incidents');
  expect(guest).not.toContain('This is me');
});

test('nobody becomes somebody else: a user who belongs to another person is neither offered nor taken', async () => {
  const { type, place, bob, mallory, alice, link, general, act } = await openTeam();
  await type('/muster whoami', 'general', bob);
  await type('/muster whoami', 'general', mallory);
  await act(() => mallory.press(lastMessage(place, mallory, general), 'This is me'));
  const options = JSON.stringify(mallory.view?.blocks);
  expect(options).toContain('Alice Doe');
  expect(options).not.toContain('Bob Roe');
  // Alice is quicker: mallory's form still offers her user.
  await link(alice, 'grafana-user:1');
  await act(() => mallory.submit({ user: 'grafana-user:1' }));
  expect(place.lastRead(mallory, 'general')).toContain(
    'I did not link you to Alice Doe (alice.doe@corp.example): that user belongs to somebody else',
  );
  expect(await type('/muster whoami', 'general', mallory)).toContain('nobody has your Slack account or e-mail address');
});

test('a link to somebody who comes later gives nothing of theirs, and ends', async () => {
  const { type, place, bob, mallory, link, incident, general, act } = await openTeam();
  expect(await link(mallory, 'grafana-user:2')).toContain('You are linked to Bob Roe');
  await type('/incident declare Disk is full --now', 'general', bob);
  await type('/note add It is the log --incident 1', 'general', bob);
  await type('/note list --incident 1', 'general', mallory);
  await act(() => mallory.press(lastMessage(place, mallory, general), 'Important'));
  const { activityItems } = await place.api.ActivityService.QueryActivity({ query: { incidentID: '1' } });
  expect(activityItems.map(each => each.body).join(), 'a change of bob’s note names mallory').toContain(
    '❗ It is the log\n\n— bob in Slack, edited by mallory',
  );
  await type('/role assign me observer --incident 1', 'general', mallory);
  const ids = (await incident()).incidentMembership.assignments.map(each => each.user.userID);
  expect(ids).toEqual([`slack:${mallory.id}`]);
  expect(await type('/muster whoami', 'general', mallory)).toContain('nobody has your Slack account or e-mail address');
});

test('a part of a name narrows the users down, and a guest is not linked', async () => {
  const { type, place, alice, gus } = await openTeam();
  await type('/muster whoami zoe');
  const shown = JSON.stringify(alice.view?.blocks);
  expect(shown).toContain('Zoe');
  expect(shown).not.toContain('Alice Doe');
  await alice.submit();
  expect(alice.view).toBeDefined();
  expect(await type('/muster whoami nobody')).toContain('Grafana has no user who fits “nobody” and could be you.');
  expect(await type('/muster whoami zoe', 'general', gus)).toContain('Guests hold no roles');
  await place.quiet();
});

test('the link of the API itself is shown, and cannot be changed here', async () => {
  const grafana = await openFakeGrafana();
  const { type, alice, slack } = await openBareGeneral({ settings: grafana.settings });
  const linked = { userID: 'grafana-user:3', name: 'Zoe', slackUserID: alice.id, slackTeamID: slack.teamId };
  const body = JSON.stringify({ users: [linked], query: { limit: 500 }, cursor: null, error: '' });
  grafana.fail({ when: /QueryUsers/, answer: { status: 200, body } });
  const shown = await type('/muster whoami');
  expect(shown).toContain('In Grafana you are Zoe, found by your Slack account.');
  expect(shown).not.toContain('This is me');
  expect(await type('/muster whoami zoe')).toContain('Grafana links your Slack account to a user itself.');
});
