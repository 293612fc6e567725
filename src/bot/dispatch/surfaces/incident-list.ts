import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import { type QueuedSort, queuedOf, unregisteredList } from '../../incident/acts/queued-words.ts';
import { readSeen } from '../../incident/acts/read-incident.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { homeElsewhere } from '../../incident/room/invite.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { actions, context, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { toPages } from '../../text/pages.ts';
import { cutMrkdwn, toOneLine } from '../../text/words.ts';
import type { Context } from '../feature/context.ts';
import type { Button } from '../feature/feature.ts';
import type { HomePart } from '../feature/home-part.ts';
import { definePager, pageLine, toTurned } from './pager.ts';
import { definePostable, type Public, toListBlocks, whyNotPublic, withButtons } from './post-to-channel.ts';

/** Most characters of the notice above the rows of a page. */
const maxNotice = 1200;

/** What is listed of an incident: its tasks, its roles. One definition makes every list of them. */
interface Listing<T> {
  readonly name: QueuedSort['name'];
  /** The ids of its buttons begin with these: `task` for the pages, `task.list` for what is posted. */
  readonly ids: { readonly pager: string; readonly post: string };
  /** How the kinds of intents begin that change it. */
  readonly kinds: readonly string[];
  read(ctx: Context, incident: Incident): Promise<readonly T[]>;
  /** Behind the title: `2 open, 1 done`; `""` for nothing. */
  count(incident: Incident): string;
  /** What stands there while there is none (mrkdwn), for a person and for a channel. `why`: then a channel reads nothing. */
  readonly none: { readonly own: string; readonly open: string } | { readonly below: string; readonly why: string };
  /** One of them with its buttons. `page` is that of the list. */
  row(ctx: Context, incidentID: string, each: T, page: number): Promise<readonly KnownBlock[]>;
  /** Below the list. */
  buttons(incidentID: string): readonly ActionsBlockElement[];
  /** One of them in a posted list (mrkdwn). It mentions nobody. */
  line(each: T): string;
}

/** Every list of one sort of things of an incident. */
interface IncidentList<T> {
  readonly buttons: readonly Button[];
  /** The things of an incident as it was last seen; or the words for a person while it is not registered. */
  readOne(ctx: Context, incidentID: string): Promise<Seen<T> | { readonly unregistered: Words }>;
  /** A page of the list for one person, under a notice. Throws an RpcError when it cannot be read. */
  words(ctx: Context, incidentID: string, page?: number, notice?: Words): Promise<Words>;
  /** Shows a page in place of the message whose button was pressed. Throws an RpcError when it cannot be read. */
  show(ctx: Context, incidentID: string, page?: number, notice?: Words): Promise<void>;
  /** Answers a mention for all, and anybody else alone. */
  answer(ctx: Context, incidentID: string): Promise<void>;
}

/** Things of an incident, as a person sees it. `aged` says how old that is (mrkdwn). */
interface Seen<T> {
  readonly incident: Incident;
  readonly incidentID: string;
  readonly all: readonly T[];
  readonly aged: string;
}

/** `*Tasks of incident 7* “Checkout answers 500”`, or of some of them. */
export function listTitle(what: string, { incidentID, title }: Incident): string {
  return `*${what} ${incidentLabel(incidentID)}* “${toMrkdwn(toOneLine(title), 100)}”`;
}

/** Makes the lists of one sort of things. */
export function defineIncidentList<T>(listing: Listing<T>): IncidentList<T> {
  const { name, ids, kinds, none } = listing;
  const what = `${name.slice(0, 1).toUpperCase()}${name.slice(1)} of`;
  const value = z.object({ incidentID: z.string() });
  const behind = (count: string) => (count === '' ? '' : `: ${count}`);

  const readOne: IncidentList<T>['readOne'] = async (ctx, asked) => {
    const { deps, now } = ctx;
    const incidentID = await toCurrentID(deps, asked);
    if (isProvisional(incidentID))
      return { unregistered: await unregisteredList(deps, incidentID, { name, kinds }, now) };
    const { incident, notice: aged } = await readSeen(deps, incidentID, now);
    return { incident, incidentID, aged, all: await listing.read(ctx, incident) };
  };

  const words: IncidentList<T>['words'] = async (ctx, asked, wanted = 0, notice) => {
    const seen = await readOne(ctx, asked);
    if ('unregistered' in seen) return seen.unregistered;
    const { incident, incidentID, all, aged } = seen;
    const queued = aged === '' ? [] : await queuedOf(ctx.deps, incidentID, { name, kinds }, ctx.now);
    const rowsOf = (some: readonly T[], page: number) =>
      Promise.all(some.map(each => listing.row(ctx, incidentID, each, page)));
    const pages = toPages((await rowsOf(all, 0)).map(row => JSON.stringify(row).length));
    const turned = toTurned(wanted, pages.length);
    const rows = await rowsOf(all.slice(pages[turned.page], pages[turned.page + 1]), turned.page);
    const count = all.length === 0 && 'own' in none ? none.own : listing.count(incident);
    const title = `${listTitle(what, { ...incident, incidentID })}${await homeElsewhere(ctx, incidentID)}${behind(count)}`;
    const noticed = notice
      ? [section(cutMrkdwn(notice.text, maxNotice)), ...(notice.blocks ?? []).filter(each => each.type === 'actions')]
      : [];
    const page: Words = {
      text: notice?.text ?? title,
      blocks: [
        ...[
          ...(aged ? [section(aged)] : []),
          ...noticed,
          section(title),
          ...rows.flat(),
          ...pageLine(turned),
          ...queued,
        ],
        ...(all.length === 0 && 'below' in none ? [section(none.below)] : []),
        actions([...pager.turns({ incidentID }, turned), ...listing.buttons(incidentID)]),
      ],
    };
    return all.length === 0 ? page : withButtons(page, posted.offer(ctx, { incidentID }));
  };

  const show: IncidentList<T>['show'] = async (ctx, incidentID, page, notice) =>
    ctx.replace(await words(ctx, incidentID, page, notice));

  const openWords = async (ctx: Context, { incidentID: asked }: z.output<typeof value>): Promise<Public> => {
    const not = await whyNotPublic(ctx, 'posted list', asked);
    if (not) return { not };
    const seen = await readOne(ctx, asked);
    if ('unregistered' in seen) return { not: 'the incident is not registered yet.' };
    const { incident, incidentID, all, aged } = seen;
    const title = (count: string) => `${listTitle(what, incident)}${behind(count)}`;
    const about = [incidentID];
    if (all.length === 0) {
      if ('why' in none) return { not: none.why };
      return { ...sentence([aged, title(none.open)].filter(Boolean).join('\n')), about };
    }
    const head = title(listing.count(incident));
    const list = toListBlocks(all.map(each => listing.line(each)));
    const more = list.left > 0 ? [context(`And ${list.left} more: \`/${name.slice(0, -1)} list\` shows them.`)] : [];
    return { text: head, blocks: [...(aged ? [section(aged)] : []), section(head), ...list.blocks, ...more], about };
  };

  const pager = definePager({ id: ids.pager, value, show: (ctx, { incidentID }, page) => show(ctx, incidentID, page) });
  const posted = definePostable({ id: `${ids.post}.post`, part: name, value, words: openWords });
  return {
    buttons: [...pager.buttons, posted.button],
    ...{ readOne, words, show },
    answer: async (ctx, incidentID) => {
      if (!(await posted.answerMention(ctx, { incidentID }))) await show(ctx, incidentID);
    },
  };
}

/** Rows on the home tab at most. */
const mostAtHome = 10;

/** A person's own things of all active incidents, on the home tab. */
export async function homePart<T>(
  place: 'tasks' | 'roles',
  { none, own }: { readonly none: string; readonly own: readonly T[] },
  toRow: (each: T) => Promise<readonly KnownBlock[]>,
): Promise<readonly HomePart[]> {
  const rows = await Promise.all(own.slice(0, mostAtHome).map(toRow));
  const rest = own.length - mostAtHome;
  const title = `*Your ${place}*${own.length === 0 ? `: ${none}` : ` (${own.length})`}`;
  const command = `\`/${place.slice(0, -1)} list me\``;
  const more = rest > 0 ? [context(`And ${rest} more: ${command} in the channel of an incident shows them.`)] : [];
  return [{ place, blocks: [section(title), ...rows.flat(), ...more] }];
}
