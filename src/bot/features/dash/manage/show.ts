import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { DashboardModel } from '../../../../contract/dashboards.ts';
import type { Context } from '../../../dispatch/feature/context.ts';
import { type Button, defineButton, pressable, type Verb } from '../../../dispatch/feature/feature.ts';
import { resumeButton } from '../../../dispatch/feature/resume.ts';
import type { Args } from '../../../grammar/grammar.ts';
import { toWebUrl } from '../../../incident/state/settings.ts';
import { mustPass, whyNot, whyNotDashboards } from '../../../people/access.ts';
import { actions, code, context, facts, section, toMrkdwn, type Words } from '../../../text/blocks.ts';
import { when } from '../../../text/shown-times.ts';
import { signs } from '../../../text/signs.ts';
import { toOneLine } from '../../../text/words.ts';
import { readDashboardAddress } from '../link/address.ts';
import { type Dashboard, findTyped, getDashboard, type NotFound } from '../link/find.ts';
import { toLabel } from '../link/link.ts';
import type { LinkedDashboard } from '../link/linked.ts';
import { ownWindow } from '../link/own-window.ts';
import { deletePress } from './trash-intents.ts';
import { toTarget } from './trash-target.ts';

/** Most tags that are shown. */
const mostTags = 15;
/** Times of zero, as Grafana sends one that is not set. */
const zeroTime = /^0001-/;

/** A dashboard to the person alone, with buttons for what they may do with it. */
async function showDashboard(ctx: Context, found: Dashboard, notice = ''): Promise<void> {
  const { dashboard, meta } = found;
  const uid = dashboard.uid ?? '';
  const url = toWebUrl(ctx.deps.settings, meta.url);
  const title = url ? `<${url}|${toLabel(dashboard.title)}>` : toMrkdwn(dashboard.title, 150);
  const { from, to } = ownWindow(dashboard);
  const mayChange = whyNot(ctx.actor) === undefined;
  const buttons = [
    ...(uid && mayChange ? [await linkPress(ctx, uid)] : []),
    ...(uid && mayChange && meta.canDelete && !meta.provisioned ? [deletePress(toTarget(uid, dashboard.title))] : []),
  ];
  const who = meta.updatedBy ? `${toMrkdwn(meta.updatedBy, 80)}, ` : '';
  const changed = meta.updated === '' || zeroTime.test(meta.updated) ? '' : `${who}${when(meta.updated)}`;
  const words: Words = {
    text: `Dashboard ${toMrkdwn(dashboard.title, 150)}: ${countPanels(dashboard)} panels, version ${dashboard.version}`,
    blocks: [
      ...(notice ? [section(notice)] : []),
      section(`${signs.dashboard} *${title}*${uid ? ` ${code(uid, 60)}` : ''}`),
      facts([
        ['Folder', toMrkdwn(meta.folderTitle, 100)],
        ['Tags', tagWords(dashboard.tags)],
        ['Panels', String(countPanels(dashboard))],
        ['Shows', `${toMrkdwn(from, 60)} to ${toMrkdwn(to, 60)}`],
        ['Version', String(dashboard.version)],
        ['Changed last', changed],
      ]),
      ...(meta.provisioned ? [context('It comes from files on the server, which alone change it.')] : []),
      ...(buttons.length > 0 ? [actions(buttons)] : []),
    ],
  };
  await ctx.answer(words);
}

/** The button that runs `/dash link` for the incident of the channel, or asks which. */
async function linkPress(ctx: Context, typed: string) {
  const draft = { kind: 'command' as const, root: 'dash', text: `link ${typed}` };
  const kept = await ctx.deps.drafts.keep(ctx.actor, draft, ctx.key, ctx.now);
  return pressable(resumeButton, { draft: kept, incidentID: '' }, { label: 'Link in the channel' });
}

function tagWords(tags: readonly string[]): string {
  const shown = tags.slice(0, mostTags).map(tag => code(toOneLine(tag), 60));
  return [...shown, ...(tags.length > mostTags ? [`and ${tags.length - mostTags} more`] : [])].join(' ');
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

/** Answers that there is no such dashboard; buttons show those that may be meant. */
export async function answerNotFound(ctx: Context, { problem, near }: NotFound): Promise<void> {
  const rows: KnownBlock[] = near.map(each => actions([showPress(each)]));
  await ctx.reject(problem, rows);
}

/** Shows a dashboard. */
export const showButton = defineButton({
  id: 'dash.show',
  label: 'Show',
  reads: true,
  value: z.object({ uid: z.string() }),
  run: async (ctx, { value: { uid } }) => {
    mustPass(whyNotDashboards, ctx.actor);
    const found = await getDashboard(ctx.deps.api, uid);
    if (found) await showDashboard(ctx, found);
    else await ctx.answer({ text: `The dashboard ${code(uid, 60)} is not there any more.` });
  },
});

/** The button that shows a dashboard, named by its title. */
function showPress({ uid, title }: Pick<LinkedDashboard, 'uid' | 'title'>) {
  return pressable(showButton, { uid }, { label: toOneLine(title) || uid });
}

async function runShow(ctx: Context, { words, sentence }: Args): Promise<void> {
  mustPass(whyNotDashboards, ctx.actor);
  const [first = ''] = words;
  const typed = words.length > 1 ? sentence : first;
  if (typed === '') return ctx.reject('Which dashboard? Give its title, its uid, or its address.');
  const found = await findTyped(ctx, typed);
  if ('problem' in found) await answerNotFound(ctx, found);
  else await showDashboard(ctx, found);
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

/** The buttons that show dashboards. */
export const showButtons: readonly Button[] = [showButton] as Button[];

const common = { noun: 'dash', about: 'anything', needsNoun: true, reads: true } as const;

/** The commands that show one dashboard. */
export const showVerbs: readonly Verb[] = [
  {
    ...common,
    verb: 'show',
    aliases: ['view', 'get', 'display'],
    begins: 'text',
    usage: 'uid|title|url',
    summary: 'Show to you alone what a dashboard is, with buttons to link and to delete it.',
    run: runShow,
  },
  {
    ...common,
    verb: 'home',
    begins: 'nothing',
    usage: '',
    summary: 'Show to you alone the home dashboard.',
    run: runHome,
  },
];
