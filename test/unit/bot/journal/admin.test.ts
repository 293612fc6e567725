import { expect, test } from 'vitest';
import { whyNotDone } from '../../../../src/bot/journal/admin.ts';
import { encodeError } from '../../../../src/bot/journal/rows.ts';
import { RpcError } from '../../../../src/contract/errors.ts';

const outcome = encodeError(new RpcError('not_found', 'There is no incident 7.', {}));

test.each([
  ['one that failed, why', { state: 'failed', outcome }, 'not_found: There is no incident 7.'],
  ['one that is tried again, why', { state: 'pending', outcome }, 'not_found: There is no incident 7.'],
  ['one that was never tried, nothing', { state: 'pending', outcome: '' }, ''],
  ['one that is done, nothing', { state: 'done', outcome: '{"incidentID":"7"}' }, ''],
] as const)('an operator reads of %s', (_, row, words) => {
  expect(whyNotDone(row)).toBe(words);
});
