import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { RpcError } from '../../../../src/contract/errors.ts';
import type { Cursor } from '../../../../src/contract/fields.ts';
import { orderFields } from '../../../../src/contract/incident-queries.ts';
import { toLimit } from '../../../../src/service/incidents/cursor.ts';
import { listActivity, listIncidentPreviews } from '../../../../src/service/incidents/list.ts';
import { type ItemSketch, newYear, openWorld, type World } from '../../../support/query/world.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

const first: Cursor = { nextValue: '', hasMore: false };
type OrderField = (typeof orderFields)[number];
interface Order {
  orderField: OrderField;
  orderDirection: 'ASC' | 'DESC';
}

async function listIDs(world: World, order: Order & { limit: number; queryString?: string }, cursor: Cursor) {
  const query = { queryString: '', incidentTypes: [], ...order };
  const answer = await listIncidentPreviews(world.context, {
    query,
    cursor,
    includeCustomFieldValues: false,
    includeMembershipPreview: false,
  });
  return { ids: answer.incidentPreviews.map(each => Number(each.incidentID)), cursor: answer.cursor };
}

async function listAllIDs(world: World, order: Order & { limit: number }, between?: () => Promise<void>) {
  const pages: number[][] = [];
  let cursor = first;
  do {
    const page = await listIDs(world, order, cursor);
    pages.push(page.ids);
    cursor = page.cursor;
    expect(cursor.nextValue === '').toBe(!cursor.hasMore);
    if (cursor.hasMore) await between?.();
  } while (cursor.hasMore);
  return pages;
}

/** Few values, so that many are equal. */
const time = fc.integer({ min: -2, max: 3 }).map(number => newYear + number);
const sketch = fc.record({
  title: fc.constantFrom('a', 'A', 'é', 'z', '\u{1f525}', '\uff5e', ''),
  roomPrefix: fc.constantFrom('', 'inc'),
  status: fc.constantFrom('active' as const, 'resolved' as const),
  severity: fc.constantFrom('pending', 'critical', 'minor'),
  isDrill: fc.boolean(),
  createdAt: time,
  modifiedAt: time,
  startedAt: time,
  closedAt: fc.option(time),
  endedAt: fc.option(time),
});
const order = fc.record({
  orderField: fc.constantFrom(...orderFields),
  orderDirection: fc.constantFrom('ASC' as const, 'DESC' as const),
});

describe('pages of incidents', () => {
  it('give every incident that was there from the start once, and none twice, whatever is declared in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        order,
        fc.integer({ min: 1, max: 4 }),
        fc.array(sketch, { maxLength: 9 }),
        fc.array(fc.array(sketch, { maxLength: 3 }), { maxLength: 4 }),
        async (order, limit, start, later) => {
          await using world = await openWorld();
          await world.add(...start);
          const inserts = later.values();
          const pages = await listAllIDs(world, { ...order, limit }, async () => {
            await world.add(...(inserts.next().value ?? []));
          });
          const seen = pages.flat();
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining(start.map((_, index) => index + 1)));
        },
      ),
      { numRuns: inject('engine') === 'postgres' ? 15 : 60 },
    );
  });

  it('are the whole list cut into pieces, and the list turned round is the same list', async () => {
    await using world = await openWorld();
    await world.add(...fc.sample(sketch, 25));
    for (const orderField of orderFields) {
      const [whole] = await listAllIDs(world, { orderField, orderDirection: 'ASC', limit: 100 });
      const [turned] = await listAllIDs(world, { orderField, orderDirection: 'DESC', limit: 100 });
      const pages = await listAllIDs(world, { orderField, orderDirection: 'ASC', limit: 4 });
      expect(whole).toHaveLength(25);
      expect(turned).toEqual(whole?.toReversed());
      expect(pages.flat()).toEqual(whole);
      expect(pages.map(each => each.length)).toEqual([4, 4, 4, 4, 4, 4, 1]);
    }
  });

  it('end without an empty page when the last one is full', async () => {
    await using world = await openWorld();
    await world.add({}, {}, {}, {});
    expect(await listAllIDs(world, { orderField: 'incidentID', orderDirection: 'ASC', limit: 2 })).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe('pages of a timeline', () => {
  const item: fc.Arbitrary<ItemSketch> = fc.record({ incidentID: fc.constant(1), createdAt: time, eventAt: time });

  it('give every item that was there from the start once, and none twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('ASC' as const, 'DESC' as const),
        fc.array(item, { maxLength: 8 }),
        fc.array(item, { maxLength: 4 }),
        async (orderDirection, start, later) => {
          await using world = await openWorld();
          await world.add({});
          await world.addItems(...start);
          const query = { incidentID: '1', limit: 2, tag: '', orderDirection, activityKind: [] };
          const seen: string[] = [];
          let cursor = first;
          do {
            const page = await listActivity(world.context, { query, cursor });
            seen.push(...page.activityItems.map(each => each.activityItemID));
            cursor = page.cursor;
            if (cursor.hasMore) await world.addItems(...later.splice(0, 1));
          } while (cursor.hasMore);
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining(start.map((_, index) => `activity-item-${index + 1}`)));
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('a cursor', () => {
  const byTitle = { orderField: 'title', orderDirection: 'ASC', limit: 1 } as const;

  async function refusal(world: World, query: Parameters<typeof listIDs>[1], nextValue: string): Promise<string> {
    const error = await listIDs(world, query, { nextValue, hasMore: true }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RpcError);
    expect((error as RpcError).code).toBe('invalid_argument');
    return (error as RpcError).message;
  }

  it('is good for the same query, with another limit and without hasMore', async () => {
    await using world = await openWorld();
    await world.add({ title: 'b' }, { title: 'a' }, { title: 'c' });
    const { cursor } = await listIDs(world, byTitle, first);
    const next = { nextValue: cursor.nextValue, hasMore: false };
    expect((await listIDs(world, { ...byTitle, limit: 5 }, next)).ids).toEqual([1, 3]);
  });

  it('of another query is refused', async () => {
    await using world = await openWorld();
    await world.add({}, {});
    const { cursor } = await listIDs(world, byTitle, first);
    for (const change of [{ orderField: 'status' }, { orderDirection: 'DESC' }, { queryString: 'x' }] as const) {
      expect(await refusal(world, { ...byTitle, ...change }, cursor.nextValue)).toMatch(/belongs to another query/);
    }
  });

  it('that is none is refused', async () => {
    await using world = await openWorld();
    await world.add({}, {});
    const { cursor } = await listIDs(world, byTitle, first);
    const [hash] = JSON.parse(Buffer.from(cursor.nextValue, 'base64url').toString());
    const forged = [
      [],
      [hash],
      [hash, 1, 2],
      [hash, 'a', '2'],
      [hash, 'a', 1.5],
      [hash, 'a', 1e300],
      [null, 'a', 1],
      {},
    ];
    for (const value of forged) {
      const nextValue = Buffer.from(JSON.stringify(value)).toString('base64url');
      expect(await refusal(world, byTitle, nextValue)).toMatch(/^invalid cursor: send the nextValue/);
    }
    await fc.assert(
      fc.asyncProperty(unicodeText({ minLength: 1 }), async text => {
        expect(await refusal(world, byTitle, text)).toMatch(/^invalid cursor: /);
      }),
    );
  });
});

it('limits are what was asked for, within bounds', () => {
  expect([0, -5, 1, 1000, 1001].map(toLimit)).toEqual([100, 100, 1, 1000, 1000]);
});
