import type { Kysely, Selectable } from 'kysely';
import type { DashboardTables } from '../../../src/service/store/dashboards.ts';
import type { Tables } from '../../../src/service/store/tables.ts';
import type { WebhookTables } from '../../../src/service/store/webhooks.ts';

/** All that the service stores, but for tokens. */
export type AllTables = Tables & DashboardTables & WebhookTables;

/** A row of a table. */
export type Row<T extends keyof AllTables> = Selectable<AllTables[T]>;

/** A timeline item with its field values read. */
export type Item = Row<'activity'> & { readonly fields: Readonly<Record<string, unknown>> };

/** Everything a database holds at one moment, timelines in order. */
export interface Snapshot {
  readonly incidents: readonly Row<'incident'>[];
  readonly items: readonly Item[];
  readonly itemsOf: (incidentID: number) => readonly Item[];
  readonly tasks: readonly Row<'task'>[];
  readonly labels: readonly Row<'incident_label'>[];
  readonly assignments: readonly Row<'assignment'>[];
  readonly roles: readonly Row<'role'>[];
  readonly counters: ReadonlyMap<string, number>;
  readonly dashboards: readonly Row<'dashboard'>[];
  readonly dashboardVersions: readonly Row<'dashboard_version'>[];
  readonly dashboardTags: readonly Row<'dashboard_tag'>[];
  readonly folders: readonly Row<'folder'>[];
  readonly shortUrls: readonly Row<'short_url'>[];
  readonly endpoints: readonly Row<'webhook_endpoint'>[];
  readonly events: readonly Row<'webhook_event'>[];
  readonly deliveries: readonly Row<'webhook_delivery'>[];
}

/** Reads a database; nobody else may write to it meanwhile. */
export async function takeSnapshot(db: Kysely<AllTables>): Promise<Snapshot> {
  const rows = await db.selectFrom('activity').selectAll().orderBy('seq').execute();
  const items = rows.map(row => ({ ...row, fields: JSON.parse(row.field_values) }));
  const byIncident = Map.groupBy(items, each => each.incident_id);
  const counters = await db.selectFrom('counter').selectAll().execute();
  return {
    incidents: await db.selectFrom('incident').selectAll().orderBy('id').execute(),
    items,
    itemsOf: incidentID => byIncident.get(incidentID) ?? [],
    tasks: await db.selectFrom('task').selectAll().execute(),
    labels: await db.selectFrom('incident_label').selectAll().execute(),
    assignments: await db.selectFrom('assignment').selectAll().execute(),
    roles: await db.selectFrom('role').selectAll().execute(),
    counters: new Map(counters.map(each => [each.name, each.value])),
    dashboards: await db.selectFrom('dashboard').selectAll().execute(),
    dashboardVersions: await db.selectFrom('dashboard_version').selectAll().orderBy('version').execute(),
    dashboardTags: await db.selectFrom('dashboard_tag').selectAll().execute(),
    folders: await db.selectFrom('folder').selectAll().execute(),
    shortUrls: await db.selectFrom('short_url').selectAll().execute(),
    endpoints: await db.selectFrom('webhook_endpoint').selectAll().execute(),
    events: await db.selectFrom('webhook_event').selectAll().execute(),
    deliveries: await db.selectFrom('webhook_delivery').selectAll().orderBy('seq').execute(),
  };
}
