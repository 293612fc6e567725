import { expect, test } from 'vitest';
import { openFakeGrafana } from '../support/fake-grafana.ts';
import { type IncidentOptions, openIncident } from '../support/incident-room.ts';
import { phrases } from '../support/phrases.ts';

const home = 'inc-1-checkout-answers-500';

/** An incident, who holds which role in it, and what its room was told of that. `type` yields everything new that is read. */
async function openRoles(options: IncidentOptions = {}) {
  const opened = await openIncident(options);
  const { place, bob } = opened;
  return {
    ...opened,
    type: opened.typeAndReadAll,
    held: async () =>
      (await opened.incident()).incidentMembership.assignments.map(each => `${each.user.name}: ${each.role.name}`),
    announced: () =>
      place.reads(bob, home).flatMap(text => text.split('\n').filter(line => line.includes('assigned by'))),
  };
}

test('somebody gets a role: the channel is told, they are invited, the card and the timeline follow', async () => {
  const { place, slack, alice, carol, type, held, announced } = await openRoles();
  const answer = await type('/role assign @carol commander');
  expect(answer).toContain(':bust_in_silhouette: @carol is now commander');
  expect(announced()).toEqual([':bust_in_silhouette: @carol is now commander (assigned by @alice)']);
  expect(slack.channel(home).members).toContain(carol.id);
  expect(await held()).toEqual(['carol: commander']);
  expect(place.reads(alice, home)[0]).toContain('Commander @carol');
  expect(place.reads(alice, home)[0]).not.toContain('Take command');
  const { activityItems } = await place.api.ActivityService.QueryActivity({ query: { incidentID: '1' } });
  const item = activityItems.find(each => each.activityKind === 'roleAssigned');
  expect([item?.body, item?.user.name, item?.subjectUser.name]).toEqual([
    'carol assigned as commander',
    'alice',
    'carol',
  ]);

  expect(await type('/role assign commander @carol')).toBe(`@carol is commander already. ${phrases.unchanged}`);
  expect(announced()).toHaveLength(1);
});

test('either order, shorthands, several people, and me', async () => {
  const { type, held, announced } = await openRoles();
  await type('/role assign me commander');
  await type('/role Investigator @bob');
  await type('/role assign @bob as observer');
  await type('/inc commander @carol');
  await type('/role add observer to @alice @carol');
  await type('/role take investigator');
  expect(await held()).toEqual([
    'alice: commander',
    'bob: investigator',
    'bob: observer',
    'carol: commander',
    'alice: observer',
    'carol: observer',
    'alice: investigator',
  ]);
  expect(announced()).toEqual([
    ':bust_in_silhouette: @bob is now investigator (assigned by @alice)',
    ':bust_in_silhouette: @bob is now observer (assigned by @alice)',
    ':bust_in_silhouette: @carol is now commander (assigned by @alice)',
    ':bust_in_silhouette: @carol is now observer (assigned by @alice)',
  ]);
  expect(await type('/role ic @bob')).toContain('Done.');
});

test('nobody is guessed, and nobody from outside is named', async () => {
  const { place, slack, alice, type, held } = await openRoles();
  slack.addPerson({ name: 'robot', isBot: true });
  slack.addPerson({ name: 'gone', deleted: true });
  slack.addPerson({ name: 'stranger', isStranger: true, teamId: 'T0OTHER' });
  slack.addUserGroup({ handle: 'oncall', members: [alice] });
  const unknown = await type('/role assign @bobby commander');
  expect(unknown).toContain('I do not know @bobby: pick the name from Slack’s list while you type');
  expect(unknown).toContain('You typed: /role assign @bobby commander');
  expect(await type('/role commander bob')).toContain(
    'I do not know bob: pick the name from Slack’s list while you type',
  );
  expect(await type('/role assign @robot commander')).toContain('@robot is a bot: name a person. Nobody was assigned.');
  expect(await type('/role assign @gone commander')).toContain('@gone has left this workspace:');
  expect(await type('/role assign @bob @stranger commander')).toContain(
    '@stranger is from another workspace or organisation:',
  );
  expect(await type('/role assign @oncall commander')).toContain('@oncall is a group:');
  const many = Array.from({ length: 11 }, (_, at) => `@${slack.addPerson({ name: `p${at}` }).name}`);
  expect(await type(`/role assign ${many.join(' ')} observer`)).toContain('At most 10 people at once');
  slack.fail('users.info', { error: 'internal_error' }, { times: 5 });
  slack.addPerson({ name: 'dora' });
  expect(await type('/role assign @dora commander')).toContain('Slack did not tell me who @dora is: try again');
  expect(await held()).toEqual([]);
  expect(place.reads(alice, home)[0]).toContain('Take command');
});

