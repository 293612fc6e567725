import { expect, test } from 'vitest';
import { features } from '../../../../../src/bot/features.ts';

test('an intent’s kind has few members, and hardly one that a single kind needs', () => {
  const kinds = features.flatMap(feature => feature.intents ?? []);
  const members = kinds.flatMap(kind => Object.keys(kind));
  const usersOf = (member: string) => members.filter(each => each === member).length;
  const all = [...new Set(members)];
  expect(all.length, all.join(', ')).toBeLessThanOrEqual(20);
  expect(all.filter(member => usersOf(member) === 1)).toEqual(['declares']);
});
