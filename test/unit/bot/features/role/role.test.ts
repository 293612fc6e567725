import { expect, test } from 'vitest';
import { openFakeGrafana } from '../../../../support/fake-grafana.ts';
import { phrases } from '../../../../support/phrases.ts';
import { readList } from '../../../../support/table.ts';
import { openVerbs, shareVerbs, type VerbOptions } from '../../../../support/verbs.ts';

const home = 'inc-1-checkout-answers-500';

/** An incident, who holds which role in it, and what its room was told of that. `type` yields everything new that is read. */
async function openRoles(options: VerbOptions = {}) {
  return toRoles(await openVerbs(options));
}

function toRoles(opened: Awaited<ReturnType<typeof openVerbs>>) {
  return {
    ...opened,
    type: opened.typeAndReadAll,
    announced: async () => (await opened.publicLines()).filter(line => line.includes(' made ')),
  };
}

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
  expect(await announced()).toEqual([
    ':bust_in_silhouette: @alice made @bob investigator',
    ':bust_in_silhouette: @alice made @bob observer',
    ':bust_in_silhouette: @alice made @carol commander',
    ':bust_in_silhouette: @alice made @carol observer',
  ]);
  expect(await type('/role ic @bob')).toContain('You ');
});

test('nobody is guessed, and nobody from outside is named', async () => {
  const { readCard, slack, alice, type, held } = await openRoles();
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
  expect(await readCard()).toContain('Take command');
});

test('a missing role or name opens a form, prefilled; sent twice it counts once', async () => {
  const { publicLines, place, alice, bob, type, press, showCard, last, held, announced, act } = await openRoles();
  await type('/role assign');
  expect(alice.view?.values).toMatchObject({ person: { person: { selected_user: alice.id } } });
  await act(() => alice.submitTwice({ person: bob, role: 'commander' }));
  expect(await held()).toEqual(['bob: commander']);
  expect(await announced()).toEqual([':bust_in_silhouette: @alice made @bob commander']);
  expect((await publicLines()).join()).toContain('made @bob commander');

  await type('/role assign @bob');
  await act(() => alice.submit({ role: 'observer' }));
  await type('/role observer');
  await act(() => alice.submit());
  await type('/role assign @alice @bob');
  await act(() => alice.submit({ role: 'investigator' }));
  expect(await held()).toEqual([
    'bob: commander',
    'bob: observer',
    'alice: observer',
    'alice: investigator',
    'bob: investigator',
  ]);

  await press(await showCard(), 'Roles');
  await press(last(), 'Assign role');
  expect((await alice.submit({ role: '' })).failed).toBe('incomplete');
  place.slack.addPerson({ name: 'robot', isBot: true });
  await act(() => alice.submit({ role: 'commander', person: 'robot' }));
  expect(place.lastRead(alice, home)).toContain('@robot is a bot: name a person. Nobody was assigned.');
});

test('the card offers command while nobody has it', async () => {
  const { readCard, press, showCard, held, announced, publicLines } = await openRoles();
  await press(await showCard(), 'Take command');
  expect((await publicLines()).join()).toContain('@alice took command');
  expect(await readCard()).not.toContain('Take command');
  expect(await held()).toEqual(['alice: commander']);
  expect(await announced()).toEqual([]);
  expect(await readCard()).toContain('[Tasks] [Edit] [Call] [Resolve] [Roles] [Catch me up]');
});

test('a role is taken away: by name, by role, from people who left; and honestly when it was not held', async () => {
  const { readCard, place, slack, type, held } = await openRoles();
  await type('/role assign @bob commander');
  expect(await type('/role unassign @carol commander')).toContain(`@carol is not commander. ${phrases.unchanged}`);
  expect(await type('/role unassign commander')).toContain('You ');
  expect(await readCard()).toContain('Take command');
  expect(await type('/role unassign commander')).toContain(`Nobody is commander. ${phrases.unchanged}`);
  expect(await type('/role remove @bob')).toContain('@bob has no role in this incident.');
  await type('/role assign @bob @carol observer');
  await type('/role assign @bob investigator');
  expect(await type('/role remove observer')).toContain('@bob and @carol are observer. Say who should lose it');
  expect(await type('/role remove @bob')).toContain('@bob is observer and investigator. Say which role to take');
  expect(await type('/role remove @carol')).toContain('You ');
  expect(await type('/role remove @bobby observer')).toContain('I do not know @bobby');
  expect(await type('/role remove')).toContain('Say who should lose which role');
  expect(await type('/role remove observr')).toContain('did you mean observer?');
  const robot = slack.addPerson({ name: 'robot', isBot: true });
  await place.api.IncidentsService.AssignRole({ incidentID: '1', userID: `slack:${robot.id}`, role: 'commander' });
  expect(await type('/role remove @robot commander')).toContain('You ');
  expect(await held()).toEqual(['bob: observer', 'bob: investigator']);
});

