import type { Person } from '../../src/bot/people/person.ts';

/** A full member of the bot's workspace. */
export const anna: Person = {
  teamId: 'T1',
  userId: 'U1',
  name: 'anna',
  email: 'anna@example.com',
  photoURL: '',
  timeZone: 'UTC',
  isGuest: false,
  isAdmin: false,
  isBot: false,
  isDeleted: false,
  isStranger: false,
};
