import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageNews } from '../../../../src/bot/incident/acts/pagers.ts';
import { renameIncident } from '../../../../src/bot/incident/state/room-store.ts';
import { keepFor } from '../../../../src/bot/keep-for.ts';
import { PageStore } from '../../../../src/bot/pager/page-store.ts';
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

const states = ['waiting', 'failed', 'sent', 'acknowledged', 'resolved'] as const;

test('a page only ever goes further, whatever comes twice, late or in the wrong order', async () => {
  const { store } = await open();
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...states), { maxLength: 12 }), async news => {
      count += 1;
      const id = `p${count}`;
      await store.begin({ ...page, id });
      let last = -1;
      for (const state of news) {
        const changed = await store.record(id, { state, by: state === 'acknowledged' ? 'Ann' : '' });
        const at = states.indexOf((await store.find(id))?.state as (typeof states)[number]);
        expect(at).toBe(Math.max(last, states.indexOf(state)));
        expect(changed === undefined).toBe(states.indexOf(state) <= last);
        last = at;
      }
      if (news.includes('acknowledged') && last >= 3) {
        const wasFurther = news.indexOf('resolved') >= 0 && news.indexOf('resolved') < news.indexOf('acknowledged');
        expect((await store.find(id))?.acknowledged_by).toBe(wasFurther ? '' : 'Ann');
      }
    }),
    { numRuns: 60 },
  );
});

test('a page that is begun again is as it was, and one that nobody knows changes nothing', async () => {
  const { store } = await open();
  expect(await store.begin(page)).toMatchObject({ state: 'begun' });
  await store.record('p', { state: 'acknowledged', by: 'Ann' });
  expect(await store.begin({ ...page, why: 'other' })).toMatchObject({ state: 'acknowledged', why: 'it burns' });
  expect(await store.record('nobody', { state: 'resolved' })).toBeUndefined();
});

test('a page of an incident that is registered meanwhile goes along', async () => {
  const { database, store } = await open();
  await store.begin({ ...page, incident_id: '~x' });
  await database.withLock<NoTables, void>('test', trx => renameIncident(trx, '~x', '9'));
  expect(await store.record('p', { state: 'sent' })).toBe('9');
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
  ];
  for (const [id, incident_id, is] of news) {
    await store.begin({ ...page, id, incident_id });
    await store.record(id, { state: is });
  }
  const closable = (await store.closable()).map(each => each.id).toSorted();
  expect(closable).toEqual(['a', 'b']);
  expect(await store.purge(clock.now)).toBe(0);
  expect(await store.purge(new Date(clock.now.getTime() + keepFor.pages + 1))).toBe(news.length);
});
