import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageNews } from '../../../../src/bot/incident/acts/pagers.ts';
import { renameIncident } from '../../../../src/bot/incident/state/room-store.ts';
import { keepFor } from '../../../../src/bot/keep-for.ts';
import { afterNews, PageStore } from '../../../../src/bot/pager/page-store.ts';
import type { PageTable } from '../../../../src/bot/schema/pages-sent.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import type { NoTables } from '../../../../src/db/engine.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';

const clock = { now: new Date('2026-11-26T10:00:00Z') };
const page = {
  id: 'p',
  incident_id: '7',
  pager: 'sre',
  why: 'it burns',
  actor: 'T1/U1',
  asked_at: clock.now.getTime(),
};

async function open() {
  const database = await openBotDatabase(clock.now);
  return { database, store: new PageStore(database, () => clock.now) };
}

const own = ['waiting', 'failed', 'sent'] as const;
const there = ['acknowledged', 'unacknowledged', 'escalated', 'reassigned', 'reopened', 'resolved'] as const;

test('until its pager speaks, a page only ever goes further, whatever comes twice, late or in the wrong order', async () => {
  const { store } = await open();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...own, 'resolved' as const), { maxLength: 12 }), async news => {
      count += 1;
      const id = `p${count}`;
      await store.begin({ ...page, id });
      let last = -1;
      for (const state of news) {
        const changed = await store.record(id, { state }, 5);
        const rank = [...own, 'resolved'].indexOf(state);
        const at = [...own, 'resolved'].indexOf((await store.find(id))?.state ?? '');
        expect(at).toBe(Math.max(last, rank));
        expect(changed === undefined).toBe(rank <= last);
        last = at;
      }
    }),
    { numRuns: 60 },
  );
});

const dated = fc.uniqueArray(
  fc.record({ state: fc.constantFrom(...there), at: fc.integer({ min: 1, max: 1000 }), isPerson: fc.boolean() }),
  {
    ...{ selector: each => each.at, minLength: 1, maxLength: 8 },
  },
);
const row: PageTable = {
  ...{ ...page, state: 'sent', acknowledged_by: '', who: '', news_at: 0, trouble: '', changed_at: 0 },
};
const after = (all: readonly PageNews[]) => all.reduce((known, each) => afterNews(known, each, 2000) ?? known, row);

test('what happened last there counts, in whatever order and however often it is told', () => {
  const told = dated.chain(all => {
    const twice = [...all, ...all];
    const some = fc.shuffledSubarray(all, { minLength: all.length });
    return fc.tuple(some, fc.shuffledSubarray(twice, { minLength: twice.length }));
  });
  fc.assert(
    fc.property(told, ([once, twice]) => {
      const last = once.toSorted((one, other) => one.at - other.at).at(-1);
      for (const all of [once, twice]) expect(after(all)).toMatchObject({ state: last?.state, news_at: last?.at });
    }),
  );
});

test('only a person’s acknowledgement takes a page, and only until something but a resolution follows', () => {
  fc.assert(
    fc.property(dated, all => {
      const inOrder = all.toSorted((one, other) => one.at - other.at);
      const isVoid = (state: string) => state !== 'acknowledged' && state !== 'resolved';
      const since = inOrder.slice(inOrder.findLastIndex(each => isVoid(each.state)) + 1);
      const isTaken = since.some(each => each.state === 'acknowledged' && each.isPerson);
      expect(after(inOrder.map(each => ({ ...each, who: 'Ann' }))).acknowledged_by).toBe(isTaken ? 'Ann' : '');
    }),
  );
});

test.each([
  ['resolved', 'acknowledged', 'resolved'],
  ['resolved', 'unacknowledged', 'resolved'],
  ['resolved', 'reopened', 'reopened'],
  ['acknowledged', 'unacknowledged', 'unacknowledged'],
  ['acknowledged', 'acknowledged', 'acknowledged'],
] as const)('without its moment, after %s news of %s leave it %s', (first, second, end) => {
  expect(after([{ state: first }, { state: second }]).state).toBe(end);
});

test('a moment that is far ahead counts as the present', () => {
  const end = after([
    { state: 'acknowledged', at: Date.parse('2099-01-01') },
    { state: 'unacknowledged', at: 2001 },
  ]);
  expect(end.state).toBe('unacknowledged');
});

test('a page that is begun again is as it was, and one that nobody knows changes nothing', async () => {
  const { store } = await open();
  expect(await store.begin(page)).toMatchObject({ state: 'begun' });
  await store.record('p', { state: 'acknowledged', who: 'Ann', isPerson: true }, 5);
  expect(await store.begin({ ...page, why: 'other' })).toMatchObject({ state: 'acknowledged', why: 'it burns' });
  expect(await store.record('nobody', { state: 'resolved' }, 5)).toBeUndefined();
});

test('a page of an incident that is registered meanwhile goes along', async () => {
  const { database, store } = await open();
  await store.begin({ ...page, incident_id: '~x' });
  await database.withLock<NoTables, void>('test', trx => renameIncident(trx, '~x', '9'));
  expect(await store.record('p', { state: 'sent' }, 5)).toBe('9');
});

test('only open pages of incidents that are over are closed, and old ones are forgotten', async () => {
  const { database, store } = await open();
  const state = (status: string) =>
    JSON.stringify({ title: 't', status, severity: 'critical', isDrill: false, labels: [], roles: [] });
  for (const [incident, status] of [
    ['7', 'resolved'],
    ['8', 'active'],
  ] as const)
    await database
      .as<BotTables>()
      .insertInto('bot_known_state')
      .values({ incident_id: incident, state: state(status) })
      .execute();
  const news: readonly (readonly [id: string, incident: string, state: PageNews['state']])[] = [
    ['a', '7', 'sent'],
    ['b', '7', 'acknowledged'],
    ['c', '7', 'waiting'],
    ['d', '7', 'resolved'],
    ['e', '8', 'sent'],
    ['f', '9', 'sent'],
    ...(['unacknowledged', 'escalated', 'reassigned', 'reopened'] as const).map(is => [is, '7', is] as const),
  ];
  for (const [id, incident_id, is] of news) {
    await store.begin({ ...page, id, incident_id });
    await store.record(id, { state: is }, 5);
  }
  const closable = (await store.closable()).map(each => each.id).toSorted();
  expect(closable).toEqual(['a', 'b', 'escalated', 'reassigned', 'reopened', 'unacknowledged']);
  expect(await store.purge(clock.now)).toBe(0);
  expect(await store.purge(new Date(clock.now.getTime() + keepFor.pages + 1))).toBe(news.length);
});
