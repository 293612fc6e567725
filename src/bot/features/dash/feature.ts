import { z } from 'zod';
import { DashboardModel } from '../../../contract/dashboards.ts';
import type { Context, Modal } from '../../dispatch/feature/context.ts';
import type { CommandLine } from '../../dispatch/feature/drafts.ts';
import { type Button, defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { resumeButton } from '../../dispatch/feature/resume.ts';
import { clampPage, definePager, pageLine } from '../../dispatch/surfaces/pager.ts';
import type { Args } from '../../grammar/grammar.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { toWebUrl } from '../../incident/state/settings.ts';
import { mustPass, whyNot, whyNotDashboards } from '../../people/reach.ts';
import { actions, code, context, facts, section, toMrkdwn, toSafeUrl } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { signs } from '../../text/signs.ts';
import { timeLength } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';
import { readDashboardAddress } from './address.ts';
import { type Dashboard, findTyped, getDashboard, ownWindow, readLinked, showFace } from './find.ts';
import { linkForm, linkNoted, linkPasted, runLink } from './link.ts';
import { linkDashboard, toLabel } from './link-intent.ts';
import { anotherForm, saveButtons, saveDashboard, saveForm, saveMessage } from './save.ts';
import {
  deleteDashboard,
  deletePress,
  purgeDashboard,
  restoreDashboard,
  restoreForm,
  runDelete,
  runPurge,
  runRestore,
  trashButtons,
} from './trash.ts';
import { windowLength } from './typed-window.ts';

/** Most tags of one dashboard that are shown. */
const mostTags = 15;
/** Times of zero, as Grafana sends one that is not set. */
const zeroTime = /^0001-/;

/** A dashboard to the person alone, with buttons for what they may do with it. */
async function showDashboard(ctx: Context, { dashboard, meta }: Dashboard, notice = ''): Promise<void> {
  const uid = dashboard.uid ?? '';
  const url = toWebUrl(ctx.deps.settings, meta.url);
  const title = url ? `<${url}|${toLabel(dashboard.title)}>` : toMrkdwn(dashboard.title, 150);
  const { from, to } = ownWindow(dashboard);
  const mayChange = uid !== '' && whyNot(ctx.actor) === undefined;
  const buttons = [
    ...(mayChange ? [await linkPress(ctx, uid)] : []),
    ...(mayChange && meta.canDelete && !meta.provisioned ? [deletePress({ uid, title: dashboard.title })] : []),
  ];
  const tags = dashboard.tags.slice(0, mostTags).map(tag => code(toOneLine(tag), 60));
  const more = dashboard.tags.length - tags.length;
  const who = meta.updatedBy ? `${toMrkdwn(meta.updatedBy, 80)}, ` : '';
  const changed = meta.updated === '' || zeroTime.test(meta.updated) ? '' : `${who}${when(meta.updated)}`;
  await ctx.answer({
    text: `Dashboard ${toMrkdwn(dashboard.title, 150)}: ${countPanels(dashboard)} panels, version ${dashboard.version}`,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(`${signs.dashboard} *${title}*${uid ? ` ${code(uid, 60)}` : ''}`),
      facts([
        ['Folder', toMrkdwn(meta.folderTitle, 100)],
        ['Tags', [...tags, ...(more > 0 ? [`and ${more} more`] : [])].join(' ')],
        ['Panels', String(countPanels(dashboard))],
        ['Shows', `${toMrkdwn(from, 60)} to ${toMrkdwn(to, 60)}`],
        ['Version', String(dashboard.version)],
        ['Changed last', changed],
      ]),
      ...(meta.provisioned ? [context('It comes from files on the server, which alone change it.')] : []),
      ...(buttons.length > 0 ? [actions(buttons)] : []),
    ],
  });
}

/** The button that runs `/dash link` for the incident of the channel, or asks which. */
async function linkPress(ctx: Context, uid: string) {
  const draft: CommandLine = { kind: 'command', root: 'dash', text: `link ${uid}` };
  const kept = await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now);
  return pressable(resumeButton, { draft: kept, incidentID: '' }, { label: 'Link in the channel' });
}

const Panel = z.looseObject({ type: z.string().catch(''), panels: z.array(z.unknown()).catch([]) });
const Panels = z.array(z.unknown()).catch([]);

