import type { Dashboards } from '../../contract/dashboards.ts';
import type { Implementation } from '../../contract/define.ts';
import type { Context } from '../call/context.ts';
import { getDashboard, getHome, listTags } from './read.ts';
import { saveDashboard } from './save.ts';
import { deleteDashboard, hardDeleteDashboard, restoreDashboard } from './trash.ts';

/** The dashboard endpoints on the database (docs/short-url-api.md; docs/api-rules.md C1 to C4). */
export const dashboards: Implementation<typeof Dashboards, Context> = {
  save: saveDashboard,
  get: (context, { uid }) => getDashboard(context, uid),
  delete: (context, { uid }) => deleteDashboard(context, uid),
  hardDelete: (context, { uid }) => hardDeleteDashboard(context, uid),
  restore: (context, { uid, folderUid }) => restoreDashboard(context, uid, folderUid.trim()),
  home: getHome,
  tags: listTags,
};
