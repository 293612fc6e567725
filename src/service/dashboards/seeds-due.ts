import type { ServiceOptions } from '../call/options.ts';
import type { DashboardTables } from '../store/002-dashboards.ts';
import type { Db } from '../store/tables.ts';

/** Whether the options name dashboards or folders to store, or the database still has some from earlier options. */
export async function areSeedsDue(db: Db, options: ServiceOptions): Promise<boolean> {
  const { folders, pluginDashboards, provisionedDashboards } = options;
  if (folders.length + pluginDashboards.length + provisionedDashboards.length > 0) return true;
  const dashboards = db.withTables<DashboardTables>().selectFrom('dashboard');
  return (await dashboards.select('id').where('provisioned', '=', 1).limit(1).executeTakeFirst()) !== undefined;
}
