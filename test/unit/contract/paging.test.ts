import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { RpcError } from '../../../src/contract/errors.ts';
import { items, pages } from '../../../src/contract/paging.ts';
import { createRecorder, failureOf } from '../../support/client.ts';

/** A client of a server whose pages are given; the cursor is the number of the next one. */
function clientOf(numbers: readonly (readonly string[])[], cursors?: readonly (object | null)[]) {
  const asked: unknown[] = [];
  const client = createClient({
    ...createRecorder().options,
    transport: async ({ body }) => {
      const input = JSON.parse(body ?? '');
      asked.push(input);
      const at = Number(input.cursor.nextValue);
      const hasMore = at + 1 < numbers.length;
      const cursor =
        cursors === undefined ? { nextValue: hasMore ? `${at + 1}` : '', hasMore } : cursors[asked.length - 1];
      const users = numbers[at]?.map(userID => ({ userID }));
      return { status: 200, headers: {}, body: JSON.stringify({ users, query: { limit: 2 }, cursor, error: '' }) };
    },
  });
  return { client, asked };
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of source) found.push(each);
  return found;
}

describe('paging', () => {
  test('repeats the request with each cursor until there is no more', async () => {
    const { client, asked } = clientOf([['a', 'b'], ['c', 'd'], ['e']]);
    const users = await all(items(client.UsersService.QueryUsers, 'users', { query: { limit: 2 } }));
    expect(users.map(user => user.userID)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(asked).toEqual([
      { query: { limit: 2 }, cursor: { nextValue: '', hasMore: false } },
      { query: { limit: 2 }, cursor: { nextValue: '1', hasMore: true } },
      { query: { limit: 2 }, cursor: { nextValue: '2', hasMore: true } },
    ]);
  });

  test('gives every item once, in order, however they are cut into pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.string(), { maxLength: 4 }), { minLength: 1, maxLength: 6 }), async cut => {
        const { client } = clientOf(cut);
        const users = await all(items(client.UsersService.QueryUsers, 'users', {}));
        expect(users.map(user => user.userID)).toEqual(cut.flat());
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['no cursor', [null], 1],
    ['a cursor without a value', [{ nextValue: '', hasMore: true }], 1],
    [
      'the same cursor again',
      [
        { nextValue: '1', hasMore: true },
        { nextValue: '1', hasMore: true },
      ],
      2,
    ],
    [
      'cursors that go round',
      [
        { nextValue: '1', hasMore: true },
        { nextValue: '0', hasMore: true },
        { nextValue: '1', hasMore: true },
      ],
      3,
    ],
  ])('ends at %s', async (_, cursors, count) => {
    const { client } = clientOf([['a'], ['b']], cursors);
    expect(await all(pages(client.UsersService.QueryUsers, {}))).toHaveLength(count);
  });

  test('stops asking when the reader stops, and passes failures on', async () => {
    const { client, asked } = clientOf([['a'], ['b']]);
    for await (const user of items(client.UsersService.QueryUsers, 'users', {})) {
      expect(user.userID).toBe('a');
      break;
    }
    expect(asked).toHaveLength(1);
    const signal = AbortSignal.abort();
    const error = await failureOf(all(pages(client.UsersService.QueryUsers, {}, { signal })));
    expect(error).toBeInstanceOf(RpcError);
    expect(error.code).toBe('canceled');
  });
});
