import { expect, test } from 'vitest';
import { stepFrom, toSections } from '../../../../playground/page/shell/channel-sections.ts';
import { channelFacts } from '../../../support/page-facts.ts';

const named = (name: string, more = {}) => channelFacts({ id: name, name, ...more });
const channels = [
  named('inc-10'),
  named('app', { kind: 'direct' }),
  named('old', { isArchived: true }),
  named('inc-9'),
  named('to-join', { isMember: false }),
  named('checkout'),
];

test('channels are grouped, and numbers sort as numbers', () => {
  const { own, direct, others, archived } = toSections(channels);
  const names = [own, direct, others, archived].map(group => group.map(each => each.name));
  expect(names).toEqual([['checkout', 'inc-9', 'inc-10'], ['app'], ['to-join'], ['old']]);
});

test('steps follow the list, go round, and pass over what is archived or not joined', () => {
  const walk = (step: 1 | -1) => {
    const seen: (string | undefined)[] = ['checkout'];
    for (let turn = 0; turn < 4; turn += 1) seen.push(stepFrom(channels, seen.at(-1), step)?.id);
    return seen;
  };
  expect(walk(1)).toEqual(['checkout', 'inc-9', 'inc-10', 'app', 'checkout']);
  expect(walk(-1)).toEqual(['checkout', 'app', 'inc-10', 'inc-9', 'checkout']);
});

test('from nowhere in the list one comes to its beginning or end, and without channels nowhere', () => {
  expect([stepFrom(channels, 'old', 1)?.id, stepFrom(channels, 'old', -1)?.id]).toEqual(['checkout', 'app']);
  expect(stepFrom([], undefined, 1)).toBeUndefined();
});
