import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { toCountDb } from '../../../../src/service/store/incident-counts.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import { toMonth } from '../../../../src/service/store/time.ts';
import { call, type OpenedService, openService } from '../../../support/service.ts';

const people = { actor: { userID: 'slack:U1', name: 'Ann Lee' } };

/** The numbers that the database keeps, and those of the incidents that there are; both without what there is none of. */
async function readNumbers({ database }: OpenedService) {
  const db = database.as<Tables>();
  const kept = await toCountDb(db).selectFrom('incident_count').selectAll().where('count', '>', 0).execute();
  const rows = await db.selectFrom('incident').selectAll().execute();
  const counted = Map.groupBy(rows, ({ is_private, status, severity, is_drill, created_at }) =>
    JSON.stringify({ is_private, status, severity, is_drill, month: toMonth(created_at / 1000) }),
  );
  return {
    kept: new Map(kept.map(({ count, ...kind }) => [JSON.stringify(kind), count] as const).toSorted()),
    there: new Map([...counted].map(([kind, those]) => [kind, those.length] as const).toSorted()),
  };
}

test('the database counts the incidents of each kind, whoever changes them', async () => {
  await using opened = await openService();
  for (const [index, month] of ['01', '02', '02', '03'].entries()) {
    opened.now = new Date(`2026-${month}-28T23:59:59Z`);
    const input = { title: 'A', severity: ['minor', 'major'][index % 2], isDrill: index === 3, roomPrefix: 'inc' };
    await call(opened, 'IncidentsService.CreateIncident', { ...input, status: 'active' }, { people });
  }
  const on = (incidentID: string) => ({ incidentID });
  await call(opened, 'IncidentsService.UpdateStatus', { ...on('1'), status: 'resolved' });
  await call(opened, 'IncidentsService.UpdateSeverity', { ...on('2'), severity: 'critical' });
  await call(opened, 'IncidentsService.UpdateIncidentIsDrill', { ...on('3'), isDrill: true });
  const first = await readNumbers(opened);
  expect(first.kept).toEqual(first.there);
  expect(first.kept.size).toBe(4);

  // As a process of an older version writes, and whatever deletes incidents.
  const { single } = opened.database;
  await single<Tables, unknown>(db =>
    sql`update incident set is_private = 1, severity = 'minor' where id < 3`.execute(db),
  );
  await single<Tables, unknown>(db => sql`update incident set title = 'B', version = version + 1`.execute(db));
  await single<Tables, unknown>(db => sql`delete from incident where id = 3`.execute(db));
  const then = await readNumbers(opened);
  expect(then.kept).toEqual(then.there);
  expect([...then.kept.values()]).toEqual([1, 1, 1]);
});
