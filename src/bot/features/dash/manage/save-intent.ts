import { z } from 'zod';
import { defineIntent } from '../../../incident/acts/intent-kind.ts';
import { toWebUrl } from '../../../incident/state/settings.ts';
import { sentence, toMrkdwn } from '../../../text/blocks.ts';
import { signs } from '../../../text/signs.ts';
import { getDashboard } from '../link/find.ts';
import { toLabel } from '../link/link.ts';
import { saveChoices } from './choices.ts';
import { dashboardLane } from './lane.ts';
import { isSameModel, toSent } from './model.ts';
import { Save, saveKind } from './save-payload.ts';
import { mapSave } from './save-texts.ts';

/** A saved dashboard; `url` is `""` where it opens nowhere. */
const Saved = z.object({ uid: z.string(), version: z.number(), url: z.string(), folder: z.string() });

/** Creates a dashboard, or saves its next version. */
export const saveDashboard = defineIntent({
  kind: saveKind,
  lane: dashboardLane,
  payload: Save,
  result: Saved,
  run: async ({ api, call, id, deps }, { json, folderUid, message, overwrite }) => {
    const dashboard = toSent(json, id);
    // A save that names no folder moves the dashboard to the root level (docs/short-url-api.md).
    const folder = folderUid || (await getDashboard(api, dashboard.uid, call))?.meta.folderUid || '';
    const saved = await api.Dashboards.save({ dashboard, folderUid: folder, message, overwrite }, call);
    return { uid: saved.uid, version: saved.version, url: toWebUrl(deps.settings, saved.url), folder };
  },
  reconcile: async ({ api, call, id, deps }, { json }) => {
    const { uid, version } = toSent(json, id);
    const found = await getDashboard(api, uid, call);
    if (!found || found.dashboard.version === version || !isSameModel(found.dashboard, json)) return undefined;
    const url = toWebUrl(deps.settings, found.meta.url);
    return { uid, version: found.dashboard.version, url, folder: found.meta.folderUid };
  },
  mapTexts: mapSave,
  describe: ({ title }) => `save the dashboard “${title}”`,
  answer: {
    choices: saveChoices,
    receipt: ({ uid, version, url, folder }, { title }, repeated) => {
      const name = url ? `<${url}|${toLabel(title)}>` : `*${toMrkdwn(title, 150)}*`;
      const place = folder ? ` in the folder \`${toMrkdwn(folder, 60)}\`` : '';
      return sentence(
        repeated
          ? `The dashboard ${name} is saved already, as version ${version}. Nothing was saved twice.`
          : `${signs.dashboard} The dashboard ${name} is saved${place}, as version ${version}. \`/dash link ${uid}\` links it.`,
      );
    },
  },
});