const room = shareVerbs();

test.each(
  readList(`
  /role step down | /role leave | /role leave commander | /role drop | /role drop my role | /role resign
  /role give up commander please | /role quit | /role stepdown as commander | /incident step down
  @muster step down | @muster I step down as commander
`),
)('somebody gives their own role up: “%s”', async line => {
  const { type, held, act, alice, home, publicLines } = toRoles(room());
  await type('/role assign me commander');
  await type('/role assign @bob observer');
  if (line.startsWith('/')) await type(line);
  else await act(() => alice.mention(home, line.replace('@muster ', '')));
  expect(await held()).toEqual(['bob: observer']);
  expect((await publicLines()).at(-1)).toContain('@alice gave up command');
});

test('the eleventh holder is seen, though a Grafana names ten in an incident', async () => {
  const grafana = await openFakeGrafana();
  const { readCard, place, slack, alice, bob, type, showCard, press } = await openRoles({ settings: grafana.settings });
  const assign = (userID: string, role: string) =>
    place.api.IncidentsService.AssignRole({ incidentID: '1', userID, role });
  const asked = () => grafana.requests.filter(each => each.includes('GetIncidentMembership')).length;
  for (let at = 1; at <= 9; at += 1) await assign(`slack:${slack.addPerson({ name: `p${at}` }).id}`, 'observer');
  await type('/role list');
  expect(asked(), 'nine are all').toBe(0);
  const before = await showCard();
  await assign(`slack:${alice.id}`, 'observer');
  await assign(`slack:${bob.id}`, 'commander');
  expect(await type('/role list')).toContain('commander: @bob');
  expect(asked()).toBeGreaterThan(0);
  await press(before, 'Take command');
  expect(place.reads(alice, home).join('\n')).toContain(`@bob is commander already. ${phrases.unchanged}`);
  expect(await readCard()).not.toContain('Take command');

  grafana.fail({ when: /GetIncidentMembership/, answer: { status: 500, body: '{}' } });
  expect(await type('/role list'), 'without that call, ten are shown').toContain('observer: ');
});

