import { createBackups } from '../../db/backups.ts';
import type { Migration } from '../../db/migrate.ts';
import { incidents } from './001-incidents.ts';
import { dashboards } from './002-dashboards.ts';
import { webhooks } from './003-webhooks.ts';
import { tokens } from './004-tokens.ts';
import { imports } from './005-import.ts';
import { privateIncidents } from './006-private.ts';
import { webhookRetries } from './007-webhook-retries.ts';
import { folderVersions } from './008-folder-versions.ts';
import { namedLinks } from './009-named-links.ts';
import { readers } from './011-readers.ts';
import { incidentCounts } from './012-incident-counts.ts';

/** The service's schema, step by step; all of them belong to the part `service`. */
export const serviceMigrations: readonly Migration[] = [
  incidents,
  dashboards,
  webhooks,
  tokens,
  imports,
  privateIncidents,
  webhookRetries,
  folderVersions,
  namedLinks,
  { name: '010-backups', up: createBackups },
  readers,
  incidentCounts,
];
