import { expect, test } from 'vitest';
import { openIncident } from '../support/incident-room.ts';
import { openMore } from '../support/more-options.ts';
import { phrases } from '../support/phrases.ts';

const hidden = `${phrases.noIncident(1)}: it does not exist, or it is private and you are not in its channel.`;

test('nobody outside its room finds, reads or changes a private incident, or hears that there is one', async () => {
  const { type, carol, general, incident, api } = await openIncident({ flags: '--private' });
  expect(await type('/incident list', carol, general)).toBe(
    `${phrases.noIncidentYet}. Declare one with /incident declare.\n[Declare an incident]`,
  );
  for (const line of [
    '/incident status',
    '/task list',
    '/role list',
    '/note list',
    '/note add x',
    '/incident severity major',
  ]) {
    expect(await type(`${line} --incident 1`, carol, general), line).toContain(hidden);
    expect(await type(`${line} --incident 2`, carol, general), line).toContain(hidden.replace('1', '2'));
  }
  expect(await type('/role assign me commander --incident 1', carol, general)).toContain(hidden);
  expect(await type('/task list', carol, general)).toContain(`${phrases.noIncidentYet}.`);
  expect(await incident()).toMatchObject({ severity: 'pending', incidentMembership: { assignments: [] } });
  const { activityItems } = await api.ActivityService.QueryActivity({
    query: { incidentID: '1', activityKind: ['userNote'] },
  });
  expect(activityItems).toEqual([]);
});

test('who joins the room sees the incident from anywhere, and who leaves it does not any more', async () => {
  const { type, alice, carol, general, home, slack, place, act } = await openIncident({ flags: '--private' });
  await act(() => alice.invite(home, carol));
  expect(await type('/incident status --incident 1', carol, general)).toContain('Checkout answers 500');
  expect(await type('/incident list', carol, general)).toContain('Checkout answers 500');
  carol.leave(home);
  await slack.settled();
  await place.quiet();
  expect(await type('/incident status --incident 1', carol, general)).toContain(hidden);
  const old = place.messages(carol, 'general').find(each => JSON.stringify(each.blocks).includes('incident.edit'));
  if (!old) throw new Error('There is no old card');
  await act(() => carol.press(old, 'Edit'));
  expect(carol.view).toBeUndefined();
  expect(place.lastRead(carol, 'general')).toContain(hidden);
});

test('a room that is made private takes its announcement back', async () => {
  const { alice, carol, general, home, place, slack, type, announced } = await openIncident({ announces: true });
  expect(announced().join()).toContain('Checkout answers 500');
  expect(await type('/incident list', carol, general)).toContain('Checkout answers 500');
  alice.makePrivate(home);
  await slack.settled();
  await place.quiet();
  expect(announced()).toEqual([]);
  expect(await type('/incident status --incident 1', carol, general)).toContain(hidden);
  expect(await type('/role assign me observer --incident 1', carol, general)).toContain(hidden);
  expect(slack.channel(home.id).members).not.toContain(carol.id);
  expect(await type('/incident severity major')).toContain(' to major (was ');
  expect(announced()).toEqual([]);
});

test('an announcement that Slack does not delete keeps nothing of the incident', async () => {
  const { alice, home, place, slack, announced } = await openIncident({ announces: true });
  slack.fail('chat.delete', { error: 'cant_delete_message' }, { times: 2 });
  alice.makePrivate(home);
  await slack.settled();
  await place.quiet();
  expect(announced()).toEqual(['This message was taken back.']);
});

test('a private incident is announced to nobody, also when a private channel is its room', async () => {
  const { announced, slack, alice, place, act } = await openIncident({ announces: true, flags: '--private' });
  expect(announced()).toEqual([]);
  const corner = slack.addChannel({ name: 'corner', isPrivate: true, members: [alice], botIsMember: true });
  await act(() => alice.command(corner, '/incident declare Payroll is gone'));
  await openMore(place, alice);
  await act(() => alice.submit({ where: 'here' }));
  expect(place.reads(alice, 'corner').join('\n')).toContain('Payroll is gone');
  expect(announced()).toEqual([]);
});