test.each([
  ['of the name that the settings say', { COMMANDER_ROLE: 'first responder' }, 'First Responder', false],
  ['that matters first, where no role has that name', {}, 'Incident Owner', true],
] as const)('command is the role %s', async (_how, settings, lead, isCommanderGone) => {
  const { readCard, bob, type, press, showCard, held } = await openVerbs({
    settings,
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
  await type('/role lead me');
  expect(await held()).toEqual([`alice: ${lead}`]);
  expect(await readCard()).not.toContain('Take command');

  await type(`/role unassign @alice ${lead}`);
  expect(await readCard()).toContain('Take command');
  await press(await showCard(), 'Take command', bob);
  expect(await held()).toEqual([`bob: ${lead}`]);
  expect(await readCard()).not.toContain('Take command');
  await type(`/role unassign @bob ${lead}`);
  expect(await type('/role lead @carol')).toContain('You ');
  expect(await held()).toEqual([`carol: ${lead}`]);
});

test('a role that was given or taken although the first answer was lost is told as given or taken', async () => {
  const grafana = await openFakeGrafana();
  const { type, publicLines } = await openRoles({ settings: grafana.settings });
  const loseOneAnswer = (when: RegExp) => grafana.fail({ when, afterEffect: true, answer: 'half a body', times: 1 });
  loseOneAnswer(/IncidentsService\.AssignRole/);
  expect(await type('/role assign @carol observer')).toContain('You made @carol observer');
  loseOneAnswer(/UnassignRole/);
  expect(await type('/role unassign @carol observer')).toContain('You ');
  const lines = (await publicLines()).join('\n');
  expect(lines).toContain('@alice made @carol observer');
  expect(lines).toContain('@alice took the role observer from @carol');
});

test('unknown and archived roles are explained, and a button does what was meant', async () => {
  const { place, type, press, held, last } = await openRoles();
  const { roles } = await place.api.RolesService.GetRoles({});
  const scribe = await place.api.RolesService.CreateRole({ role: { ...roles[2]!, roleID: 0, name: 'Scribe <!here>' } });
  await place.api.RolesService.ArchiveRole({ roleID: scribe.role.roleID });
  const unknown = await type('/role assign @bob comander');
  expect(unknown).toContain('There is no role “comander”: did you mean commander? Nobody was assigned.');
  expect(await press(last(), 'Assign commander')).toContain('You ');
  expect(await held()).toEqual(['bob: commander']);
  expect(await type('/role assign me wizard')).toContain('There is no role “wizard”: roles here are commander,');
  expect(await type('/role assign me scribe <!here>')).toContain(
    'The role “Scribe <!here>” is archived: roles here are commander,',
  );
  expect(await type(`/role assign me ${'x'.repeat(3000)} <!channel>\u0007`)).toContain('There is no role “xxx');
  expect(JSON.stringify(last().blocks)).not.toMatch(/"mrkdwn","text":"[^"]*<!(channel|here)/);
});

test('the list shows who holds what, and what nobody holds can be taken, once', async () => {
  const takeCommand = { value: JSON.stringify({ incidentID: '1', role: 'commander', inList: true, page: 0 }) };
  const { place, alice, bob, type, press, last, held } = await openRoles();
  await type('/role assign @bob observer');
  expect(await type('/role list')).toBe(
    [
      'Roles of incident 1 “Checkout answers 500”',
      'commander: :warning: nobody',
      'Owns the incident (has their full-time attention)',
      '[Take]',
      'investigator: :warning: nobody',
      'Finds the cause',
      '[Take]',
      'observer: @bob',
      'Watching the incident',
      '[Hand over] [Remove]',
      '[Assign role] [Post to channel]',
    ].join('\n'),
  );
  await type('/role list', bob);
  const stale = last(bob);
  const count = place.messages(alice, home).length;
  await type('/roles show');
  const taken = await press(last(), takeCommand);
  expect(taken).toContain('You took command');
  expect(taken).toContain('commander: @alice\n');
  expect(place.messages(alice, home)).toHaveLength(count + 1);
  expect(await press(stale, takeCommand, bob)).toContain(`@alice is commander already. ${phrases.unchanged}`);
  expect(await held()).toEqual(['bob: observer', 'alice: commander']);

  const { roles } = await place.api.RolesService.GetRoles({});
  const observer = roles.find(role => role.name === 'observer');
  await place.api.RolesService.ArchiveRole({ roleID: observer?.roleID ?? 0 });
  const listed = await type('/role list');
  expect(listed).toContain('observer');
});

test('of several roles one is asked which to give up, nobody else’s is taken, and nothing without one', async () => {
  const { type, held, press, last } = await openRoles();
  await type('/role assign @bob investigator');
  expect(await type('/role leave')).toContain('You have no role in this incident. Nothing was changed.');
  await type('/role assign me commander');
  await type('/role assign me observer');
  expect(await type('/role leave investigator')).toContain('You are not investigator. Nothing was changed.');
  expect(await type('/role drop investigator')).toContain('You are not investigator. Nothing was changed.');
  const asked = await type('/role step down');
  expect(asked).toContain('Which role do you give up?');
  expect(asked).toContain('[commander]');
  expect(asked).toContain('[All of them]');
  expect(await held()).toHaveLength(3);
  await press(last(), 'observer');
  expect(await held()).toEqual(['bob: investigator', 'alice: commander']);
  await type('/role assign me observer');
  await type('/role step down');
  await press(last(), 'All of them');
  expect(await held()).toEqual(['bob: investigator']);
  await type('/role assign me observer');
  await type('/role assign me commander');
  await type('/role leave all');
  expect(await held()).toEqual(['bob: investigator']);
  await type('/role drop @bob investigator');
  expect(await held()).toEqual([]);
});

test('whoever the API met under another id before loses the role all the same', async () => {
  const { place, bob, type } = await openRoles({
    prepare: async (api, { id, name }) => {
      const met = { userID: 'grafana-user:5', name, slackUserID: id };
      const { incident } = await api.IncidentsService.CreateIncident(
        { title: 'Another', severity: 'minor', labels: [], roomPrefix: '', isDrill: true, status: 'resolved' },
        { people: { actor: met } },
      );
      expect(incident.incidentID).toBe('1');
    },
  });
  for (const role of ['commander', 'observer']) {
    await place.api.IncidentsService.AssignRole({ incidentID: '2', userID: `slack:${bob.id}`, role });
  }
  expect(await type('/role unassign @bob commander')).toContain('You ');
  expect(await type('/role unassign @bob')).toContain('You ');
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '2' });
  expect(incident.incidentMembership.assignments).toEqual([]);
});

