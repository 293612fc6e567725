import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { dashboards } from '../../../../playground/system/dashboards.ts';
import { seedHistory } from '../../../../playground/system/history.ts';
import { createClient } from '../../../../src/client/client.ts';
import { openDatabase } from '../../../../src/db/database.ts';
import { createService } from '../../../../src/service/service.ts';
import { readFixture } from '../../../support/dashboards.ts';
import { patient } from '../../../support/deadlines.ts';

const now = new Date('2026-03-14T02:07:00Z');
const toPerson = (name: string) => ({ userID: `slack:${name}`, name });
const veterans = { alice: toPerson('alice'), bob: toPerson('bob'), carol: toPerson('carol') };

const Board = z.looseObject({
  title: z.string().min(5),
  description: z.string().min(20),
  tags: z.array(z.string()).min(2),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })).min(3) }),
  panels: z.array(
    z.looseObject({
      id: z.number(),
      type: z.string(),
      gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
    }),
  ),
});

async function openSeeded() {
  const database = await openDatabase('sqlite::memory:');
  onTestFinished(() => database[Symbol.asyncDispose]());
  const log = pino({ level: 'silent' });
  const seed = () =>
    seedHistory(
      { database, deadlines: patient(), log, options: { rootUrl: 'https://muster.example.com' } },
      veterans,
      now,
    );
  await seed();
  const service = await createService({ database, log, clock: () => now });
  onTestFinished(() => service[Symbol.asyncDispose]());
  const api = createClient({ ...patient().api, transport: service.handle });
  return { seed, api };
}

test.each(dashboards.map(each => [each.title, each] as const))('“%s” is as rich as a real one', (_title, model) => {
  const { panels, ...board } = Board.parse(model);
  // Every member of a real one that people or the service look at.
  for (const member of ['annotations', 'links', 'refresh', 'schemaVersion', 'templating', 'time', 'timepicker', 'tags'])
    expect([member, Object.hasOwn(readFixture('nginx-ingress-controller'), member) && member in model]).toEqual([
      member,
      true,
    ]);
  expect(board.templating.list.map(each => each.type)).toEqual(
    expect.arrayContaining(['datasource', 'query', 'interval']),
  );
  expect(new Set(panels.map(each => each.type)).size).toBeGreaterThanOrEqual(4);
  expect(panels.filter(each => each.type === 'row').length).toBeGreaterThanOrEqual(2);
  expect(new Set(panels.map(each => each.id)).size).toBe(panels.length);
  for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

test('they are there once, with tags and links, and what people delete stays away', async () => {
  const { api, seed } = await openSeeded();
  const titles = async () => (await api.Search.find({ type: 'dash-db' })).map(each => each.title);
  expect((await titles()).toSorted()).toEqual(dashboards.map(each => each.title).toSorted());
  expect((await api.Dashboards.tags({})).find(each => each.term === 'shop')?.count).toBe(3);
  const query = { incidentID: '16', limit: 100, activityKind: ['userNote' as const] };
  const { activityItems } = await api.ActivityService.QueryActivity({ query });
  expect(activityItems.filter(each => each.fieldValues.dashboard === 'checkout-overview')).toHaveLength(1);
  await api.Dashboards.delete({ uid: 'edge-traffic' });
  await seed();
  expect(await titles()).toHaveLength(2);
});
