import type { Context, Modal } from '../../dispatch/feature/context.ts';
import type { Button, Feature } from '../../dispatch/feature/feature.ts';
import type { Args } from '../../grammar/grammar.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { timeLength } from '../../text/times.ts';
import { linkForm, linkPasted, runLink } from './link.ts';
import { linkDashboard } from './link-intent.ts';
import { anotherForm, saveButtons, saveDashboard, saveForm, saveMessage } from './save.ts';
import { runHome, runRecent, runShow, showButton, showTags, tagPager } from './show.ts';
import {
  deleteDashboard,
  purgeDashboard,
  restoreDashboard,
  restoreForm,
  runDelete,
  runPurge,
  runRestore,
  trashButtons,
} from './trash.ts';
import { windowLength } from './typed-window.ts';

const about = { noun: 'dash', about: 'anything', needsNoun: true } as const;
const reading = { ...about, reads: true } as const;

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
    {
      ...reading,
      verb: 'show',
      aliases: ['view', 'get', 'display'],
      begins: 'text',
      usage: 'uid|title|url',
      summary: 'Show to you alone what a dashboard is, with buttons to link and to delete it.',
      run: runShow,
    },
    {
      ...reading,
      verb: 'home',
      begins: 'nothing',
      usage: '',
      summary: 'Show to you alone the home dashboard.',
      run: runHome,
    },
    {
      ...reading,
      verb: 'recent',
      aliases: ['list', 'ls', 'recents'],
      begins: 'nothing',
      usage: '',
      summary: 'List to you alone the dashboards that the timelines of the latest incidents link.',
      run: runRecent,
    },
    {
      ...reading,
      verb: 'tags',
      aliases: ['tag'],
      begins: 'nothing',
      usage: '',
      summary: 'Show to you alone the tags of dashboards, with how many carry each.',
      run: (ctx: Context) => showTags(ctx, 0),
    },
    {
      ...about,
      verb: 'save',
      aliases: ['import', 'upload', 'create', 'new'],
      begins: 'text',
      usage: '[JSON]',
      summary: 'Save a dashboard from its JSON, in a form. For a file, use “Save as dashboard” on its message.',
      run: (ctx: Context, { raw }: Args) => ctx.openForm(saveForm, { draft: '', source: '' }, { json: raw }),
    },
    {
      ...about,
      verb: 'delete',
      aliases: ['trash', 'rm'],
      begins: 'text',
      usage: 'uid',
      summary: 'Delete a dashboard, after a question; into the trash, where the server has one.',
      run: runDelete,
    },
    {
      ...about,
      verb: 'restore',
      aliases: ['undelete', 'recover'],
      begins: 'text',
      usage: 'uid',
      summary: 'Take a dashboard out of the trash.',
      flags: { folder: { kind: 'text', hint: 'the uid of another folder, or general' } },
      run: runRestore,
    },
    {
      ...about,
      verb: 'purge',
      aliases: ['destroy'],
      begins: 'text',
      usage: 'uid',
      summary: 'Delete a dashboard in the trash for good, after a question.',
      run: runPurge,
    },
  ],
  buttons: [showButton, ...tagPager.buttons, ...trashButtons, ...saveButtons] as Button[],
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
