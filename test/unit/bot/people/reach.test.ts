import { expect, test } from 'vitest';
import { blocksOf } from '../../../../playground/fake-slack/block-kit/message-blocks.ts';
import { type SlackUser, toPerson } from '../../../../src/bot/people/directory.ts';
import {
  whyNot,
  whyNotCalled,
  whyNotHolder,
  whyNotMentioned,
  whyNotRead,
  whyOut,
} from '../../../../src/bot/people/reach.ts';
import { addAcme } from '../../../support/acme.ts';
import { type BareOptions, openBareWorkplace } from '../../../support/bare-workplace.ts';
import { forgePress } from '../../../support/forged-press.ts';
import { openMore } from '../../../support/more-options.ts';

/** Slack's words about each kind of person. */
const kinds: Readonly<Record<string, SlackUser>> = {
  'a member': {},
  'an administrator': { is_admin: true },
  'a guest of several channels': { is_restricted: true },
  'a guest of one channel': { is_restricted: true, is_ultra_restricted: true },
  'a person of another organisation': { team_id: 'T0OTHER', is_stranger: true },
  'a person of a workspace without the app': { team_id: 'T0OTHER' },
  'a member who left': { deleted: true },
  'a guest who left': { deleted: true, is_restricted: true },
  'a bot': { is_bot: true },
  Slackbot: { id: 'USLACKBOT', is_bot: false },
};

test.each<[kind: string, told: string, act: string, called: string]>([
  ['a member', 'yes', 'yes', 'yes'],
  ['an administrator', 'yes', 'yes', 'yes'],
  ['a guest of several channels', 'yes', 'guest', 'guest'],
  ['a guest of one channel', 'yes', 'guest', 'guest'],
  ['a person of another organisation', 'stranger', 'stranger', 'stranger'],
  ['a person of a workspace without the app', 'stranger', 'stranger', 'stranger'],
  ['a member who left', 'left', 'left', 'left'],
  ['a guest who left', 'left', 'left', 'left'],
  ['a bot', 'bot', 'bot', 'bot'],
  ['Slackbot', 'bot', 'bot', 'bot'],
  ['a person whom Slack does not know', 'unknown', 'unknown', 'unknown'],
])('%s: told %s, acts %s, called %s', (kind, ...wanted) => {
  const user = kinds[kind];
  const person = user && toPerson({ id: 'U1', team_id: 'T1', name: 'ann', ...user }, 'T1');
  const found = (['told', 'act', 'called'] as const).map(what => whyOut(person, what) ?? 'yes');
  expect(found).toEqual(wanted);
  if (person === undefined) return;
  // Each sentence follows from the same rule.
  const [told, act, called] = found.map(each => each === 'yes');
  expect([whyNotRead, whyNot].map(rule => rule(person) === undefined)).toEqual([told, act]);
  const named = [whyNotMentioned, whyNotHolder, whyNotCalled].map(rule => rule(person, '@ann'));
  expect(named.map(each => each === undefined)).toEqual([told, act, called]);
  for (const each of named) expect(each ?? '@ann').toContain('@ann');
});

async function openAcme(options: BareOptions = {}) {
  const place = await openBareWorkplace(options);
  const count = async () =>
    (await place.api.IncidentsService.QueryIncidentPreviews({ query: {} })).incidentPreviews.length;
  return { place, slack: place.slack, ...addAcme(place.slack), count };
}

test.each([
  ['guest', 'You are a guest in this workspace, and guests cannot change incidents. Ask a full member to do it.'],
  ['visitor', 'You are a guest in this workspace'],
  [
    'stranger',
    'You are from another workspace or organisation, so you cannot see or change the incidents of this one.',
  ],
  ['partner', 'You are from another workspace or organisation'],
  ['gone', 'Your Slack account is deactivated here.'],
  ['robot', 'Bots cannot do this'],
])('a %s may not declare, hears why, and gets back what was typed', async (name, sentence) => {
  const { place, slack, shared, lastSaid, count } = await openAcme();
  const person = slack.person(name);
  await person.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  expect(lastSaid(person)).toContain(sentence);
  expect(lastSaid(person)).toContain('You typed: /incident declare Disk is full --now');
  expect(await count()).toBe(0);
});

test.each(['guest', 'stranger'])('a %s gets help all the same, also by mention', async name => {
  const { place, slack, shared } = await openAcme();
  const person = slack.person(name);
  expect((await person.command(shared, '/incident declare help')).text).toContain('/incident declare');
  await person.command(shared, '/incident help');
  await place.quiet();
  expect(place.lastRead(person, 'shared')).toContain(name === 'guest' ? 'This channel has no incident.' : 'declare');
  person.mention(shared, 'help');
  await place.quiet();
  expect(place.lastRead(person, 'shared')).toContain('Muster runs incidents from here.');
});

