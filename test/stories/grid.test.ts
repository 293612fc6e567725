import { describe, expect, test } from 'vitest';
import { type Person, renderMessage } from '../../playground/fake-slack/fake-slack.ts';
import { methodsOfOneTeam } from '../../playground/fake-slack/web-api/documented-arguments.ts';
import { openFolder } from '../support/folder.ts';
import { acme, labs, openGrid, openGridSlack, west } from '../support/grid.ts';
import { declareNow } from '../support/incident-room.ts';
import { openMore } from '../support/more-options.ts';
import { TestTimers } from '../support/timers.ts';
import { openWorkplace } from '../support/workplace.ts';

/** Who is who in an organisation that has installed Muster in all of it. */
const standings = [
  ['alice', 'general', 'member'],
  ['alice', 'shared', 'member'],
  ['alice', 'connect', 'member'],
  ['bob', 'west', 'member'],
  ['bob', 'shared', 'member'],
  ['bob', 'connect', 'member'],
  ['alice', 'all-hands', 'member'],
  ['bob', 'all-hands', 'member'],
  ['lena', 'all-hands', 'member'],
  ['gus', 'general', 'guest'],
  ['gus', 'all-hands', 'guest'],
  ['gus', 'connect', 'guest'],
  ['greta', 'west', 'guest'],
  ['greta', 'all-hands', 'guest'],
  ['partner', 'connect', 'outsider'],
  ['stranger', 'connect', 'outsider'],
] as const;

const words = { member: 'You declared', guest: 'You are a guest', outsider: 'You are from another' } as const;

describe.each([
  ['HTTP', false],
  ['a socket', true],
])('over %s', (_way, socketMode) => {
  test.each(standings)('%s in #%s is a %s', async (name, channel, standing) => {
    const { place, slack, titles } = await openGrid({ socketMode });
    const person = slack.person(name);
    await person.command(slack.channel(channel), '/incident declare Disk is full --now');
    await place.quiet();
    expect(said(place, person, channel)).toContain(words[standing]);
    expect(await titles()).toEqual(standing === 'member' ? ['Disk is full'] : []);
    person.mention(slack.channel(channel), 'declare Disk is fuller --now');
    await place.quiet();
    expect(await titles()).toHaveLength(standing === 'member' ? 2 : 0);
    await person.shortcut('declare');
    await place.quiet();
    expect(person.view !== undefined).toBe(standing === 'member');
  });
});

function said({ slack }: Awaited<ReturnType<typeof openGrid>>['place'], person: Person, channel: string): string {
  const read = slack.channel(channel).messages.filter(message => person.canRead(message));
  return read.map(message => renderMessage(slack, message)).join('\n');
}

