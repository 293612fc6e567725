import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stopsAtOnce } from '../support/deadlines.ts';
import { openFolder } from '../support/folder.ts';
import { openReminded } from '../support/reminded.ts';
import { openWorkplace } from '../support/workplace.ts';

/** A reminder to alice alone was sent before, so that her conversation with Muster is known. */
async function openKnown(options: Parameters<typeof openReminded>[0] = {}) {
  const team = await openReminded(options);
  await team.type('/role assign me commander');
  await team.type('/incident update one --next 10m');
  await team.pass(6);
  expect(team.alone(team.alice)).toHaveLength(1);
  await team.type('/incident update two --next 30m');
  return team;
}

/** A team whose process is to die. `at` sets its clock, in minutes after the start; `succeed` ends it and lets the next process look at such times. */
async function mortalTeam() {
  const databaseFile = join(await openFolder(), 'muster.db');
  let now = new Date('2026-11-20T12:15:00Z');
  const clock = () => now;
  const first = await openReminded({ databaseFile, clock, deadlines: stopsAtOnce });
  const at = (minutes: number) => {
    now = new Date(Date.parse('2026-11-20T12:15:00Z') + minutes * 60_000);
  };
  const succeed = async (...times: readonly number[]) => {
    await first.place[Symbol.asyncDispose]();
    const settings = { REMINDERS: 'on', QUIET_HOURS: 'off' };
    const second = await openWorkplace({ slack: first.slack, databaseFile, clock, settings });
    for (const minutes of times) {
      at(minutes);
      await second.muster.bot.journal.tick();
      await second.quiet();
    }
  };
  return { first, at, succeed };
}

test('a reminder whose answer is lost is there once', async () => {
  const { slack, alice, alone, inRoom, direct, pass } = await openKnown();
  const channel = direct(alice)?.id;
  slack.fail('chat.postMessage', { dropAfterEffect: true }, { when: args => args.channel === channel });
  await pass(28);
  expect(alone(alice).filter(each => each.includes(':alarm_clock:'))).toHaveLength(1);
  slack.fail('chat.postMessage', { dropAfterEffect: true });
  await pass(6);
  expect(inRoom()).toHaveLength(1);
});

test('Slack is away at the time: the reminder comes once when it is back, unless nothing is owed then', async () => {
  const { slack, alice, bob, alone, inRoom, type, pass, jump } = await openKnown();
  slack.fail('chat.postMessage', { error: 'internal_error' }, { times: 1000 });
  await pass(36);
  expect(alone(alice).filter(each => each.includes(':alarm_clock:'))).toEqual([]);
  slack.heal('chat.postMessage');
  await jump(2);
  await expect.poll(() => alone(alice).filter(each => each.includes(':alarm_clock:')).length).toBe(1);
  await expect.poll(() => inRoom().length).toBe(1);
  await type('/incident update done', bob);
  await jump(1);
  expect([...alone(alice), ...inRoom()].filter(each => each.includes(':alarm_clock:'))).toEqual([]);
});

test('Slack is away until quiet hours have begun: the person is left alone, and reminded at their end if it is still owed', async () => {
  const { slack, alice, alone, inRoom, pass } = await openKnown({ settings: { QUIET_HOURS: '13:48-14:05' } });
  slack.fail('chat.postMessage', { error: 'internal_error' }, { times: 1000 });
  await pass(28);
  expect(alone(alice).filter(each => each.includes(':alarm_clock:'))).toEqual([]);
  slack.heal('chat.postMessage');
  await pass(3);
  expect(inRoom()).toHaveLength(1);
  expect(alone(alice).filter(each => each.includes(':alarm_clock:'))).toEqual([]);
  await pass(14);
  expect(alone(alice).filter(each => each.includes(':alarm_clock:'))).toHaveLength(1);
});

test('a process that dies between the message and its mark reminds once, with the next one', async () => {
  const { first, at, succeed } = await mortalTeam();
  const { slack, alice, alone, inRoom, direct, tick } = first;
  await first.type('/role assign me commander');
  await first.type('/incident update one --next 10m');
  at(6);
  await tick();
  await first.type('/incident update two --next 30m');
  await tick();
  const reminded = () => alone(alice).filter(each => each.includes(':alarm_clock:'));
  expect(reminded()).toEqual([]);
  const channel = direct(alice)?.id;
  slack.fail('chat.postMessage', { stallAfterEffect: true }, { when: args => args.channel === channel });
  at(32);
  void first.place.muster.bot.journal.tick();
  await expect.poll(() => reminded().length).toBe(1);
  await succeed(33, 34, 35, 37);
  expect(reminded()).toHaveLength(1);
  expect(inRoom().filter(each => each.includes(':alarm_clock:'))).toHaveLength(1);
});

test('a process that dies as it reminds a room that takes posts again reminds it once, with the next one', async () => {
  const { first, at, succeed } = await mortalTeam();
  const { slack, alice, home, inRoom, tick, type } = first;
  await type('/role assign me commander');
  await type('/incident update one --next 10m');
  alice.archive(home);
  await slack.settled();
  for (const minutes of [10, 15, 30]) {
    at(minutes);
    await tick();
  }
  slack.fail('chat.postMessage', { stallAfterEffect: true }, { when: args => args.channel === home.id });
  alice.unarchive(home);
  await slack.settled();
  void first.place.muster.bot.journal.tick();
  await expect.poll(() => inRoom().length, { timeout: 20_000 }).toBe(1);
  await succeed(31, 32, 45);
  expect(inRoom()).toEqual([expect.stringContaining('is still owed')]);
});
