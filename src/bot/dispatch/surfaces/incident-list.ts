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
import { clampPage, definePager, pageLine } from './pager.ts';
import { addButtons, definePostable, type Public, toListBlocks, whyNotPublic } from './post-to-channel.ts';

/** Most characters of the notice above the rows of a page. */
const maxNotice = 1200;

/** One sort of things of an incident, its tasks or its roles. One definition makes every list of them. */
interface Listing<T> {
  readonly name: QueuedSort['name'];
  /** The ids of its buttons begin with these: `task` for the pages, `task.list` for what is posted. */
  readonly ids: { readonly pager: string; readonly post: string };
  /** How the kinds of intents begin that change it. */
  readonly kinds: readonly string[];
  read(ctx: Context, incident: Incident): Promise<readonly T[]>;
  /** Behind the title: `2 open, 1 done`; `""` for nothing. */
  count(incident: Incident): string;
  /** The words while there is none (mrkdwn), for a person and for a channel. `why`: then a channel reads nothing. */
  readonly none: { readonly own: string; readonly open: string } | { readonly below: string; readonly why: string };
  /** One of them with its buttons. `page` is that of the list. */
  row(ctx: Context, incidentID: string, each: T, page: number): Promise<readonly KnownBlock[]>;
  /** Below the list. */
  buttons(incidentID: string): readonly ActionsBlockElement[];
  /** One of them in a posted list (mrkdwn). It mentions nobody. */
  line(each: T): string;
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

const OneIncident = z.object({ incidentID: z.string() });

/** Every list of one sort of things of an incident. */
export class IncidentList<T> {
  readonly buttons: readonly Button[];
  readonly #listing: Listing<T>;
  readonly #pager: ReturnType<typeof definePager<z.output<typeof OneIncident>>>;
  readonly #posted: ReturnType<typeof definePostable<z.output<typeof OneIncident>>>;

  constructor(listing: Listing<T>) {
    this.#listing = listing;
    const { ids, name: part } = listing;
    this.#pager = definePager({
      ...{ id: ids.pager, value: OneIncident },
      show: (ctx, { incidentID }, page) => this.show(ctx, incidentID, page),
    });
    const words = (ctx: Context, { incidentID }: z.output<typeof OneIncident>) => this.#openWords(ctx, incidentID);
    this.#posted = definePostable({ id: `${ids.post}.post`, part, value: OneIncident, words });
    this.buttons = [...this.#pager.buttons, this.#posted.button];
  }

  /** The things of an incident as it was last seen; or the words for a person while it is not registered. */
  async readOne(ctx: Context, asked: string): Promise<Seen<T> | { readonly unregistered: Words }> {
    const { deps, now } = ctx;
    const incidentID = await toCurrentID(deps, asked);
    if (isProvisional(incidentID))
      return { unregistered: await unregisteredList(deps, incidentID, this.#listing, now) };
    const { incident, notice: aged } = await readSeen(deps, incidentID, now);
    return { incident, incidentID, aged, all: await this.#listing.read(ctx, incident) };
  }

  /** A page of the list for one person, under a notice. Throws an RpcError when it cannot be read. */
  async words(ctx: Context, asked: string, wanted = 0, notice?: Words): Promise<Words> {
    const listing = this.#listing;
    const { none } = listing;
    const seen = await this.readOne(ctx, asked);
    if ('unregistered' in seen) return seen.unregistered;
    const { incident, incidentID, all, aged } = seen;
    const queued = aged === '' ? [] : await queuedOf(ctx.deps, incidentID, listing, ctx.now);
    const rowsOf = (some: readonly T[], page: number) =>
      Promise.all(some.map(each => listing.row(ctx, incidentID, each, page)));
    const pages = toPages((await rowsOf(all, 0)).map(row => JSON.stringify(row).length));
    const turned = clampPage(wanted, pages.length);
    const rows = await rowsOf(all.slice(pages[turned.page], pages[turned.page + 1]), turned.page);
    const count = all.length === 0 && 'own' in none ? none.own : listing.count(incident);
    const title = this.#title({ ...incident, incidentID }, count, await homeElsewhere(ctx, incidentID));
    const noticed = notice
      ? [section(cutMrkdwn(notice.text, maxNotice)), ...(notice.blocks ?? []).filter(each => each.type === 'actions')]
      : [];
    const page: Words = {
      text: notice?.text ?? title,
      blocks: [
        ...[...(aged ? [section(aged)] : []), ...noticed, section(title)],
        ...[...rows.flat(), ...pageLine(turned), ...queued],
        ...(all.length === 0 && 'below' in none ? [section(none.below)] : []),
        actions([...this.#pager.turns({ incidentID }, turned), ...listing.buttons(incidentID)]),
      ],
    };
    return all.length === 0 ? page : addButtons(page, this.#posted.offer(ctx, { incidentID }));
  }

  /** Shows a page in place of the message whose button was pressed. Throws an RpcError when it cannot be read. */
  async show(ctx: Context, incidentID: string, page?: number, notice?: Words): Promise<void> {
    await ctx.replace(await this.words(ctx, incidentID, page, notice));
  }

  /** Answers a mention for all, and any other command for the person alone. */
  async answer(ctx: Context, incidentID: string): Promise<void> {
    if (!(await this.#posted.answerMention(ctx, { incidentID }))) await this.show(ctx, incidentID);
  }

  #title(incident: Incident, count: string, elsewhere = ''): string {
    const { name } = this.#listing;
    const what = `${name.slice(0, 1).toUpperCase()}${name.slice(1)} of`;
    return `${listTitle(what, incident)}${elsewhere}${count === '' ? '' : `: ${count}`}`;
  }

  /** The list for all in a channel, or why they may not read it. */
  async #openWords(ctx: Context, asked: string): Promise<Public> {
    const { name, none, count, line } = this.#listing;
    const not = await whyNotPublic(ctx, 'posted list', asked);
    if (not) return { not };
    const seen = await this.readOne(ctx, asked);
    if ('unregistered' in seen) return { not: 'the incident is not registered yet.' };
    const { incident, incidentID, all, aged } = seen;
    const about = [incidentID];
    if (all.length === 0) {
      if ('why' in none) return { not: none.why };
      return { ...sentence([aged, this.#title(incident, none.open)].filter(Boolean).join('\n')), about };
    }
    const head = this.#title(incident, count(incident));
    const list = toListBlocks(all.map(each => line(each)));
    const more = list.left > 0 ? [context(`And ${list.left} more: \`/${name.slice(0, -1)} list\` shows them.`)] : [];
    return { text: head, blocks: [...(aged ? [section(aged)] : []), section(head), ...list.blocks, ...more], about };
  }
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