/**
 * The panels of a model: those in rows count, and rows themselves do not. Old models keep all of them in `rows`, and new ones in
 * `elements`.
 */
function countPanels({ panels, rows, elements }: Readonly<Record<string, unknown>>): number {
  if (typeof elements === 'object' && elements !== null) return Object.keys(elements).length;
  const count = (list: unknown): number =>
    Panels.parse(list).reduce<number>((sum, each) => {
      const panel = Panel.safeParse(each).data;
      return sum + (panel?.type === 'row' ? panel.panels.length : 1);
    }, 0);
  const inRows = Panels.parse(rows).map(row => count(Panel.safeParse(row).data?.panels));
  return inRows.reduce((sum, each) => sum + each, count(panels));
}

const showButton = defineButton({
  ...showFace,
  reads: true,
  value: z.object({ uid: z.string() }),
  run: async (ctx, { value: { uid } }) => {
    mustPass(whyNotDashboards, ctx.actor);
    const found = await getDashboard(ctx.deps.api, uid);
    if (found) await showDashboard(ctx, found);
    else await ctx.answer({ text: `The dashboard ${code(uid, 60)} is not there any more.` });
  },
});

async function runShow(ctx: Context, { words, text }: Args): Promise<void> {
  mustPass(whyNotDashboards, ctx.actor);
  const [first = ''] = words;
  const typed = words.length > 1 ? text : first;
  if (typed === '') return ctx.reject('Which dashboard? Give its title, its uid, or its address.');
  const found = await findTyped(ctx, typed);
  if (found) await showDashboard(ctx, found);
}

async function runHome(ctx: Context): Promise<void> {
  mustPass(whyNotDashboards, ctx.actor);
  const { api, settings } = ctx.deps;
  const home = await api.Dashboards.home({});
  const address = home.redirectUri === '' ? undefined : readDashboardAddress(home.redirectUri, settings);
  const chosen = address?.kind === 'dashboard' ? await getDashboard(api, address.uid) : undefined;
  if (chosen) return showDashboard(ctx, chosen, 'The home dashboard is this one:');
  await showDashboard(ctx, { dashboard: DashboardModel.parse(home.dashboard), meta: home.meta }, 'The home dashboard:');
}

/** Links that are listed at most. */
const mostListed = 10;

/** `/dash manage`: the dashboards that were linked lately, each link once. */
async function runRecent(ctx: Context): Promise<void> {
  const linked = await readLinked(ctx);
  const latest = linked.filter((one, index) => linked.findIndex(other => other.url === one.url) === index);
  const below = whyNot(ctx.actor) === undefined ? [actions([pressable(saveButton, {})])] : [];
  if (latest.length === 0) {
    const none = 'No dashboard was linked recently. `/dash link` lists them all.';
    return ctx.answer({ text: none, blocks: [section(none), ...below] });
  }
  const listed = latest.slice(0, mostListed);
  const mayShow = whyNotDashboards(ctx.actor) === undefined;
  const rows = listed.map(({ uid, title, url, incidentID, at, by }, index) => {
    const who = by === '' ? '' : `, linked by ${toMrkdwn(by, 80)}`;
    const spoken = `Show dashboard ${index + 1}, ${title}`;
    return section(
      `<${toSafeUrl(url)}|${toLabel(title)}>\n${incidentLabel(incidentID)}${who} ${when(at)}`,
      uid !== '' && mayShow ? pressable(showFace, { uid }, { spoken }) : undefined,
    );
  });
  await ctx.answer({
    text: `Dashboards linked recently: ${listed.map(each => toMrkdwn(each.title, 60)).join(', ')}`,
    blocks: [section('*Dashboards linked recently*, this channel’s incident first'), ...rows, ...below],
  });
}

/** Tags on one page; each takes at most some hundred characters of a message. */
const mostTagsOnPage = 60;
/** Tags in one paragraph, which has at most 3,000 characters (docs/slack.md 5). */
const mostTagsTogether = 20;

