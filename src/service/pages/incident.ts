import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { isMistake } from '../../contract/mistakes.ts';
import type { Context } from '../call/context.ts';
import { readValidators } from '../incidents/cache-validators.ts';
import { findIncident } from '../incidents/find.ts';
import { toIncident } from '../store/incident-objects.ts';
import { inward, type PageContent } from './document.ts';
import { type Html, toOneLine } from './escape.ts';
import { linkList, people, readImportantRoles, tasks, times } from './incident-beside.ts';
import { recallTold, type Told } from './incident-course.ts';
import { head, now } from './incident-head.ts';
import { readLinks } from './incident-links.ts';
import { assetPaths } from './style.ts';
import { timelineList } from './timeline.ts';
import { readItems, readPart, type TimelinePart, toAddress } from './timeline-part.ts';

/** The page of an incident's `overviewURL`; `room` is its channel in Slack where a bot knows. Throws `not_found`, and `invalid_argument` for a malformed cursor. */
export async function incidentPage(
  context: Context,
  id: string,
  query: URLSearchParams,
  room: string | undefined,
): Promise<PageContent> {
  const row = await findIncident(context, id);
  const incident = await toIncident(context, row);
  const told = await recallTold(context, row.id, incident);
  const part = readPart(query, incident, told.counts);
  const { links, channel } = await readLinks(context, row.id, room);
  const address = inward(context.options, incident.overviewURL);
  const toItem = (item: string) => `${toAddress(address, { at: item })}#${item}`;
  const isFollowed = query.has('follow');
  const beside = [
    people(incident, await readImportantRoles(context), context.options),
    tasks(incident),
    times(incident, told.course),
    linkList(links),
  ];
  const body = html`<article class="incident">
${head(context, incident, { course: told.course, channel, address, isFollowed })}
${isMistake(incident) ? '' : [now(context, incident, told, toItem), coursePicture(told)]}
<div class="columns">
<section class="story" aria-labelledby="timeline">${await timeline(context, id, { part, told, address, toItem })}</section>
<aside>${beside}</aside></div></article>`;
  const title = `${toOneLine(incident.title, 100)} · incident ${incident.incidentID}`;
  return { title, section: 'incidents', body, isFollowed, printed: { path: address, at: context.now } };
}

/**
 * The tag of what that page would say to its caller, like an HTTP ETag: it changes with the incident, its channel, names, the minute, and
 * the form of the pages. Undefined for an incident that not everybody sees.
 */
export async function incidentTag(
  context: Context,
  id: string,
  address: string,
  room: string | undefined,
): Promise<string | undefined> {
  const validators = await readValidators(context, id);
  if (!validators) return undefined;
  const minute = Math.floor(context.now.getTime() / 60_000);
  const parts = [
    validators.timeline,
    room,
    minute,
    address,
    assetPaths.style,
    context.caller.userID,
    context.caller.role,
  ];
  return `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
}

function coursePicture({ picture, extent }: Told): Html {
  return html`<figure class="card picture">${raw(picture)}
<figcaption class="quiet">Times are UTC. ${extent}.</figcaption></figure>`;
}

async function timeline(
  context: Context,
  id: string,
  {
    part,
    told,
    address,
    toItem,
  }: { part: TimelinePart; told: Told; address: string; toItem: (item: string) => string },
): Promise<Html> {
  const { items, next } = await readItems(context, id, part);
  const isAtEnd = part.after === '' && part.at === '';
  const choices = (['key', 'all', 'notes', 'changes'] as const).map(show => {
    const current = show === part.show ? html`aria-current="true"` : '';
    return html`<a href="${toAddress(address, { show, order: part.order })}#timeline" ${current}>${showWords[show]} <span class="count">${told.counts[show].toLocaleString('en')}</span></a>`;
  });
  const orders = (['newest', 'oldest'] as const).map(order => {
    const current = order === part.order && isAtEnd ? html`aria-current="true"` : '';
    return html`<a href="${toAddress(address, { show: part.show, order })}#timeline" ${current}>${order === 'newest' ? 'Newest' : 'Beginning'}</a>`;
  });
  const more = toAddress(address, { show: part.show, order: part.order, after: next });
  return html`<div class="head-line"><h2 id="timeline">Timeline</h2><nav class="switch" aria-label="What the timeline shows">${choices}</nav><nav class="switch" aria-label="Where the timeline begins">${orders}</nav></div>
${items.length > 0 ? timelineList(items, { standing: told.standing, toItem }) : html`<p class="none">Nothing of this kind yet.</p>`}
${next === '' ? '' : html`<p class="pager"><a href="${more}#timeline">${part.order === 'newest' ? 'Earlier' : 'Later'} items</a></p>`}`;
}

const showWords = { key: 'Key moments', all: 'Everything', notes: 'Notes', changes: 'Changes' } as const;
