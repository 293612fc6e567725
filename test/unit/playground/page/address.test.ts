import { expect, test } from 'vitest';
import { readAddress, writeAddress } from '../../../../playground/page/address.ts';

const nothing = {
  as: undefined,
  channel: undefined,
  thread: undefined,
  message: undefined,
  story: undefined,
  beside: undefined,
};

test('an address that says nothing, or says it emptily, leaves everything open', () => {
  expect(readAddress('')).toEqual(nothing);
  expect(readAddress('?as=&channel=&story=&beside=')).toEqual(nothing);
});

test('what is written is read again', () => {
  const parts = { as: 'jürgen & co', channel: 'C1', thread: '1001.000000', message: '1002.000000' };
  expect(readAddress(writeAddress(parts))).toEqual({ ...nothing, ...parts });
  expect(writeAddress({ as: undefined })).toBe('');
  expect(writeAddress({ as: 'alice', channel: undefined })).toBe('?as=alice');
});

test.each([
  ['?story=outage&step=3', { name: 'outage', step: 3 }],
  ['?story=outage', { name: 'outage', step: 0 }],
  ['?story=outage&step=many', { name: 'outage', step: 0 }],
  ['?story=outage&step=-2', { name: 'outage', step: 0 }],
])('a story is opened at its step: %s', (search, story) => {
  expect(readAddress(search).story).toEqual(story);
});

test.each([
  ['?beside=alice,bob', ['alice', 'bob']],
  ['?beside=alice', undefined],
  ['?beside=,bob', undefined],
])('two people stand beside each other: %s', (search, beside) => {
  expect(readAddress(search).beside).toEqual(beside);
});
