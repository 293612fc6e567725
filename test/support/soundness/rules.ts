import type { Database } from '../../../src/db/database.ts';
import { serviceLock } from '../../../src/service/store/tables.ts';
import { dashboardRules } from './dashboards.ts';
import { incidentRules } from './incidents.ts';
import { type AllTables, type Snapshot, takeSnapshot } from './snapshot.ts';
import { webhookRules } from './webhooks.ts';

/** What has been done to a database, where it matters to what must be in it. */
export interface Past {
  /**
   * Nobody removed or changed a timeline item, changed a role, or declared an incident with labels or by URL: then every
   * number can be told exactly, and otherwise only its bounds.
   */
  readonly plain: boolean;
}

/** Something that is so in every database that the service alone has written to: gives each place where it is not. */
export type Rule = (snapshot: Snapshot, past: Past) => Iterable<string>;

/** Every rule by its name. */
export const rules: Readonly<Record<string, Rule>> = { ...incidentRules, ...webhookRules, ...dashboardRules };

/** What is broken or half done in a database, as `<rule>: <where>`; it waits for writers to end what they do. */
export async function findViolations(database: Pick<Database, 'withLock'>, past: Past): Promise<string[]> {
  return toViolations(await database.withLock<AllTables, Snapshot>(serviceLock, takeSnapshot), past);
}

/** What is broken or half done in a snapshot. */
export function toViolations(snapshot: Snapshot, past: Past): string[] {
  return Object.entries(rules).flatMap(([name, rule]) =>
    Array.from(rule(snapshot, past), where => `${name}: ${where}`),
  );
}
