import { expect, test } from 'vitest';
import { ReplaceableMessages } from '../../../../../src/bot/dispatch/feature/replaceable-messages.ts';

const start = new Date('2026-11-20T12:00:00Z');
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const respond = async () => {};

test('a message can be replaced for half an hour, under a name that nobody can guess', () => {
  const places = new ReplaceableMessages();
  const name = places.keep(respond, start);
  expect(name).toMatch(/^[0-9a-f-]{36}$/);
  expect(places.keep(respond, start)).not.toBe(name);
  expect(places.find(name, after(28))).toBe(respond);
  expect(places.find(name, after(30))).toBeUndefined();
  expect(places.find('', start)).toBeUndefined();
});

test('the oldest are forgotten when there are many', () => {
  const places = new ReplaceableMessages();
  const first = places.keep(respond, start);
  for (let each = 0; each < 2000; each += 1) places.keep(respond, start);
  expect(places.find(first, start)).toBeUndefined();
});
