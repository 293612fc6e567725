import { expect, test } from 'vitest';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs, type VerbOptions } from '../../../../support/verbs.ts';

const home = 'inc-1-checkout-answers-500';

/** An incident, who holds which role in it, and what its room was told of that. `type` yields everything new that is read. */
async function openRoles(options: VerbOptions = {}) {
  const opened = await openVerbs(options);
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

test('unknown and archived roles are explained, and a button does what was meant', async () => {
  const { place, type, press, held, last } = await openRoles();
  const { roles } = await place.api.RolesService.GetRoles({});
  const scribe = await place.api.RolesService.CreateRole({ role: { ...roles[2]!, roleID: 0, name: 'Scribe <!here>' } });
  await place.api.RolesService.ArchiveRole({ roleID: scribe.role.roleID });
  const unknown = await type('/role assign @bob comander');
  expect(unknown).toContain('There is no role “comander”: did you mean commander? Nobody was assigned.');
  expect(await press(last(), 'Assign commander')).toContain('Done.');
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
  expect(taken).toContain('@alice is now commander');
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
  expect(await type('/role unassign @bob commander')).toContain('Done.');
  expect(await type('/role unassign @bob')).toContain('Done.');
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
  const { place, slack, alice, general, type, held } = await openRoles();
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
  await alice.press(message, '#1 Checkout answers 500');
  await place.quiet();
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
  expect(await type('/role unassign @gus commander')).toContain('Done.');
});

test('where no role leads, the card offers no command, and a declaration says why nobody has it', async () => {
  const { place, alice, type } = await openVerbs({
    prepare: async api => {
      const { roles } = await api.RolesService.GetRoles({});
      for (const { roleID } of roles.slice(0, 2)) await api.RolesService.ArchiveRole({ roleID });
    },
  });
  expect(place.reads(alice, home).join('\n')).not.toContain('Take command');
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