test('a missing role or name opens a form, prefilled; sent twice it counts once', async () => {
  const { place, alice, bob, type, press, card, last, held, announced } = await openRoles();
  await type('/role assign');
  expect(alice.view?.values).toMatchObject({ person: { person: { selected_user: alice.id } } });
  await alice.submitTwice({ person: bob, role: 'commander' });
  await place.quiet();
  expect(await held()).toEqual(['bob: commander']);
  expect(announced()).toEqual([':bust_in_silhouette: @bob is now commander (assigned by @alice)']);
  expect(place.reads(alice, home).join()).toContain('@bob is now commander');

  await type('/role assign @bob');
  await alice.submit({ role: 'observer' });
  await place.quiet();
  await type('/role observer');
  await alice.submit();
  await place.quiet();
  await type('/role assign @alice @bob');
  await alice.submit({ role: 'investigator' });
  await place.quiet();
  expect(await held()).toEqual([
    'bob: commander',
    'bob: observer',
    'alice: observer',
    'alice: investigator',
    'bob: investigator',
  ]);

  await press(card(), 'Roles');
  await press(last(), 'Assign role');
  expect((await alice.submit({ role: '' })).failed).toBe('incomplete');
  place.slack.addPerson({ name: 'robot', isBot: true });
  await alice.submit({ role: 'commander', person: 'robot' });
  await place.quiet();
  expect(place.lastRead(alice, home)).toContain('@robot is a bot: name a person. Nobody was assigned.');
});

test('the card offers command while nobody has it', async () => {
  const { place, alice, bob, press, card, held, announced } = await openRoles();
  await press(card(), 'Take command');
  expect(place.reads(alice, home).join()).toContain('@alice is now commander');
  expect(place.reads(alice, home)[0]).not.toContain('Take command');
  expect(await held()).toEqual(['alice: commander']);
  expect(announced()).toEqual([]);
  expect(place.reads(bob, home)[0]).toContain('[Tasks] [Severity] [Call] [Resolve] [Catch me up] [⋯]');
});

test('a role is taken away: by name, by role, from people who left; and honestly when it was not held', async () => {
  const { place, slack, bob, type, held } = await openRoles();
  await type('/role assign @bob commander');
  expect(await type('/role unassign @carol commander')).toContain(`@carol is not commander. ${phrases.unchanged}`);
  expect(await type('/role unassign commander')).toContain('Done.');
  expect(place.reads(bob, home)[0]).toContain('Take command');
  expect(await type('/role unassign commander')).toContain(`Nobody is commander. ${phrases.unchanged}`);
  expect(await type('/role remove @bob')).toContain('@bob has no role in this incident.');
  await type('/role assign @bob @carol observer');
  await type('/role assign @bob investigator');
  expect(await type('/role remove observer')).toContain('@bob and @carol are observer. Say who should lose it');
  expect(await type('/role remove @bob')).toContain('@bob is observer and investigator. Say which role to take');
  expect(await type('/role remove @carol')).toContain('Done.');
  expect(await type('/role remove @bobby observer')).toContain('I do not know @bobby');
  expect(await type('/role remove')).toContain('Say who should lose which role');
  expect(await type('/role remove observr')).toContain('did you mean observer?');
  const robot = slack.addPerson({ name: 'robot', isBot: true });
  await place.api.IncidentsService.AssignRole({ incidentID: '1', userID: `slack:${robot.id}`, role: 'commander' });
  expect(await type('/role remove @robot commander')).toContain('Done.');
  expect(await held()).toEqual(['bob: observer', 'bob: investigator']);
});

test.each([
  '/role step down',
  '/role leave',
  '/role leave commander',
  '/role drop',
  '/role drop my role',
  '/role resign',
  '/role give up commander please',
  '/role quit',
  '/role stepdown as commander',
  '/incident step down',
  '@muster step down',
  '@muster I step down as commander',
])('somebody gives their own role up: “%s”', async line => {
  const { type, held, place, alice, bob, home } = await openRoles();
  await type('/role assign me commander');
  await type('/role assign @bob observer');
  if (line.startsWith('/')) await type(line);
  else {
    alice.mention(home, line.replace('@muster ', ''));
    await place.quiet();
  }
  expect(await held()).toEqual(['bob: observer']);
  expect(place.reads(bob, home.id).join('\n')).toContain('@alice is no longer commander');
});

test('what Slack refuses is said, and the role is given all the same', async () => {
  const { slack, type, held, place, alice, home: room } = await openRoles();
  slack.fail('conversations.invite', { error: 'restricted_action' });
  slack.fail('chat.postMessage', { error: 'is_archived' }, { times: 1, when: args => args.channel === room.id });
  const answer = await type('/role assign @carol commander');
  expect(answer).toContain('Done.');
  expect(answer).toContain(
    'I could not invite @carol to #inc-1-checkout-answers-500: this workspace does not let apps',
  );
  expect(place.lastRead(alice, slack.openDm(alice).id)).toContain(
    'I could not say so in #inc-1-checkout-answers-500: that channel is archived.',
  );
  expect(await held()).toEqual(['carol: commander']);
});

