import type { z } from 'zod';
import { DashboardMeta, type HomeDashboard } from '../../contract/dashboards.ts';
import type { Context } from '../call/context.ts';
import { dashboardPath } from './address.ts';
import { zeroTime } from './read.ts';
import { openRecords } from './records.ts';

const homeModel = {
  editable: false,
  nav: [{ enable: false, type: 'timepicker' }],
  style: 'dark',
  tags: [],
  templating: { list: [] },
  time: {},
  timezone: 'browser',
  title: 'Home',
  version: 5,
};

/**
 * The home page: the address of the dashboard that the options name, if it exists, else an empty dashboard (docs/api-rules.md
 * C4).
 */
export async function getHome(context: Context): Promise<z.output<typeof HomeDashboard>> {
  const { caller, options } = context;
  const chosen = options.home === undefined ? undefined : await findChosen(context, options.home);
  const canEdit = caller.role !== 'Viewer';
  const meta = DashboardMeta.parse({ isHome: true, canEdit, expires: zeroTime, created: zeroTime, updated: zeroTime });
  return { dashboard: homeModel, meta, redirectUri: chosen ? dashboardPath(options, chosen) : '' };
}

function findChosen(context: Context, uid: string): Promise<{ uid: string; slug: string } | undefined> {
  return openRecords(context)
    .selectFrom('dashboard')
    .select(['uid', 'slug'])
    .where('uid', '=', uid)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}
