import type { Feature } from '../../dispatch/feature.ts';
import type { IntentKind } from '../../incident/intent-kind.ts';
import { linkDashboard } from './link.ts';
import { recentVerbs } from './recent.ts';
import { runLink } from './run-link.ts';
import { showButtons, showVerbs } from './show.ts';
import { tagButtons, tagVerbs } from './tags.ts';
import { trashVerbs } from './trash.ts';
import { deleteDashboard, purgeDashboard, restoreDashboard, trashButtons } from './trash-intents.ts';

/** Dashboards: linking them to incidents, looking at them, deleting them and bringing them back. */
export const dash: Feature = {
  name: 'dash',
  verbs: [
    {
      noun: 'dash',
      verb: 'link',
      aliases: ['add', 'share', 'short', 'shorten'],
      fallback: 'argument',
      usage: 'url|path|uid [what it shows]',
      summary: 'Post a short link to a dashboard, pinned to the time of the incident, and note it on the timeline.',
      about: 'incident',
      needsRegistered: true,
      run: runLink,
    },
    ...showVerbs,
    ...recentVerbs,
    ...tagVerbs,
    ...trashVerbs,
  ],
  buttons: [...showButtons, ...tagButtons, ...trashButtons],
  intents: [linkDashboard, deleteDashboard, restoreDashboard, purgeDashboard] as IntentKind[],
};
