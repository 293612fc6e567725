import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../../src/db/database.ts';
import { serviceLock } from '../../../../src/service/store/tables.ts';
import { engine } from '../../../support/databases/fresh.ts';
import { call, type OpenedService, openService, request } from '../../../support/service.ts';

const address = { incidentID: '1' };

/** Holds the turn of the service's changes, as another process does. */
async function holdTurn({ url }: OpenedService) {
  const database = await openDatabase(url);
  onTestFinished(() => database[Symbol.asyncDispose]());
  const held = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = database.withLock(serviceLock, async () => {
    held.resolve();
    await promise;
  });
  await held.promise;
  return async () => {
    resolve();
    await done;
  };
}

test('a change that waits for its turn has the time at which it got it', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const pass = await holdTurn(opened);
  const waiting = call(opened, 'IncidentsService.UpdateStatus', { ...address, status: 'resolved' });
  // Reads are answered meanwhile, and by then the change has begun.
  await call(opened, 'IncidentsService.GetIncident', address);
  opened.now = new Date('2026-09-19T09:31:00Z');
  await pass();
  const { incident } = await waiting;
  expect([incident.closedTime, incident.modifiedTime]).toEqual(['2026-09-19T09:31:00Z', '2026-09-19T09:31:00Z']);
  const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query: { ...address, limit: 1 } });
  expect(activityItems).toMatchObject([{ activityKind: 'incidentStatusChanged', eventTime: '2026-09-19T09:31:00Z' }]);
});

test('reads are answered while another process changes something', async () => {
  await using opened = await openService();
  await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
  const pass = await holdTurn(opened);
  const title = call(opened, 'IncidentsService.UpdateTitle', { ...address, title: 'y' });
  const read = await call(opened, 'IncidentsService.GetIncident', address);
  const list = await call(opened, 'IncidentsService.QueryIncidentPreviews', { query: { limit: 1 } });
  expect([read.incident.title, list.incidentPreviews[0]?.title]).toEqual(['x', 'x']);
  await pass();
  expect((await title).incident.title).toBe('y');
  expect((await call(opened, 'IncidentsService.GetIncident', address)).incident.title).toBe('y');
});

if (engine === 'sqlite') {
  test('a full disk is answered as unavailable, and the log says why; afterwards all goes on', async () => {
    await using opened = await openService();
    await call(opened, 'IncidentsService.CreateIncident', { title: 'x' });
    const db = opened.database.as();
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(db);
    await sql`pragma max_page_count = ${sql.lit(Number(rows[0]?.page_count) + 10)}`.execute(db);
    const note = { ...address, body: 'n'.repeat(5000) };
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => request(opened, 'ActivityService.AddActivity', note)),
    );
    const kept = answers.filter(each => each.status === 200).length;
    const refused = answers.filter(each => each.status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    for (const each of refused) {
      expect(each).toMatchObject({ status: 503, body: { code: 'common.unavailable', retryable: true } });
    }
    const logged = opened.errors.splice(0);
    expect(logged).toHaveLength(refused.length);
    expect(JSON.stringify(logged)).toContain('database or disk is full');
    await sql`pragma max_page_count = 100000`.execute(db);
    await call(opened, 'ActivityService.AddActivity', note);
    const query = { ...address, limit: 100, activityKind: ['userNote'] };
    const { activityItems } = await call(opened, 'ActivityService.QueryActivity', { query });
    expect(activityItems).toHaveLength(kept + 1);
  });
}
