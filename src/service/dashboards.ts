import type { Dashboards } from '../contract/dashboards.ts';
import type { Implementation } from '../contract/define.ts';
import type { Context } from './context.ts';
import { getHome } from './dashboards/home.ts';
import { getDashboard, listTags } from './dashboards/read.ts';
import { saveDashboard } from './dashboards/save.ts';
import { deleteDashboard, hardDeleteDashboard, restoreDashboard } from './dashboards/trash.ts';

/** The answers of the dashboard endpoints (api-short-url-and-dashboards.md; api-behaviour.md C). */
export const dashboards: Implementation<typeof Dashboards, Context> = {
  save: saveDashboard,
  get: (context, { uid }) => getDashboard(context, uid),
  delete: (context, { uid }) => deleteDashboard(context, uid),
  hardDelete: (context, { uid }) => hardDeleteDashboard(context, uid),
  restore: (context, { uid, folderUid }) => restoreDashboard(context, uid, folderUid.trim()),
  home: getHome,
  tags: listTags,
};
