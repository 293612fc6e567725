import { expect, test } from 'vitest';
import { createAuthenticator, toTokenHash } from '../../../../src/service/call/bearer-auth.ts';

test('a token of the settings goes by its place and role, and no bit of it shows', async () => {
  const tokens = [
    { token: 'glsa_the_first_of_three', role: 'Admin' },
    { token: 'glsa_the_second_of_three', role: 'Viewer', name: 'reader' },
    { token: 'glsa_the_third_of_three', role: 'Viewer' },
  ] as const;
  const { accounts, authenticate } = createAuthenticator(
    tokens,
    async () => undefined,
    () => new Date(0),
  );
  expect(accounts.map(each => each.name)).toEqual([
    'Service Account: API 1 (Admin)',
    'Service Account: reader',
    'Service Account: API 3 (Viewer)',
  ]);
  for (const [index, { token }] of tokens.entries()) {
    const account = await authenticate(`Bearer ${token}`);
    expect(account).toEqual(accounts[index]);
    const hash = toTokenHash(token);
    const pieces = Array.from({ length: hash.length - 5 }, (_, at) => hash.slice(at, at + 6));
    expect(pieces.filter(piece => JSON.stringify(account).includes(piece))).toEqual([]);
  }
});
