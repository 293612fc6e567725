import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { html, raw } from 'hono/html';
import type { ActivityItem } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import { isMistake, ownLabels } from '../../contract/mistakes.ts';
import type { Context, SharedContext } from '../call/context.ts';
import { recall } from '../call/recall.ts';
import { findLinked } from '../dashboards/linked.ts';
import { type Course, listMoments } from '../incidents/course.ts';
import { findIncident } from '../incidents/find.ts';
import { readImportantRoles } from '../incidents/roles.ts';
import { countBefore, readAttached, readItems, type Show, shown } from '../incidents/timeline-items.ts';
import { lastNumber } from '../store/counters.ts';
import { toIncident } from '../store/incident-objects.ts';
import type { IncidentRow } from '../store/tables.ts';
import { toMoment } from '../store/time.ts';
import { writeWindow } from './dashboard-window.ts';
import { inward, type PageContent } from './document.ts';
import { externalLink, type Html, inlineText, richText, toHref, toOneLine } from './escape.ts';
import { type IncidentStory, readStory } from './incident-course.ts';
import { byRank, heading, isLead, labelMarks, person, severityMark, stateMarks } from './marks.ts';
import { timeTag, writeClock, writeDay, writeMoment, writeSpan } from './moments.ts';
import { assetPaths } from './style.ts';
import { keyMoments, timelineEntries } from './timeline.ts';
import { writeLength, writeReopened } from './timeline-words.ts';

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
      () => readStory(context, row.id, incident),
      ({ picture }) => picture.length,
    );
  };
  const make = async () => {
    const incident = await toIncident(context, row);
    return await makePage(context, row, { incident, story: await tell(incident), asked, room });
  };
  return {
    tag: `W/"${hash('sha256', JSON.stringify(words), 'base64url').slice(0, 22)}"`,
    read: () => recall(context.options, { key, mark }, make, ({ body }) => body.toString().length),
  };
}

interface PageParts {
  readonly incident: Incident;
  readonly story: IncidentStory;
  readonly asked: PageQuery;
  readonly room: string | undefined;
}