test('an outsider who presses a button in a shared channel changes nothing and hears why', async () => {
  const { place, slack, alice, shared } = await openAcme({ settings: { SHARED_CHANNELS: 'all' } });
  await alice.command(shared, '/incident declare Disk is full');
  await place.quiet();
  await openMore(place, alice);
  await alice.submit({ where: 'here' });
  await place.quiet();
  const card = place.messages(alice, 'shared').find(each => each.pinned);
  if (!card) throw new Error('There is no card');
  for (const name of ['stranger', 'partner', 'guest']) {
    const person = slack.person(name);
    await person.press(card, { actionId: firstButton(blocksOf(card)) });
    await place.quiet();
    expect(person.view).toBeUndefined();
    expect(place.lastRead(person, 'shared')).toMatch(
      /You are (from another workspace or organisation|a guest in this workspace)/,
    );
  }
});

test.each([
  [{ teamId: 'T0OTHER' }, 'You are from another workspace or organisation'],
  [{ ofUser: 'T0OTHER' }, 'You are from another workspace or organisation'],
  [{ teamId: 'T0OTHER', ofUser: 'T0OTHER', enterpriseId: 'E0OTHER' }, 'You are from another workspace or organisation'],
  [{}, ''],
])('a press from %j acts as a person of there, whoever has that id here', async (from, answer) => {
  const { place, slack, alice } = await openAcme();
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  await alice.command(general, '/incident declare Disk is full --now');
  await place.quiet();
  const room = slack.channel('inc-1-disk-is-full');
  await alice.command(room, '/task add fail over');
  await place.quiet();
  const value = JSON.stringify({ incidentID: '1', taskID: 'task-1', page: null, at: Date.now() });
  await forgePress(slack, alice, room.id, { id: 'task.done', value }, from);
  await place.quiet();
  const { incident } = await place.api.IncidentsService.GetIncident({ incidentID: '1' });
  expect(incident.taskList.doneCount).toBe(answer === '' ? 1 : 0);
  expect(place.lastRead(alice, room.id)).toContain(answer);
});

test('an outsider cannot use the global shortcut', async () => {
  const { place, slack } = await openAcme();
  const stranger = slack.person('stranger');
  await stranger.shortcut('declare');
  await place.quiet();
  expect(stranger.view).toBeUndefined();
  expect(place.lastRead(stranger, slack.openDm(stranger).id)).toContain(
    'You are from another workspace or organisation',
  );
});

test('a draft and “Try again” are their owner’s alone', async () => {
  const { place, slack, alice, shared, count } = await openAcme();
  const bob = slack.addPerson({ name: 'bob' });
  bob.join(shared);
  slack.delayTriggers();
  await alice.command(shared, '/incident declare Disk is full');
  await place.quiet();
  const offered = place.messages(alice, 'shared').at(-1);
  const button =
    JSON.stringify(offered?.blocks)
      .match(/"value":"(\{.*?\})"/)?.[1]
      ?.replaceAll('\\"', '"') ?? '';
  // Slack shows it to alice alone; somebody who knows its value presses it elsewhere.
  const press = (id: string, value: string) => forgePress(slack, bob, shared.id, { id, value });
  await press('muster.resume', button);
  await place.quiet();
  expect(bob.view).toBeUndefined();
  expect(place.lastRead(bob, 'shared')).toContain('only the person who typed it can open it');
  await press('muster.again', JSON.stringify({ intent: crypto.randomUUID() }));
  await place.quiet();
  expect(place.lastRead(bob, 'shared')).toContain('Only the person who asked for it can try it again.');
  for (const [id, instead] of [
    ['from.the.past', '/muster help lists the commands that do the same.'],
    ['task.done', 'Type /task done instead.'],
    ['task.vanished', '/task help lists the commands that do the same.'],
  ] as const) {
    const before = place.reads(bob, 'shared').length;
    await press(id, '{}');
    await place.quiet();
    expect(place.reads(bob, 'shared').slice(before), id).toEqual([
      `That button is from another version of Muster, so nothing was done. ${instead}`,
    ]);
  }
  expect(await count()).toBe(0);
});

test('while Slack does not say who somebody is they change nothing, and get back what they typed', async () => {
  const { place, slack, alice, shared, count } = await openAcme();
  slack.fail('users.info', { error: 'internal_error' }, { times: 2 });
  await alice.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  const refused = place.messages(alice, 'shared').at(-1);
  if (!refused) throw new Error('Nobody answered');
  expect(place.lastRead(alice, 'shared')).toContain(
    `Slack does not tell me right now who you are, so nothing was changed. Try again in a moment.`,
  );
  expect(place.lastRead(alice, 'shared')).toContain('You typed: /incident declare Disk is full --now');
  expect(await count()).toBe(0);
  await alice.press(refused, 'Try again');
  await place.quiet();
  expect(place.lastRead(alice, 'shared')).toContain('You declared incident 1');
  expect(await count()).toBe(1);
});

test('a guest whom Slack does not describe changes nothing', async () => {
  const { place, slack, shared, count } = await openAcme();
  const guest = slack.person('guest');
  slack.fail('users.info', { error: 'internal_error' }, { times: 2 });
  await guest.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  expect(place.lastRead(guest, 'shared')).toContain('Slack does not tell me right now who you are');
  const refused = place.messages(guest, 'shared').at(-1);
  if (!refused) throw new Error('Nobody answered');
  await guest.press(refused, 'Try again');
  await place.quiet();
  expect(place.lastRead(guest, 'shared')).toContain('You are a guest in this workspace');
  expect(await count()).toBe(0);
});