/** `/dash tags`: a page of the tags of dashboards, the most frequent first. */
async function showTags(ctx: Context, wanted: number): Promise<void> {
  mustPass(whyNotDashboards, ctx.actor);
  const tags = await ctx.deps.api.Dashboards.tags({});
  const sorted = tags.toSorted((one, other) => other.count - one.count || (one.term < other.term ? -1 : 1));
  const turned = clampPage(wanted, Math.max(1, Math.ceil(sorted.length / mostTagsOnPage)));
  const lines = sorted
    .slice(turned.page * mostTagsOnPage, (turned.page + 1) * mostTagsOnPage)
    .map(({ term, count }) => `${code(toOneLine(term), 60)} ${count}`);
  const title = `*Tags of dashboards*: ${sorted.length === 0 ? 'none yet' : sorted.length}`;
  const turns = tagPager.turns({}, turned);
  const paragraphs = [];
  for (let at = 0; at < lines.length; at += mostTagsTogether)
    paragraphs.push(section(lines.slice(at, at + mostTagsTogether).join('\n')));
  await ctx.replace({
    text: [title.replaceAll('*', ''), ...lines].join('\n'),
    blocks: [section(title), ...paragraphs, ...pageLine(turned), ...(turns.length > 0 ? [actions(turns)] : [])],
  });
}

const tagPager = definePager({
  id: 'dash.tags',
  value: z.object({}),
  show: (ctx, _list, page) => showTags(ctx, page),
});

function manage(ctx: Context, args: Args): Promise<void> {
  return args.text === '' ? runRecent(ctx) : runShow(ctx, args);
}

function openSaveForm(ctx: Context, json: string): Promise<void> {
  return ctx.openForm(saveForm, { draft: '', source: '' }, { json });
}

const saveButton = defineButton({
  id: 'dash.save',
  label: 'Save a dashboard',
  value: z.object({}),
  run: ctx => openSaveForm(ctx, ''),
});

/** The acts on dashboards, by the word that was typed; {@link manage} has the others. */
const acts: Readonly<Record<string, (ctx: Context, args: Args) => Promise<void>>> = {
  show: runShow,
  home: runHome,
  tags: ctx => showTags(ctx, 0),
  save: (ctx, { raw }) => openSaveForm(ctx, raw),
  delete: runDelete,
  restore: runRestore,
  purge: runPurge,
};

const changing = { needsNoun: true, argumentKind: 'text', usage: 'uid' } as const;
const reading = { ...changing, reads: true } as const;
const listing = { needsNoun: true, reads: true, argumentKind: 'nothing' } as const;

/** Dashboards: linking them to incidents, looking at them, saving, deleting and restoring them. */
export const dash: Feature = {
  verbs: [
    {
      noun: 'dash',
      verb: 'link',
      example: '`/dash link <address>` links a dashboard',
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
      needsRegistered: true,
      run: runLink,
    },
    {
      ...changing,
      noun: 'dash',
      verb: 'manage',
      leads: true,
      usage: '[title|uid|address]',
      summary:
        'See the dashboards that were linked lately, with buttons that show, link, save and delete; with words, the one they name.',
      words: [
        { ...reading, verb: 'show', aliases: ['view', 'get', 'display'], usage: 'uid|title|url' },
        { ...listing, verb: 'recent', aliases: ['list', 'ls', 'recents'] },
        { ...listing, verb: 'home' },
        { ...listing, verb: 'tags', aliases: ['tag'] },
        { ...changing, verb: 'save', aliases: ['import', 'upload', 'create', 'new'], usage: '[JSON]' },
        { ...changing, verb: 'delete', aliases: ['trash', 'rm'] },
        {
          ...changing,
          verb: 'restore',
          aliases: ['undelete', 'recover'],
          flags: { folder: { kind: 'text', hint: 'the uid of another folder, or general' } },
        },
        { ...changing, verb: 'purge', aliases: ['destroy'] },
      ],
      about: 'anything',
      run: (ctx, args) => (acts[args.verb] ?? manage)(ctx, args),
    },
  ],
  buttons: [showButton, saveButton, linkNoted, ...tagPager.buttons, ...trashButtons, ...saveButtons] as Button[],
  modals: [linkForm, saveForm, anotherForm, restoreForm] as Modal[],
  shortcuts: [linkPasted, saveMessage],
  intents: [linkDashboard, saveDashboard, deleteDashboard, restoreDashboard, purgeDashboard] as IntentKind[],
};
