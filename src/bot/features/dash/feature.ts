import type { Modal } from '../../dispatch/feature/context.ts';
import type { Feature } from '../../dispatch/feature/feature.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { timeLength } from '../../text/times.ts';
import { linkDashboard } from './link/link.ts';
import { linkForm } from './link/link-form.ts';
import { linkPasted } from './link/pasted.ts';
import { runLink } from './link/run-link.ts';
import { windowLength } from './link/typed-window.ts';
import { choiceButtons } from './manage/choices.ts';
import { restoreButtons, restoreDashboard, restoreForm } from './manage/restore.ts';
import { saveForm, saveMessage, saveVerbs } from './manage/save.ts';
import { anotherForm } from './manage/save-again.ts';
import { saveDashboard } from './manage/save-intent.ts';
import { showButtons, showVerbs } from './manage/show.ts';
import { tagButtons, tagVerbs } from './manage/tags.ts';
import { trashVerbs } from './manage/trash.ts';
import { deleteDashboard, purgeDashboard, trashButtons } from './manage/trash-intents.ts';
import { recentVerbs } from './recent.ts';

/** Dashboards: linking them to incidents, looking at them, saving, deleting and restoring them. */
export const dash: Feature = {
  name: 'dash',
  verbs: [
    {
      noun: 'dash',
      verb: 'link',
      aliases: ['add', 'share', 'short', 'shorten'],
      fallback: 'argument',
      usage: '[title|address … [last 3h] [what it shows]]',
      summary:
        'Post links to dashboards, pinned to a time that you choose, or to any other page, and note them on the timeline. Without words, in a form.',
      flags: {
        window: {
          kind: 'phrase',
          aliases: ['last', 'past'],
          length: windowLength,
          hint: 'the time that the link shows: 3h, around (the incident), 23:00 to 23:20, pasted',
        },
        around: { kind: 'switch' },
        from: { kind: 'phrase', aliases: ['since'], length: timeLength, hint: '23:00' },
        to: { kind: 'phrase', aliases: ['until'], length: timeLength, hint: '23:20' },
      },
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
  buttons: [...showButtons, ...tagButtons, ...trashButtons, ...restoreButtons, ...choiceButtons],
  modals: [linkForm, saveForm, anotherForm, restoreForm] as Modal[],
  shortcuts: [linkPasted, saveMessage],
  intents: [linkDashboard, saveDashboard, deleteDashboard, restoreDashboard, purgeDashboard] as IntentKind[],
  operations: {
    'ShortUrls.create': ['/dash link', 'form dash.link', 'shortcut link_dashboards'],
    'ShortUrls.goto': ['/dash link', 'form dash.link', 'shortcut link_dashboards'],
    'Search.find': ['/dash link', '/dash show'],
    'Dashboards.get': ['/dash show', 'button dash.show'],
    'Dashboards.save': [
      '/dash save',
      'form dash.save',
      'shortcut save_dashboard',
      'button dash.overwrite',
      'form dash.another',
    ],
    'Dashboards.delete': ['/dash delete', 'button dash.delete'],
    'Dashboards.restore': ['/dash restore', 'button dash.restore', 'form dash.restore'],
    'Dashboards.hardDelete': ['/dash purge', 'button dash.purge'],
    'Dashboards.home': ['/dash home'],
    'Dashboards.tags': ['/dash tags'],
  },
};
