import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { html, raw } from 'hono/html';
import type { ActivityItem } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import { isMistake } from '../../contract/mistakes.ts';
import type { Context } from '../call/context.ts';
import { recall } from '../call/recall.ts';
import { findIncident } from '../incidents/find.ts';
import { readImportantRoles } from '../incidents/roles.ts';
import { readItems, shown } from '../incidents/timeline-items.ts';
import { lastNumber } from '../store/counters.ts';
import { toIncident } from '../store/incident-objects.ts';
import type { IncidentRow } from '../store/tables.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, toOneLine } from './escape.ts';
import { linkCard, people, tasks, times } from './incident-beside.ts';
import { readTold, type Shared, type Told } from './incident-course.ts';
import { head, now } from './incident-head.ts';
import { readLinks } from './incident-links.ts';
import { assetPaths } from './style.ts';
import { keyMoments, timelineEntries } from './timeline.ts';
import { type Asked, findPart, readAsked, toAddress } from './timeline-part.ts';

/**
 * The page of an incident's `overviewURL`, and its tag, like an HTTP ETag: it changes with the incident, its channel, names, who reads, the
 * minute, and the form of the pages. `room` is the incident's channel in Slack where a bot knows. Throws `not_found`. The page is made once
 * a minute for each version of the incident, and its picture once for each version while the incident is over, however many people read
 * it at once.
 */
export async function incidentPage(
  context: Context,
  id: string,
  query: URLSearchParams,
  room: string | undefined,
): Promise<{ readonly tag: string; read(): Promise<PageContent> }> {
  // Who asks may see it, or this throws. What follows does not depend on who asks: all readers share what is made.
  const row = await findIncident(context, id);
  const asked = readAsked(query);
  const version = `${row.version} ${await lastNumber(context.db, 'directory')}`;
  const mark = `${version} ${Math.floor(context.now.getTime() / 60_000)}`;
  const key = JSON.stringify([row.id, context.pluginID, asked, room]);
  const { userID, reader } = context.caller;
  const words = [key, mark, assetPaths.style, userID, reader?.name, reader?.seesDashboards];
  const tell = (incident: Incident) => {
    const named = { key: String(row.id), mark: row.status === 'resolved' ? version : mark };
    return recall(
      context.options,
      named,
      () => readTold(context, row.id, incident),
      ({ picture }) => picture.length,
    );
  };
  const make = async () => {
    const incident = await toIncident(context, row);
    return await makePage(context, row, { incident, told: await tell(incident), asked, room });
  };
  return {
    tag: `W/"${hash('sha256', JSON.stringify(words), 'base64url').slice(0, 22)}"`,
    read: () => recall(context.options, { key, mark }, make, ({ body }) => body.toString().length),
  };
}

interface Made {
  readonly incident: Incident;
  readonly told: Told;
  readonly asked: Asked;
  readonly room: string | undefined;
}

async function makePage(context: Shared, row: IncidentRow, made: Made): Promise<PageContent> {
  const { incident, told, asked, room } = made;
  const { links, channel } = await readLinks(context, row.id, room);
  const address = inward(context.options, incident.overviewURL);
  const toItem = (item: string) => `${toAddress(address, { at: item })}#${item}`;
  const picture = html`<figure class="card picture">${raw(told.picture)}
<figcaption class="quiet">Times are UTC. ${told.extent}.</figcaption></figure>`;
  const body = await html`<article class="incident">
${head(context, incident, { course: told.course, channel, address, asked })}
${[now(context, incident, told, toItem), isMistake(incident) ? '' : picture]}
<div class="columns">
<section class="story" aria-labelledby="timeline">${await timeline(context, row, { ...made, address, toItem })}</section>
<aside>${[people(incident, await readImportantRoles(context), context.options), tasks(incident), times(incident, told.course), linkCard(links)]}</aside></div></article>`;
  return {
    title: `${toOneLine(incident.title, 100)} · incident ${incident.incidentID}`,
    section: 'incidents',
    body: raw(body),
    isFollowed: asked.follow !== '',
    printed: { path: address, at: context.now },
  };
}

const showWords = { key: 'Key moments', all: 'Everything', notes: 'Notes', changes: 'Changes' } as const;
const orderWords = { newest: 'Newest', oldest: 'Beginning' } as const;

/** A timeline of so many items is read at a glance; before a longer one stand at most so many key moments on paper. */
const paper = { atGlance: 20, most: 40 } as const;

/** Items that are read and written down at once. Others get their turn after them. */
const atOnce = 100;

async function timeline(
  context: Shared,
  row: IncidentRow,
  { told, asked, address, toItem }: Made & { readonly address: string; readonly toItem: (item: string) => string },
): Promise<Html> {
  const { counts, standing } = told;
  const { show, order, page, pages, size } = await findPart(context, row, counts, asked);
  const link = (change: Partial<Asked>, words: Html | string, isCurrent = false) => {
    const to = toAddress(address, { show, order, size: asked.size, follow: asked.follow, ...change });
    return html`<a href="${to}#timeline" ${isCurrent ? html`aria-current="true"` : ''}>${words}</a>`;
  };
  const choices = (['key', 'all', 'notes', 'changes'] as const).map(each =>
    link(
      { show: each },
      html`${showWords[each]} <span class="count">${counts[each].toLocaleString('en')}</span>`,
      each === show,
    ),
  );
  const orders = (['newest', 'oldest'] as const).map(each =>
    link({ order: each }, orderWords[each], each === order && page === 1),
  );
  const view = { standing, toItem };
  const entries: Html[] = [];
  let last: ActivityItem | undefined;
  const end = Math.min(page * size, counts[show]);
  for (let from = (page - 1) * size; from < end; from += atOnce) {
    await setImmediate();
    const items = await readItems(context, row.id, { where: shown[show], order, from, most: atOnce });
    entries.push(await timelineEntries(items, view, last));
    last = items.at(-1);
  }
  const isLong = show === 'all' && counts.all > paper.atGlance;
  const moments = isLong
    ? await readItems(context, row.id, { where: shown.key, order: 'oldest', most: paper.most })
    : [];
  const [back, on] = order === 'newest' ? ['Newer', 'Older'] : ['Older', 'Newer'];
  const ways = [
    page > 1 ? link({ page: String(page - 1) }, back) : '',
    page < pages ? link({ page: String(page + 1) }, on) : '',
    pages > 1 && asked.size === '' ? link({ size: '1000' }, 'More on one page') : '',
  ];
  const extent = html`<span class="quiet">Page ${page} of ${pages}</span>`;
  return html`<div class="head-line"><h2 id="timeline">Timeline</h2><nav class="switch" aria-label="What the timeline shows">${choices}</nav><nav class="switch" aria-label="Where the timeline begins">${orders}</nav></div>
${keyMoments(moments, standing)}
${entries.length > 0 ? html`<ol class="timeline">${entries}</ol>` : html`<p class="none">Nothing of this kind yet.</p>`}
${pages > 1 ? html`<p class="pager">${ways}${extent}</p>` : ''}`;
}