test('people of another organisation see the number alone, from the moment the room is shared', async () => {
  const { alice, bob, home, place, slack, type, card, publicLines } = await openIncident({ announces: true });
  const partner = slack.addPerson({ name: 'partner', teamId: 'T0PARTNER01', isStranger: true });
  alice.share(home);
  partner.join(home);
  await slack.settled();
  await place.quiet();
  const stub =
    ':lock: Incident 1. People of another organisation read this channel, so ask inside: /incident status shows it to members of this workspace.';
  expect(place.reads(partner, home.id)[0]).toBe(stub);
  expect(slack.channel(home.id).topic).toBe('Incident 1');
  const lines = publicLines().length;
  expect(await type('/incident resolve it was the cache --now')).toContain(
    'I did not say so in #inc-1-checkout-answers-500: people of another organisation read it.',
  );
  expect(publicLines()).toHaveLength(lines);
  expect(await type('/incident status', bob)).toContain('Checkout answers 500');
  alice.share(home, false);
  await slack.settled();
  await place.quiet();
  await expect.poll(() => JSON.stringify(card().blocks)).toContain('Checkout answers 500');
});

test('guests see the incidents whose room they are in, unless the team shows them all', async () => {
  const { type, gus, general, home, act } = await openIncident();
  expect(await type('/incident status', gus)).toContain('Checkout answers 500');
  gus.join(general);
  await act(() => gus.leave(home));
  expect(await type('/incident list', gus, general)).toContain('There is no incident that you can see.');
  expect(await type('/incident status --incident 1', gus, general)).toContain(hidden);

  const open = await openIncident({ settings: { GUESTS: 'all' } });
  open.gus.join(open.general);
  open.gus.leave(open.home);
  expect(await open.type('/incident status --incident 1', open.gus, open.general)).toContain('Checkout answers 500');
});

test('an assignee who is not in a private room is not told the task, and the person who assigned it hears that', async () => {
  const { type, carol, slack } = await openIncident({ flags: '--private' });
  expect(await type('/task add rotate the keys @carol')).toContain(
    '@carol does not know yet, because they do not see this incident. Invite them to its channel.',
  );
  expect(JSON.stringify(carol.sees(slack.openDm(carol)))).not.toContain('rotate');
});

test('a thread of a private channel enters another incident only after a question', async () => {
  const { slack, alice, last, act } = await openIncident();
  const board = slack.addChannel({ name: 'board', isPrivate: true, members: [alice], botIsMember: true });
  const said = alice.say(board, 'we lose money');
  alice.say(board, 'a lot', { threadTs: said.ts });
  await act(() => alice.shortcut('add_timeline', said));
  expect(JSON.stringify(alice.view?.blocks)).toContain('from a private channel');
  await act(() => alice.submit({}));
  expect(JSON.stringify(last(alice, board).blocks)).toContain('Add a private thread?');
});

test('an incident that the API marks as private and that has no room is hidden from who has no part in it', async () => {
  const { type, carol, alice, general, api } = await openIncident();
  const wish = {
    title: 'Payroll leak',
    severity: 'minor',
    labels: [],
    roomPrefix: 'inc',
    attachCaption: '',
    attachURL: '',
  };
  const { incident } = await api.IncidentsService.CreateIncident(
    { ...wish, isDrill: false, status: 'active' },
    { incidentType: 'private' },
  );
  expect(incident).toMatchObject({ incidentID: '2', incidentType: 'private' });
  for (const person of [alice, carol]) {
    const listed = await type('/incident list', person, general);
    expect(listed).toContain('Checkout answers 500');
    expect(listed).not.toContain('Payroll leak');
    expect(await type('/incident status --incident 2', person, general)).toContain(phrases.noIncident(2));
  }
});

test('a private room that is named by its id means its incident to a member, and no incident to everybody else', async () => {
  const { place, slack, alice, carol, general, home, act } = await openIncident({ flags: '--private' });
  alice.invite(general, slack.botUserId);
  const ask = async (person: typeof alice) => {
    await act(() => person.mention(general, `status #${home.name}`));
    return place.lastRead(person, general.id);
  };
  expect(await ask(alice)).toContain('Checkout answers 500');
  expect(await ask(carol)).toMatch(/ has no incident\. Nothing was done\.\nYou typed: @Muster status #a channel$/);
});
