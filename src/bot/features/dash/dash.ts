import type { Modal } from '../../dispatch/context.ts';
import type { Feature } from '../../dispatch/feature.ts';
import type { IntentKind } from '../../incident/intent-kind.ts';
import { choiceButtons } from './choices.ts';
import { linkDashboard } from './link.ts';
import { linkPasted } from './pasted.ts';
import { recentVerbs } from './recent.ts';
import { runLink } from './run-link.ts';
import { saveForm, saveMessage, saveVerbs } from './save.ts';
import { anotherForm } from './save-again.ts';
import { saveDashboard } from './save-intent.ts';
import { showButtons, showVerbs } from './show.ts';
import { tagButtons, tagVerbs } from './tags.ts';
import { trashVerbs } from './trash.ts';
import { deleteDashboard, purgeDashboard, restoreDashboard, trashButtons } from './trash-intents.ts';

/** Dashboards: linking them to incidents, looking at them, saving, deleting and restoring them. */
export const dash: Feature = {
  name: 'dash',
  verbs: [
    {
      noun: 'dash',
      verb: 'link',
      aliases: ['add', 'share', 'short', 'shorten'],
      fallback: 'argument',
      usage: 'url|path|uid|title … [what it shows]',
      summary: 'Post short links to dashboards, pinned to a time that you choose, and note them on the timeline.',
      flags: { window: { kind: 'text', hint: 'incident, hour or pasted: the time that the link shows' } },
      about: 'incident',
      needsRegistered: true,
      run: runLink,
    },
    ...showVerbs,
    ...recentVerbs,
    ...tagVerbs,
    ...saveVerbs,
    ...trashVerbs,
  ],
  buttons: [...showButtons, ...tagButtons, ...trashButtons, ...choiceButtons],
  modals: [saveForm, anotherForm] as Modal[],
  shortcuts: [linkPasted, saveMessage],
  intents: [linkDashboard, saveDashboard, deleteDashboard, restoreDashboard, purgeDashboard] as IntentKind[],
  operations: {
    'ShortUrls.create': ['/dash link', 'shortcut link_dashboards'],
    'ShortUrls.goto': ['/dash link', 'shortcut link_dashboards'],
    'Dashboards.get': ['/dash show', 'button dash.show'],
    'Dashboards.save': [
      '/dash save',
      'form dash.save',
      'shortcut save_dashboard',
      'button dash.overwrite',
      'form dash.another',
    ],
    'Dashboards.delete': ['/dash delete', 'button dash.delete'],
    'Dashboards.restore': ['/dash restore', 'button dash.restore'],
    'Dashboards.hardDelete': ['/dash purge', 'button dash.purge'],
    'Dashboards.home': ['/dash home'],
    'Dashboards.tags': ['/dash tags'],
  },
};
