import { expect, test } from 'vitest';
import { whyNot, whyNotHolder, whyNotMentioned, whyNotRead } from '../../../../src/bot/people/access.ts';
import { anna } from '../../../support/person.ts';

const guest = { ...anna, isGuest: true };
const stranger = { ...anna, isStranger: true };
const gone = { ...anna, isDeleted: true };
const bot = { ...anna, isBot: true };

test('a member may change incidents, read them, and be named', () => {
  expect([whyNot(anna), whyNotRead(anna), whyNotMentioned(anna, 'anna')]).toEqual([undefined, undefined, undefined]);
});

test('a guest may read incidents and be named, and not change them', () => {
  expect(whyNot(guest)).toBe(
    'You are a guest in this workspace, and guests cannot change incidents. Ask a full member to do it.',
  );
  expect(whyNotRead(guest)).toBeUndefined();
  expect(whyNotMentioned(guest, 'gus')).toBeUndefined();
});

test('a guest holds no role, and neither does anybody who cannot be named', () => {
  expect(whyNotHolder(anna, 'anna')).toBeUndefined();
  expect(whyNotHolder(guest, '<@U1>')).toBe('<@U1> is a guest and could not act in that role: name a full member.');
  for (const person of [stranger, gone, bot]) expect(whyNotHolder(person, 'x')).toBe(whyNotMentioned(person, 'x'));
});

test.each([
  [
    stranger,
    'You are from another workspace or organisation, so you cannot see or change the incidents of this one. Ask somebody of this one to do it.',
    '<@U1> is from another workspace or organisation: name somebody of this one.',
  ],
  [
    gone,
    'Your Slack account is deactivated here. Ask an administrator of the workspace to restore it.',
    '<@U1> has left this workspace: name somebody who is still here.',
  ],
  [bot, 'Bots cannot do this. Ask a member of the workspace.', '<@U1> is a bot: name a person.'],
])('%o may do nothing and cannot be named', (person, sentence, unnamed) => {
  expect(whyNotRead(person)).toBe(sentence);
  expect(whyNot(person)).toBe(sentence);
  // What keeps somebody from reading is said first: a guest of another organisation is told of the organisation.
  expect(whyNot({ ...person, isGuest: true })).toBe(sentence);
  expect(whyNotMentioned(person, '<@U1>')).toBe(unnamed);
});