test('the person who gives a role reads that its receiver could not be told', async () => {
  const { slack, carol, type, held } = await openRoles();
  slack.fail('chat.postMessage', { error: 'cannot_dm_bot' }, { when: args => args.channel === carol.id });
  expect(await type('/role assign @carol commander')).toContain(
    '@carol does not know yet: I could not tell them. Slack said cannot_dm_bot.',
  );
  expect(await held()).toEqual(['carol: commander']);
});

test('guests and strangers give nothing; an incident that is not there is said; elsewhere one picks', async () => {
  const { place, slack, alice, general, type, held, act } = await openRoles();
  const guest = slack.addPerson({ name: 'guest', isRestricted: true });
  const stranger = slack.addPerson({ name: 'stranger', isStranger: true, teamId: 'T0OTHER' });
  guest.join(home);
  alice.share(home);
  stranger.join(home);
  expect(await type('/role assign me commander', guest)).toContain('guests cannot change incidents');
  expect(await type('/role list', guest)).toContain('commander: :warning: nobody');
  expect(await type('/role assign me commander', stranger)).toContain('another workspace or organisation');
  expect(await type('/role assign me commander --incident 99')).toContain(phrases.noIncident(99));
  expect(await type('/role list --incident 99')).toContain(phrases.noIncident(99));
  expect(await type('/role assign me commander', alice, general)).toContain('Which one do you mean');
  const message = place.messages(alice, 'general').at(-1);
  if (!message) throw new Error('no picker');
  await act(() => alice.press(message, '#1 Checkout answers 500'));
  expect(await held()).toEqual(['alice: commander']);
  expect(await type('/role unasign @bob commander')).toContain('Did you mean /role unassign');
});

test('a guest gets no role, however it is tried, and can lose one', async () => {
  const { place, type, press, submit, held, last, gus, alice } = await openRoles();
  const words = '@gus is a guest and could not act in that role: name a full member.';
  expect(await type('/role assign @gus commander')).toContain(words);
  expect(await type('/role assign @bob @gus observer')).toContain(words);
  await type('/role assign @gus comander');
  expect(await press(last(), 'Assign commander')).toContain(words);
  await type('/role assign');
  await submit({ person: gus, role: 'observer' });
  expect(place.lastRead(alice, home)).toContain(words);
  expect(await held()).toEqual([]);

  gus.change({ isRestricted: false });
  await place.quiet();
  await type('/role assign @gus commander');
  gus.change({ isRestricted: true });
  await place.quiet();
  expect(await held()).toEqual(['gus: commander']);
  expect(await type('/role unassign @gus commander')).toContain('You ');
});

test('where no role leads, the card offers no command, and a declaration says why nobody has it', async () => {
  const { place, alice, type, readCard } = await openVerbs({
    prepare: async api => {
      const { roles } = await api.RolesService.GetRoles({});
      for (const { roleID } of roles.slice(0, 2)) await api.RolesService.ArchiveRole({ roleID });
    },
  });
  expect(await readCard()).toContain('Checkout answers 500');
  expect(await readCard()).not.toContain('Take command');
  expect(await type('/role lead me')).toContain('There is no role “lead”: roles here are observer.');
  await type('/incident declare Disk is full --commander --now');
  expect(place.reads(alice, home).join('\n')).toContain('COMMANDER_ROLE');
});

test.each([
  '/role assign me as incident commander please',
  '/role me commander, please!',
  '/role please assign me commander',
])('%s gives the role', async line => {
  const { type, incident } = await openVerbs();
  await type(line);
  const { assignments } = (await incident()).incidentMembership;
  expect(assignments.map(each => [each.role.name, each.user.name])).toEqual([['commander', 'alice']]);
});