describe('the channel of an incident is in the workspace', () => {
  test.each([
    ['alice', 'general', acme.id],
    ['alice', 'shared', acme.id],
    ['bob', 'west', west.id],
    ['bob', 'shared', west.id],
    ['bob', 'all-hands', west.id],
    // Nobody has added Muster to hers.
    ['lena', 'all-hands', acme.id],
  ])('where %s typed in #%s', async (name, channel, teamId) => {
    const { place, slack } = await openGrid();
    const room = await declareNow(place, slack.person(name), slack.channel(channel), 'Disk is full');
    expect(room.teamIds).toEqual([teamId]);
    const isLet = room.members.has(slack.person(name).id);
    expect([isLet, place.troubles.length]).toEqual(name === 'lena' ? [false, 1] : [true, 0]);
  });

  test('where the form was opened', async () => {
    const { place, slack, bob, shared } = await openGrid();
    await bob.command(shared, '/incident declare Disk is full');
    await place.quiet();
    await bob.submit({});
    await place.quiet();
    expect(slack.channel('inc-1-disk-is-full').teamIds).toEqual([west.id]);
  });

  test('of the person, when the form was opened from nowhere in particular', async () => {
    const { place, slack, bob } = await openGrid();
    await bob.shortcut('declare');
    await place.quiet();
    await bob.submit({ title: 'Disk is full' });
    await place.quiet();
    expect(slack.channel('inc-1-disk-is-full').teamIds).toEqual([west.id]);
  });

  test('where a button of a message was pressed', async () => {
    const { place, slack, bob, shared, declareElsewhere } = await openElsewhere();
    await declareElsewhere();
    const offer = place.messages(bob, shared.id).at(-1);
    if (!offer) throw new Error('Nothing is announced');
    await bob.press(offer, 'Open a channel');
    await place.quiet();
    expect(slack.channel('inc-1-disk-is-full').teamIds).toEqual([west.id]);
  });

  test.each([
    ['the first one', {}, acme.id],
    ['the one of the settings', { SLACK_WORKSPACE: west.id }, west.id],
    // An installation goes on; its log and the doctor say so.
    ['the first one, where that of the settings lacks Muster', { SLACK_WORKSPACE: labs.id }, acme.id],
  ])('%s, for an incident that began elsewhere', async (_which, settings: Record<string, string>, teamId) => {
    const { slack, declareElsewhere } = await openElsewhere({ ROOMS_FOR: 'critical', ...settings });
    await declareElsewhere();
    expect(slack.channel('inc-1-disk-is-full').teamIds).toEqual([teamId]);
  });

  test('and is found there when Slack’s answer was lost', async () => {
    const { place, slack, bob, westOnly } = await openGrid();
    slack.fail('conversations.create', { dropAfterEffect: true });
    const room = await declareNow(place, bob, westOnly, 'Disk is full');
    expect(room.teamIds).toEqual([west.id]);
    expect(slack.channels.filter(each => each.name.startsWith('inc-1'))).toHaveLength(1);
  });

  test('to which an administrator has added Muster meanwhile', async () => {
    const { place, grid, lena, all } = await openGrid();
    grid.granted = [acme.id, labs.id];
    expect((await declareNow(place, lena, all, 'Disk is full')).teamIds).toEqual([labs.id]);
  });
});

/** The organisation's Muster, which announces in #shared, and a client of its API. */
async function openElsewhere(settings: Record<string, string> = {}) {
  const world = await openGridSlack();
  const timers = new TestTimers(() => undefined);
  const announced = { ANNOUNCE_CHANNEL: world.shared.id, ...settings };
  const place = await openWorkplace({ slack: world.slack, settings: announced, timers });
  const declareElsewhere = async () => {
    await place.api.IncidentsService.CreateIncident({
      ...{ title: 'Disk is full', severity: 'critical', status: 'active' as const, isDrill: false },
      ...{ labels: [], roomPrefix: 'inc', attachURL: '', attachCaption: '' },
    });
    await timers.fire(10_000);
    await place.quiet();
  };
  return { ...world, place, declareElsewhere };
}

test('people of two workspaces work on an incident in a channel that both share', async () => {
  const { place, slack, alice, bob, shared } = await openElsewhere();
  await alice.command(shared, '/incident declare Disk is full');
  await place.quiet();
  await openMore(place, alice);
  await alice.submit({ where: 'here' });
  await place.quiet();
  await bob.command(shared, '/task add fail over');
  await place.quiet();
  expect(place.reads(alice, 'shared').join('\n')).toContain('fail over');
  await bob.command(shared, '/incident list');
  await place.quiet();
  expect(place.lastRead(bob, 'shared')).toContain('Disk is full');
  await alice.command(shared, '/task assign 1 @bob');
  await place.quiet();
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
  const [task] = incident.taskList.tasks;
  expect([task?.text, task?.assignedUser?.userID]).toEqual(['fail over', `slack:${bob.id}`]);
  const card = place.messages(bob, 'shared').find(each => each.pinned);
  if (!card) throw new Error('There is no card');
  await bob.press(card, 'Take command');
  await place.quiet();
  expect(place.reads(alice, 'shared').join('\n')).toMatch(/bob/);
  expect(slack.channels.some(each => each.name.startsWith('inc-'))).toBe(false);
});

test('a channel of several workspaces of one organisation reads all; one of two organisations reads a number', async () => {
  for (const channel of ['shared', 'connect'] as const) {
    const world = await openGridSlack();
    const { slack, alice } = world;
    const place = await openWorkplace({ slack, settings: { ANNOUNCE_CHANNEL: world[channel].id } });
    await declareNow(place, alice, world.general, 'Disk is full');
    const read = place.reads(alice, channel).join('\n');
    expect(read.includes('Disk is full'), channel).toBe(channel === 'shared');
    expect(read, channel).toContain('1');
  }
});

