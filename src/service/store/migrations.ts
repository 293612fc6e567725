import { backupTable } from '../../db/backups.ts';
import { type Migration, toMigrations } from '../../db/migrate.ts';
import { dashboardTables } from './dashboards.ts';
import { imports } from './imports.ts';
import { countIncidents, incidentCounts } from './incident-counts.ts';
import { readerTables } from './readers.ts';
import { incidentTables, type Tables } from './tables.ts';
import { tokens } from './tokens.ts';
import { webhookTables } from './webhooks.ts';

const beginCounters: Migration['up'] = async db => {
  const names = [
    ...(['incident', 'activity', 'task', 'role', 'position', 'homescreen', 'dashboard'] as const),
    ...(['webhook_endpoint', 'webhook_delivery', 'api_token'] as const),
  ];
  await db
    .withTables<Tables>()
    .insertInto('counter')
    .values(names.map(name => ({ name, value: 0 })))
    .execute();
};

/** Steps of the service's schema, in order. The first is the schema of 0.12.0. */
export const serviceMigrations = toMigrations({
  tables: [
    ...[...incidentTables, ...dashboardTables, ...webhookTables, ...readerTables],
    ...[tokens, imports, backupTable, incidentCounts],
  ],
  steps: [
    { name: '011-readers', fill: beginCounters },
    { name: '012-incident-counts', fill: countIncidents },
    { name: '013-sign-outs' },
  ],
  keysMayBeNull: true,
});