test('nobody gets into a private channel by giving themselves a role from outside', async () => {
  const { slack, bob, carol, general, type, held } = await openRoles({ flags: '--private' });
  const answer = await type('/role assign me commander --incident 1', bob, general);
  expect(answer).toContain(phrases.noIncident(1));
  expect(slack.channel(home).members).not.toContain(bob.id);
  await type('/role assign @carol observer');
  expect(slack.channel(home).members, 'nor by a role that somebody inside gives them').not.toContain(carol.id);
  expect(await held()).toEqual(['carol: observer']);
});

test('the eleventh holder is seen, though a Grafana names ten in an incident', async () => {
  const grafana = await openFakeGrafana();
  const { place, slack, alice, bob, type, card, press } = await openRoles({ settings: grafana.settings });
  const assign = (userID: string, role: string) =>
    place.api.IncidentsService.AssignRole({ incidentID: '1', userID, role });
  const asked = () => grafana.requests.filter(each => each.includes('GetIncidentMembership')).length;
  for (let at = 1; at <= 9; at += 1) await assign(`slack:${slack.addPerson({ name: `p${at}` }).id}`, 'observer');
  await type('/role list');
  expect(asked(), 'nine are all').toBe(0);
  await assign(`slack:${alice.id}`, 'observer');
  await assign(`slack:${bob.id}`, 'commander');
  expect(await type('/role list')).toContain('commander: @bob');
  expect(asked()).toBeGreaterThan(0);
  await press(card(), 'Take command');
  expect(place.reads(alice, home).join('\n')).toContain(`@bob is commander already. ${phrases.unchanged}`);
  expect(place.reads(alice, home)[0]).not.toContain('Take command');

  grafana.fail({ when: /GetIncidentMembership/, answer: { status: 500, body: '{}' } });
  expect(await type('/role list'), 'without that call, ten are shown').toContain('observer: ');
});

test.each([
  ['of the name that the settings say', { COMMANDER_ROLE: 'first responder' }, 'First Responder', false],
  ['that matters first, where no role has that name', {}, 'Incident Owner', true],
] as const)('command is the role %s', async (_how, settings, lead, isCommanderGone) => {
  const { place, alice, bob, type, press, card, held } = await openIncident({
    settings,
    flags: '--commander',
    prepare: async api => {
      const { roles } = await api.RolesService.GetRoles({});
      const [commander, investigator, observer] = roles;
      const make = (name: string, important: boolean) =>
        api.RolesService.CreateRole({ role: { ...observer!, roleID: 0, name, important } });
      await make('First Responder', false);
      await make('Incident Owner', true);
      if (!isCommanderGone) return;
      for (const role of [commander!, investigator!]) await api.RolesService.ArchiveRole({ roleID: role.roleID });
    },
  }).then(opened => ({
    ...opened,
    held: async () =>
      (await opened.incident()).incidentMembership.assignments.map(each => `${each.user.name}: ${each.role.name}`),
  }));
  expect(await held()).toEqual([`alice: ${lead}`]);
  expect(place.reads(alice, home).join('\n')).not.toContain('Take command');

  await type(`/role unassign @alice ${lead}`);
  expect(place.reads(alice, home)[0]).toContain('Take command');
  await press(card(), 'Take command', bob);
  expect(await held()).toEqual([`bob: ${lead}`]);
  expect(place.reads(alice, home)[0]).not.toContain('Take command');
  await type(`/role unassign @bob ${lead}`);
  expect(await type('/role lead @carol')).toContain('Done.');
  expect(await held()).toEqual([`carol: ${lead}`]);
});

test('a role that was given or taken although the first answer was lost is told as given or taken', async () => {
  const grafana = await openFakeGrafana();
  const { type, publicLines } = await openRoles({ settings: grafana.settings });
  const loseOneAnswer = (when: RegExp) => grafana.fail({ when, afterEffect: true, answer: 'half a body', times: 1 });
  loseOneAnswer(/IncidentsService\.AssignRole/);
  expect(await type('/role assign @carol observer')).toContain('@carol is now observer');
  loseOneAnswer(/UnassignRole/);
  expect(await type('/role unassign @carol observer')).toContain('Done.');
  const lines = publicLines().join('\n');
  expect(lines).toContain('@carol is now observer (assigned by @alice)');
  expect(lines).toContain('@carol is no longer observer (removed by @alice)');
});
