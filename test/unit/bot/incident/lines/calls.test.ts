import { expect, test } from 'vitest';
import { Calls } from '../../../../../src/bot/incident/lines/calls.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';

const now = new Date('2026-11-20T12:15:00Z');

/** A call to alice, bob and carol, whom nobody has heard yet. */
async function openCall() {
  const calls = new Calls(await openBotDatabase(now), () => now);
  const person = (user_id: string) => ({ user_id, target: '', answer: 'none', minutes: 0, isAsked: true }) as const;
  const people = ['alice', 'bob', 'carol'].map(person);
  await calls.begin({ id: 'c', incidentID: '1', step: 0, people, intent: 'i', by: { caller: 'dave', why: '' } });
  return {
    calls,
    answers: async () => (await calls.read('c'))?.people.map(each => [each.user_id, each.answer]),
  };
}

test('people who work on an incident are there, unless they answered meanwhile', async () => {
  const { calls, answers } = await openCall();
  await calls.answer('c', 'bob', { answer: 'cannot', minutes: 0 }, async () => true);
  await calls.seen('c', ['alice', 'bob']);
  expect(await answers()).toEqual([
    ['alice', 'there'],
    ['bob', 'cannot'],
    ['carol', 'none'],
  ]);
});

test('an answer that was stored before yields the one that counts', async () => {
  const { calls, answers } = await openCall();
  const coming = { answer: 'coming', minutes: 5 } as const;
  await calls.answer('c', 'alice', { answer: 'cannot', minutes: 0 }, async () => true);
  expect(await calls.answer('c', 'alice', coming, async () => false)).toMatchObject({ counts: { answer: 'cannot' } });
  expect((await answers())?.[0]).toEqual(['alice', 'cannot']);
});