test('a private incident is for the members of its room, in every workspace', async () => {
  const { place, alice, bob, general, shared } = await openGrid();
  const room = await declareNow(place, alice, general, 'Salaries leaked --private');
  for (const [person, sees] of [
    [alice, true],
    [bob, false],
  ] as const) {
    await person.command(shared, '/incident list');
    await place.quiet();
    expect(place.lastRead(person, 'shared').includes('Salaries leaked'), person.name).toBe(sees);
    await person.command(shared, '/incident status 1');
    await place.quiet();
    expect(place.lastRead(person, 'shared').includes('Salaries leaked'), person.name).toBe(sees);
  }
  expect([room.isPrivate, room.members.has(bob.id)]).toEqual([true, false]);
});

test('who cannot be invited, because the room is of another workspace, is told what to do', async () => {
  const { place, alice, general } = await openGrid();
  const room = await declareNow(place, alice, general, 'Disk is full');
  await alice.command(room, '/task add fail over @bob');
  await place.quiet();
  expect(place.lastRead(alice, room.id)).toMatch(/could not invite @bob.*share it with other workspaces/s);
});

test('a workspace from which an administrator has removed Muster gets no channel, and its person reads why', async () => {
  const { place, slack, grid, bob, westOnly, titles } = await openGrid();
  grid.granted = [acme.id];
  await bob.command(westOnly, '/incident declare Disk is full --now');
  await place.quiet();
  expect(await titles()).toEqual(['Disk is full']);
  expect(place.reads(bob, 'west').join('\n')).toContain('Muster is no longer in that workspace.');
  expect(slack.channels.some(each => each.name.startsWith('inc-'))).toBe(false);
});

test('people of every workspace and their groups have names', async () => {
  const { place, slack, alice, bob, general } = await openGrid();
  slack.addUserGroup({ handle: 'west-sre', members: [bob], teamId: west.id });
  const room = await declareNow(place, alice, general, 'Disk is full');
  await alice.command(room, '/note @west-sre and @bob look at it');
  await place.quiet();
  const query = { incidentID: '1', activityKind: ['userNote' as const], limit: 10 };
  const { activityItems } = await place.api.ActivityService.QueryActivity({ query });
  expect(activityItems[0]?.body).toContain('@west-sre and @bob look at it');
});

test('a guest of any workspace who reads a channel keeps other incidents out of it', async () => {
  const { place, alice, bob, greta, general, shared } = await openElsewhere();
  bob.invite(shared, greta);
  await place.quiet();
  await declareNow(place, alice, general, 'Disk is full');
  expect(place.reads(greta, 'shared').join('\n')).not.toContain('Disk is full');
});

test('all goes on after a restart', async () => {
  const databaseFile = `${await openFolder()}/muster.db`;
  const world = await openGridSlack();
  const { slack, alice, bob, general, shared } = world;
  const first = await openWorkplace({ slack, databaseFile });
  const room = await declareNow(first, alice, general, 'Disk is full');
  await bob.command(shared, '/incident declare Queue is long');
  await first.quiet();
  await first[Symbol.asyncDispose]();
  const second = await openWorkplace({ slack, databaseFile });
  await alice.command(room, '/task add fail over');
  await bob.submit({});
  await second.quiet();
  expect(second.reads(alice, room.id).join('\n')).toContain('fail over');
  expect(slack.channel('inc-2-queue-is-long').teamIds).toEqual([west.id]);
});

test.each([
  ['workspace', 'organisation'],
  ['organisation', 'workspace'],
] as const)('an app of the %s becomes one of the %s, and its rooms are found again', async (before, after) => {
  const databaseFile = `${await openFolder()}/muster.db`;
  const world = await openGridSlack(before);
  const { slack, grid, alice, general } = world;
  const first = await openWorkplace({ slack, databaseFile });
  const room = await declareNow(first, alice, general, 'Disk is full');
  await alice.command(room, '/note it began at noon');
  await first.quiet();
  await first[Symbol.asyncDispose]();
  grid.install = after;
  // A second start finds nothing more to do.
  for (const task of ['fail over', 'fail back']) {
    await using next = await openWorkplace({ slack, databaseFile });
    await alice.command(room, `/task add ${task}`);
    await next.quiet();
    const { incident } = await next.api.IncidentsService.GetIncident({ incidentID: '1' });
    expect(incident.taskList.tasks.map(each => each.text)).toContain(task);
    expect(next.reads(alice, room.id).at(-1)).toContain(task);
  }
});