test('a form that somebody filled in while Slack did not say who they are is not lost', async () => {
  let now = new Date('2026-03-02T14:00:00Z');
  const { place, slack, alice, shared, count } = await openAcme({ clock: () => now });
  await alice.command(shared, '/incident declare Disk is full');
  await place.quiet();
  await openMore(place, alice);
  now = new Date('2026-03-02T14:20:00Z');
  slack.fail('users.info', { error: 'internal_error' }, { times: 2 });
  await alice.submit({ where: 'here' });
  await place.quiet();
  const refused = place.messages(alice, 'shared').at(-1);
  if (!refused) throw new Error('Nobody answered');
  expect(place.lastRead(alice, 'shared')).toContain('Slack does not tell me right now who you are');
  await alice.press(refused, 'Open the form');
  await place.quiet();
  await alice.submit();
  await place.quiet();
  expect(place.lastRead(alice, 'shared')).toContain('You declared incident 1');
  expect(await count()).toBe(1);
});

test('one call that fails costs nobody anything', async () => {
  const { place, slack, alice, shared, count } = await openAcme();
  slack.fail('users.info', { rateLimited: 0 });
  await alice.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  expect(place.lastRead(alice, 'shared')).toContain('You declared incident 1');
  expect(await count()).toBe(1);
});

test('an outsider whose message names another workspace stays one while Slack cannot be asked', async () => {
  const { place, slack } = await openAcme();
  const stranger = slack.person('stranger');
  slack.fail('users.info', { error: 'internal_error' }, { times: 2 });
  await stranger.shortcut('declare');
  await place.quiet();
  expect(stranger.view).toBeUndefined();
  expect(place.lastRead(stranger, slack.openDm(stranger).id)).toContain(
    'You are from another workspace or organisation',
  );
});

test('who becomes a guest or leaves loses their rights at once, and who comes back has them', async () => {
  const { place, slack, alice, shared, lastSaid, count } = await openAcme();
  const declare = async () => {
    await alice.command(shared, '/incident declare Disk is full --now');
    await place.quiet();
    return lastSaid(alice);
  };
  expect(await declare()).toContain('You declared incident 1');
  slack.fail('users.info', { error: 'internal_error' }, { times: 50 });
  alice.change({ isRestricted: true });
  await slack.settled();
  expect(await declare()).toContain('You are a guest in this workspace');
  alice.change({ isRestricted: false, deleted: true });
  await slack.settled();
  expect(await declare()).toContain('Your Slack account is deactivated here.');
  expect(await count()).toBe(1);
  alice.change({ deleted: false });
  await slack.settled();
  expect(await declare()).toContain('You declared incident 2');
});

test('somebody new to the workspace is known before they do anything', async () => {
  const { place, slack, alice, shared, count } = await openAcme();
  const user = { id: alice.id, team_id: slack.teamId, name: 'alice', tz: 'Europe/Berlin' };
  const event = { type: 'team_join', user, event_ts: '1700000000.000100' };
  const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev8', team_id: slack.teamId, event });
  await slack.deliver({ body, contentType: 'application/json' });
  await place.quiet();
  slack.fail('users.info', { error: 'internal_error' }, { times: 50 });
  await alice.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  expect(place.lastRead(alice, 'shared')).toContain('You declared incident 1');
  expect(await count()).toBe(1);
});

test('an outsider who mentions the bot in a shared channel stays one while Slack cannot be asked', async () => {
  const { place, slack, shared, count } = await openAcme();
  const stranger = slack.person('stranger');
  slack.fail('users.info', { dropBefore: true });
  const event = {
    type: 'app_mention',
    user: stranger.id,
    user_team: stranger.teamId,
    channel: shared.id,
    ts: '1700000000.000100',
    text: `<@${slack.botUserId}> declare Disk is full --now`,
  };
  const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev9', team_id: slack.teamId, event });
  await slack.deliver({ body, contentType: 'application/json' });
  await place.quiet();
  expect(place.lastRead(stranger, 'shared')).toContain('You are from another workspace or organisation');
  expect(await count()).toBe(0);
});

test('somebody Slack does not know may do nothing', async () => {
  const { place, slack, alice, shared, count } = await openAcme();
  slack.fail('users.info', { error: 'user_not_found' });
  await alice.command(shared, '/incident declare Disk is full --now');
  await place.quiet();
  expect(place.lastRead(alice, 'shared')).toContain(
    'I cannot see your Slack profile, so I cannot let you see or change incidents.',
  );
  expect(await count()).toBe(0);
});

/** The action id of the first button in these blocks. */
function firstButton(blocks: readonly object[]): string {
  const found = /"action_id":"([^"]+)"/.exec(JSON.stringify(blocks))?.[1];
  if (!found) throw new Error('There is no button');
  return found;
}