async function makePage(context: SharedContext, row: IncidentRow, parts: PageParts): Promise<PageContent> {
  const { incident, story, asked, room } = parts;
  const { links, channel } = await readLinks(context, row.id, room);
  const address = inward(context.options, incident.overviewURL);
  const toItem = (item: string) => `${toAddress(address, { at: item })}#${item}`;
  const picture = html`<figure class="card picture">${raw(story.picture)}
<figcaption class="quiet">Times are UTC. ${story.extent}.</figcaption></figure>`;
  const body = await html`<article class="incident">
${head(context, incident, { course: story.course, channel, address, asked })}
${[now(context, incident, story, toItem), isMistake(incident) ? '' : picture]}
<div class="columns">
<section class="story" aria-labelledby="timeline">${await timeline(context, row, { ...parts, address, toItem })}</section>
<aside>${[people(incident, await readImportantRoles(context.db), context.options), tasks(incident), times(incident, story.course), links.length === 0 ? '' : html`<section class="card"><h2>Links</h2>${folded('plain', links)}</section>`]}</aside></div></article>`;
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

/** A timeline of so many items is read at a glance; a longer one has at most so many key moments before it on paper. */
const paper = { atGlance: 20, most: 40 } as const;

/** Items that are read and written down at once. Others get their turn after them. */
const atOnce = 100;

async function timeline(
  context: SharedContext,
  row: IncidentRow,
  {
    story,
    asked,
    address,
    toItem,
  }: PageParts & { readonly address: string; readonly toItem: (item: string) => string },
): Promise<Html> {
  const { counts, standing } = story;
  const { show, order, page, pages, size } = await findPart(context, row, counts, asked);
  const link = (change: Partial<PageQuery>, words: Html | string, isCurrent = false) => {
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

/** Timeline items on one page, and the most items that a resolved incident shows at once. */
const usual = { size: 100, unasked: 60 } as const;

/** What an address of an incident's page asks for; `""` where it says nothing. */
interface PageQuery {
  readonly show: Show | '';
  readonly order: 'newest' | 'oldest' | '';
  /** The number of the page, from 1. */
  readonly page: string;
  /** So many items on one page, as on paper. */
  readonly size: '1000' | '';
  /** The id of an item that the page has. */
  readonly at: string;
  /** The browser asks for the page again and again. */
  readonly follow: 'on' | '';
}

/** Reads the query of an address. What is not known is nothing. */
function readAsked(query: URLSearchParams): PageQuery {
  const one = <T extends string>(name: string, ...known: readonly T[]): T | '' =>
    known.find(each => each === query.get(name)) ?? '';
  return {
    show: one('show', 'key', 'all', 'notes', 'changes'),
    order: one('order', 'newest', 'oldest'),
    page: /^[1-9]\d{0,6}$/.exec(query.get('page') ?? '')?.[0] ?? '',
    size: one('size', '1000'),
    at: (query.get('at') ?? '').slice(0, 100),
    follow: query.has('follow') ? 'on' : '',
  };
}

/** The address of a page of an incident that shows what is asked. */
function toAddress(address: string, asked: Partial<PageQuery>): string {
  const members = Object.entries(asked).filter(([, value]) => value !== '');
  return members.length === 0 ? address : `${address}?${new URLSearchParams(members)}`;
}

/**
 * The part that is asked for. Unasked, an active incident has its newest items first, and a resolved one its oldest; of a long resolved
 * one, the key moments. An address of one item shows everything around it.
 */
async function findPart(
  context: SharedContext,
  { id, status }: IncidentRow,
  counts: Readonly<Record<Show, number>>,
  asked: PageQuery,
) {
  const isOver = status === 'resolved';
  const show = asked.show || (isOver && counts.all > usual.unasked && asked.at === '' ? 'key' : 'all');
  const order = asked.order || (isOver ? 'oldest' : 'newest');
  const size = Number(asked.size || usual.size);
  const pages = Math.max(1, Math.ceil(counts[show] / size));
  const isAt = asked.page === '' && asked.at !== '';
  const before = isAt ? await countBefore(context.db, id, { show, order, at: asked.at }) : 0;
  const page = isAt ? Math.floor(before / size) + 1 : Number(asked.page || 1);
  return { show, order, size, pages, page: Math.min(page, pages) };
}

/** The title, the state, and the ways on: to the channel in Slack, and to the page as it is now. */
function head(
  { options, now }: SharedContext,
  incident: Incident,
  { course, channel, address, asked }: { course: Course; channel: string; address: string; asked: PageQuery },
): Html {
  const { incidentID, title, severity } = incident;
  const past = isMistake(incident) ? [] : [worstBefore(course, options), writeReopened(course)];
  const to = (follow: PageQuery['follow'], words: string) =>
    html`<a href="${toAddress(address, { ...asked, follow })}">${words}</a>`;
  const follow = asked.follow ? html`following · ${to('', 'Stop')}` : html`${to('', 'Reload')} · ${to('on', 'Follow')}`;
  return html`<header class="title">
<p class="trail"><a href="${inward(options, '/incidents')}">Incidents</a> / ${incidentID}</p>
<div class="head-line">${heading(title)}${channel === '' ? '' : html`<span class="go">${externalLink(channel, 'Open in Slack')}</span>`}</div>
<p class="marks">${stateMarks(incident)}${severityMark(severity, options.severities)}<span class="quiet">${past.filter(each => each !== '').map(each => html`${each} · `)}started ${timeTag(course.started)} · as of ${timeTag(now, `${writeClock(now)} UTC`)}<span class="live"> · ${follow}</span></span></p>
${labelMarks(ownLabels(incident), options)}</header>`;
}

/** `was critical until 23:40`: the worst severity that the incident once had, if it was worse than the last one. */
function worstBefore({ severities }: Course, options: Context['options']): string {
  const compare = byRank(options.severities);
  const last = severities.at(-1);
  const [worst] = severities.toSorted(
    (one, other) => compare(one.severity, other.severity) || +other.until - +one.until,
  );
  if (!worst || !last || compare(worst.severity, last.severity) >= 0) return '';
  const { severity, until } = worst;
  const isSameDay = writeDay(until) === writeDay(severities[0]?.from ?? until);
  return `was ${toOneLine(severity, 60)} until ${isSameDay ? writeClock(until) : writeMoment(until)}`;
}

/** What one opens the page for: how it ended, or how it is now; who leads; what is still to do; how long it takes. */
function now(
  context: SharedContext,
  incident: Incident,
  story: IncidentStory,
  toItem: (id: string) => string,
): Html | string {
  const mistake = isMistake(incident);
  if (mistake && !story.lead) return '';
  const isOver = story.course.resolved !== undefined || incident.status === 'resolved';
  const leaders = incident.incidentMembership.assignments.filter(({ role }) => isLead(role));
  const command = html`<span class="warn">No commander</span> <code>/role assign me commander</code>`;
  const nobody = isOver ? html`<span class="quiet">nobody</span>` : command;
  const { started, declared } = story.course;
  const isLater = declared.getTime() - started.getTime() >= 60_000;
  const before = isLater
    ? html` <span class="quiet">(${writeSpan(started, declared)} before it was declared)</span>`
    : '';
  const cells = [
    html`<div class="wide"><dt>${leadHead(context, story, isOver)}</dt><dd class="say">${leadWords(story, isOver, toItem)}</dd></div>`,
    html`<div><dt>Lead</dt><dd>${leaders.length > 0 ? leaders.map(({ user }) => person(user)) : nobody}</dd></div>`,
    html`<div><dt>Open tasks</dt><dd>${openTasks(incident)}</dd></div>`,
    html`<div><dt>${isOver ? 'Took' : 'Open for'}</dt><dd>${writeLength(story.course)}${before}</dd></div>`,
  ];
  return html`<section class="now" aria-label="${isOver ? 'Outcome' : 'Now'}"><dl>${mistake ? cells[0] : cells}</dl></section>`;
}

function leadHead({ now: present }: SharedContext, { lead }: IncidentStory, isOver: boolean): Html {
  const names = { outcome: 'Outcome', update: 'Last update', summary: 'Summary', note: 'Last note' } as const;
  if (!lead) return html`${isOver ? 'Outcome' : 'Last update'}`;
  if (isOver) return html`${lead.kind === 'outcome' ? '' : 'Outcome · '}${names[lead.kind]}`;
  const { at, nextAt } = lead;
  const clock = nextAt && timeTag(nextAt, `${writeClock(nextAt)} UTC`);
  const isLate = nextAt !== undefined && nextAt < present;
  const due = isLate ? html`<span class="warn">overdue since ${clock}</span>` : html`next due ${clock}`;
  return html`<span>${names[lead.kind]}</span> <span>${at ? `${writeSpan(at, present)} ago` : ''}${clock ? html` · ${due}` : ''}</span>`;
}

/** The most characters of the words that lead the page; the rest is on the timeline, where a note has its place anyway. */
const mostWords = { outcome: 280, update: 280, summary: 280, note: 80 } as const;

function leadWords({ lead }: IncidentStory, isOver: boolean, toItem: (id: string) => string): Html {
  if (!lead)
    return html`<span class="quiet">${isOver ? 'Nobody wrote down how it ended.' : 'There is none yet.'}</span>`;
  const most = mostWords[lead.kind];
  if (Array.from(lead.text.trim()).length <= most) return richText(lead.text);
  // A cut would leave a block of code without its end.
  return html`${inlineText(lead.text.replaceAll('```', ' '), most)} <a href="${toItem(lead.itemID)}">All of it</a>`;
}

function openTasks({ taskList: { tasks } }: Incident): Html {
  const open = tasks.filter(({ status }) => status !== 'done');
  if (open.length === 0) return html`<span class="quiet">none${tasks.length === 0 ? '' : ` of ${tasks.length}`}</span>`;
  const first = open.slice(0, 2).map(({ text }, index) => html`${index > 0 ? ' · ' : ''}${inlineText(text, 60)}`);
  return html`${open.length} of ${tasks.length}: ${first}${open.length > 2 ? ' …' : ''}`;
}

/** When what happened; a gap of less than a minute is none. */
function times(incident: Incident, course: Course): Html {
  const { closedTime, incidentEnd, isDrill } = incident;
  const mistake = isMistake(incident);
  const moments = listMoments(course);
  const [closed, ended] = [toMoment(closedTime), toMoment(incidentEnd)];
  const apart = closed && course.resolved && Math.abs(closed.getTime() - course.resolved.getTime()) >= 60_000;
  if (apart && !mistake) moments.push({ name: 'Set to resolved', at: closed });
  if (ended && !course.resolved) moments.push({ name: 'Ended', at: ended });
  const rows = moments.map(({ name, at: moment }, index) => {
    const before = moments[index - 1];
    const isGap = before && moment.getTime() - before.at.getTime() >= 60_000;
    const gap = isGap ? html` <span class="quiet">+${writeSpan(before.at, moment)}</span>` : '';
    const still = name === 'Ended' ? html`, still open` : '';
    const words =
      before && writeDay(before.at) === writeDay(moment) ? `${writeClock(moment)} UTC` : writeMoment(moment);
    // Nothing was resolved of what was declared by mistake.
    return html`<div><dt>${mistake && name === 'Resolved' ? 'Taken back' : name}</dt><dd>${timeTag(moment, words)}${still}${gap}</dd></div>`;
  });
  return html`<section class="card"><h2>Times</h2><dl class="times">${rows}</dl>${isDrill ? html`<p class="quiet">${mistake ? 'It was declared by mistake.' : 'This is a drill.'} It counts in no figures.</p>` : ''}</section>`;
}

/** The people by their roles, the one who leads first, and the important roles without a person. */
function people(
  { incidentMembership, createdByUser }: Incident,
  important: readonly string[],
  options: Context['options'],
): Html {
  const { assignments } = incidentMembership;
  const rank = (role: string) => (isLead({ name: role }) ? 0 : important.includes(role) ? 1 : 2);
  const names = [...new Set([...assignments.map(({ role }) => role.name), ...important])].sort(
    (one, other) => rank(one) - rank(other),
  );
  const rows = names.map(name => {
    const held = assignments.filter(({ role }) => role.name === name).map(({ user }) => person(user, options));
    return html`<div><dt>${inlineText(name, 100)}</dt><dd>${held.length > 0 ? held : html`<span class="quiet">nobody</span>`}</dd></div>`;
  });
  if (createdByUser.userID !== '')
    rows.push(html`<div><dt>declared by</dt><dd>${person(createdByUser, options)}</dd></div>`);
  return html`<section class="card"><h2>People</h2>${rows.length > 0 ? html`<dl class="people">${rows}</dl>` : html`<p class="none">Nobody yet.</p>`}</section>`;
}

const taskWords: Readonly<Record<string, string>> = { todo: 'to do', progress: 'in progress', done: 'done' };

function tasks({ taskList }: Incident): Html {
  const rows = taskList.tasks.map(({ text, status, assignedUser }) => {
    const kind = status === 'done' || status === 'progress' ? status : 'todo';
    const by = assignedUser && assignedUser.userID !== '' ? person(assignedUser) : '';
    return html`<li class="task ${kind}"><span class="box" role="img" aria-label="${taskWords[kind]}"></span><span class="text">${inlineText(text, 1000)} ${by}</span></li>`;
  });
  const count = rows.length > 0 ? html` <span class="quiet">${taskList.doneCount} of ${rows.length} done</span>` : '';
  return html`<section class="card"><h2>Tasks${count}</h2>${rows.length > 0 ? folded('tasks', rows) : html`<p class="none">None.</p>`}</section>`;
}

/** A list that shows its beginning and folds the rest. */
function folded(kind: 'tasks' | 'plain', rows: readonly Html[]): Html {
  const open = rows.length > 12 ? 10 : rows.length;
  const rest = rows.slice(open);
  const list = (some: readonly Html[]) => html`<ul class="${kind}">${some}</ul>`;
  return html`${list(rows.slice(0, open))}${rest.length > 0 ? html`<details class="more-of"><summary>${rest.length} more</summary>${list(rest)}</details>` : ''}`;
}

/** The most links that a page shows. */
const mostLinks = 200;

/**
 * The links of an incident, each once, without messages; and its channel in Slack, which is no link among them: the `known` one, or, where
 * no bot knows any, one that a person attached; `""` for none.
 */
async function readLinks(
  context: SharedContext,
  id: number,
  known: string | undefined,
): Promise<{ links: readonly Html[]; channel: string }> {
  const captions = await readAttached(context.db, id);
  const channel = known ?? [...captions.keys()].find(each => channelAddress.test(each))?.replace(/\/$/, '') ?? '';
  const shown = [...captions].filter(([url]) => url.replace(/\/$/, '') !== channel).slice(0, mostLinks);
  const dashboards = await findLinked(
    context,
    shown.map(([url]) => url),
  );
  const links = shown.map(([url, caption]) => {
    const found = dashboards.get(url);
    const { words, more } = found ? { words: found.title, more: windowOf(found.target) } : describe(url, caption);
    return html`<li>${externalLink(url, toOneLine(words, 80))} <span class="quiet">${more}</span></li>`;
  });
  return { links, channel };
}

/** The address of a channel in Slack, not of a message. */
const channelAddress = /^https:\/\/[a-z0-9.-]+\.slack\.com\/archives\/[A-Z0-9]+\/?$/;

/** The words of a link, and its host where they do not tell it. */
function describe(url: string, caption: string): { words: string; more: Html | string } {
  const href = toHref(url);
  const host = href === undefined ? '' : new URL(href).host.replace(/^www\./, '');
  if (caption !== url) return { words: caption, more: inlineText(host, 80) };
  return { words: url.replace(/^https?:\/\/(?:www\.)?/i, ''), more: '' };
}

/** The time window of a dashboard's address, if it names one. */
function windowOf(target: string): Html | string {
  const query = new URLSearchParams(target.split('?')[1] ?? '');
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  return from === '' && to === '' ? '' : writeWindow(from, to);
}