test('each call names a workspace where Slack asks for one, and nowhere else', async () => {
  const { place, slack, alice, bob, general, shared } = await openGrid();
  const room = await declareNow(place, bob, shared, 'Disk is full');
  await bob.command(room, '/task add fail over');
  await alice.command(general, '/incident list');
  alice.openHome();
  await place.quiet();
  for (const { method, args, response } of slack.calls) {
    expect('team_id' in args && args.team_id !== undefined, method).toBe(methodsOfOneTeam.has(method));
    expect(response?.error ?? '', method).toBe('');
  }
  expect(slack.callsOf('users.list').map(call => call.args.team_id)).toEqual([acme.id, west.id]);
});

test.each([
  ['another organisation', { team_id: 'T0PARTNER01', enterprise_id: 'E0OTHER0001' }, false],
  ['another workspace without an organisation', { team_id: 'T0PARTNER01', enterprise_id: null }, false],
  ['a workspace of the organisation', { team_id: west.id, enterprise_id: 'E0ACME00001' }, true],
  ['one without the app', { team_id: labs.id, enterprise_id: 'E0ACME00001' }, true],
  ['the organisation itself', { team_id: null, enterprise_id: 'E0ACME00001' }, true],
])('an event for the installation of %s', async (_whose, installed, isHeard) => {
  const { place, slack, alice, shared, titles } = await openGrid();
  alice.mention(shared, 'declare Disk is full --now');
  await place.quiet();
  const heard = slack.deliveries.findLast(each => each.body.includes('app_mention'));
  if (!heard) throw new Error('There was no mention');
  const ts = `${Math.floor(Date.now() / 1000)}.000200`;
  const event = { ...(heard.payload.event as object), ts, event_ts: ts };
  const authorizations = [{ ...installed, user_id: slack.botUserId, is_bot: true, is_enterprise_install: true }];
  const body = JSON.stringify({ ...heard.payload, ...installed, event_id: 'Ev0OTHER', event, authorizations });
  const reply = await slack.deliver({ body, contentType: 'application/json' });
  await place.quiet();
  expect(reply.status).toBe(200);
  expect(await titles()).toHaveLength(isHeard ? 2 : 1);
  expect(place.troubles).toHaveLength(isHeard ? 0 : 1);
});

describe('an app of the organisation that was added to no workspace', () => {
  test('ends at the start with what to do', async () => {
    const { slack } = await openGridSlack('organisation', []);
    await expect(openWorkplace({ slack })).rejects.toThrow(
      /Acme Group.*no workspace.*add the app to the workspaces.*start Muster again/s,
    );
  });
});

describe('an app in one workspace of an organisation', () => {
  test.each([
    ['alice', 'general', 'member'],
    ['alice', 'shared', 'member'],
    ['gus', 'general', 'guest'],
    // Not a member of the workspace that has Muster.
    ['bob', 'shared', 'outsider'],
    ['lena', 'all-hands', 'outsider'],
    ['partner', 'connect', 'outsider'],
  ] as const)('%s in #%s is a %s', async (name, channel, standing) => {
    const { place, slack, titles } = await openGrid({ install: 'workspace' });
    const person = slack.person(name);
    person.mention(slack.channel(channel), 'declare Disk is full --now');
    await place.quiet();
    expect(said(place, person, channel)).toContain(words[standing]);
    expect(said(place, person, channel)).not.toContain('from another organisation');
    expect(await titles()).toEqual(standing === 'member' ? ['Disk is full'] : []);
  });

  test('names no workspace in its calls, and works as anywhere', async () => {
    const { place, slack, alice, general } = await openGrid({ install: 'workspace' });
    const room = await declareNow(place, alice, general, 'Disk is full');
    expect(room.teamIds).toEqual([acme.id]);
    expect(slack.calls.filter(call => call.args.team_id !== undefined && call.method !== 'bots.info')).toEqual([]);
    expect(slack.callsOf('auth.teams.list')).toEqual([]);
  });
});
