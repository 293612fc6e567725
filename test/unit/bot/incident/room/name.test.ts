import { expect, test } from 'vitest';
import { channelName } from '../../../../../src/bot/incident/room/make.ts';

test.each([
  ['Checkout answers 500', 'inc-7-checkout-answers-500'],
  ['Größe & Übermaß', 'inc-7-große-ubermaß'],
  ['<!channel> down', 'inc-7-channel-down'],
  ['!!!', 'inc-7'],
  ['', 'inc-7'],
  ['データベースが落ちた', 'inc-7-データベースが落ちた'],
  ['ALL CAPS', 'inc-7-all-caps'],
])('the channel for “%s” is called %s', (title, name) => {
  expect(channelName('inc-', { incidentID: '7', title })).toBe(name);
});

test('a long title is cut where it leaves room for a suffix, and never ends with a hyphen', () => {
  const incident = { incidentID: '7', title: `${'x'.repeat(63)} ${'y'.repeat(100)}` };
  expect(channelName('inc-', incident)).toBe(`inc-7-${'x'.repeat(63)}`);
  expect(channelName('inc-', incident, 20)).toBe(`inc-7-${'x'.repeat(63)}-20`);
  expect(channelName('inc-', incident, 20).length).toBeLessThanOrEqual(80);
});

test('an id of another kind makes a name all the same', () => {
  expect(channelName('', { incidentID: 'AB.7/x', title: 'Disk' })).toBe('ab-7-x-disk');
});
