import { html } from 'hono/html';
import { type ActivityItem, type ActivityKind, activityKinds } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import { isMistake, ownLabels } from '../../contract/mistakes.ts';
import { type Lead, leadOf } from '../../contract/note-forms.ts';
import type { Context } from '../call/context.ts';
import { findIncident } from '../incidents/find.ts';
import { listActivity } from '../incidents/list.ts';
import { toIncident } from '../store/incident-objects.ts';
import { type Course, listMoments, type Point, readPoints, toCourse } from './course.ts';
import { inward, type PageContent } from './document.ts';
import { externalLink, type Html, inlineText, richText, toOneLine } from './escape.ts';
import { heading, labelMarks, person, severityMark, stateMarks } from './marks.ts';
import { timeTag, writeClock, writeDay, writeDuration, writeMoment, writeSpan } from './moments.ts';
import type { Reader } from './picture.ts';
import { picture } from './picture-frame.ts';
import { timelineList } from './timeline.ts';
import { describeTimeline } from './timeline-words.ts';

/** Timeline items on one page. */
const pageSize = 500;

const choices = {
  all: { words: 'Everything', kinds: [] },
  notes: { words: 'Notes', kinds: ['userNote'] },
  changes: { words: 'Changes', kinds: activityKinds.filter(kind => kind !== 'userNote') },
} as const satisfies Record<string, { words: string; kinds: readonly ActivityKind[] }>;

/** The part of a timeline on the page: `show` is one of its choices, `after` the cursor where it begins. */
export interface TimelinePart {
  readonly show: string;
  readonly after: string;
}

/** The page of an incident's `overviewURL`. Throws `not_found`, and `invalid_argument` for a malformed cursor. */
export async function incidentPage(context: Context, id: string, part: TimelinePart): Promise<PageContent> {
  const row = await findIncident(context, id);
  const incident = await toIncident(context, row);
  const points = await readPoints(context, row.id);
  const show = part.show === 'notes' || part.show === 'changes' ? part.show : 'all';
  const items = await listActivity(context, {
    query: { incidentID: id, tag: '', limit: pageSize, orderDirection: 'ASC', activityKind: [...choices[show].kinds] },
    cursor: { nextValue: part.after, hasMore: false },
  });
  const links = await readLinks(context, id);
  const lead = leadOf(incident, await readSaid(context, id));
  const course = toCourse(incident, points, context.now);
  const address = inward(context.options, incident.overviewURL);
  const body = html`<article class="incident">
${head(context, incident, course, lead)}
${isMistake(incident) ? '' : coursePicture(context, incident, { course, points })}
<div class="columns">
<aside>${[times(incident, course), people(incident), tasks(incident), linkList(links)]}</aside>
<section aria-labelledby="timeline"><div class="section-head"><h2 id="timeline">Timeline</h2>${switches(address, show)}</div>
${part.after === '' ? '' : html`<p class="pager"><a href="${toPart(address, show)}">From the beginning</a></p>`}
${items.activityItems.length > 0 ? timelineList(items.activityItems) : html`<p class="none">Nothing of this kind yet.</p>`}
${items.cursor.hasMore ? html`<p class="pager"><a href="${toPart(address, show, items.cursor.nextValue)}">Later items</a></p>` : ''}
</section></div></article>`;
  return {
    title: `${toOneLine(incident.title, 100)} · incident ${incident.incidentID}`,
    section: 'incidents',
    body,
    printed: { path: address, at: context.now },
  };
}

/** The picture on that page. Throws `not_found`. */
export async function incidentPicture(context: Context, id: string, reader: Reader): Promise<string> {
  const row = await findIncident(context, id);
  const points = await readPoints(context, row.id);
  const { drawTimeline } = await import('./timeline-picture.ts');
  return drawTimeline(toCourse(await toIncident(context, row), points, context.now), points, reader);
}

/** The newest notes and changes of the status, among which stands what leads the page; oldest first. */
async function readSaid(context: Context, incidentID: string): Promise<readonly ActivityItem[]> {
  const activityKind: ActivityKind[] = ['userNote', 'incidentStatusChanged'];
  const { activityItems } = await listActivity(context, {
    query: { incidentID, tag: '', limit: pageSize, orderDirection: 'DESC', activityKind },
    cursor: { nextValue: '', hasMore: false },
  });
  return activityItems.toReversed();
}

function leadWords(lead: Lead | undefined, now: Date): Html | string {
  if (!lead) return '';
  const { kind, text, at, nextAt } = lead;
  const next = nextAt ? html` · next one ${nextAt < now ? 'was ' : ''}due ${timeTag(nextAt)}` : '';
  const mark = kind === 'update' && at ? html`<p class="quiet">Latest update ${timeTag(at)}${next}</p>` : '';
  return html`<div class="lead">${mark}${richText(text)}</div>`;
}

function head({ options, now }: Context, incident: Incident, course: Course, lead: Lead | undefined): Html {
  const { incidentID, title, severity } = incident;
  const length = writeDuration(incident.durationSeconds);
  const lasted = isMistake(incident) ? '' : html` · ${course.resolved ? 'lasted' : 'active for'} ${length}`;
  return html`<header class="title">
<p class="trail"><a href="${inward(options, '/incidents')}">Incidents</a> / ${incidentID}</p>
${heading(title)}
<p class="marks">${stateMarks(incident)}${severityMark(severity, options)}<span class="quiet">started ${timeTag(course.started)}${lasted}</span></p>
${labelMarks(ownLabels(incident))}
${leadWords(lead, now)}</header>`;
}

function coursePicture(
  { options }: Context,
  incident: Incident,
  { course, points }: { course: Course; points: readonly Point[] },
): Html {
  const path = incident.overviewURL.replace(/[^/]*$/, 'timeline.svg');
  return html`<figure class="card picture">${picture(inward(options, path), describeTimeline(course, points))}
<figcaption class="quiet">Times are UTC.</figcaption></figure>`;
}

function times(incident: Incident, course: Course): Html {
  const { closedTime, isDrill } = incident;
  const mistake = isMistake(incident);
  // Nothing was resolved.
  const moments = listMoments(course).map(each =>
    mistake && each.name === 'Resolved' ? { ...each, name: 'Taken back' } : each,
  );
  const closed = closedTime === '' ? undefined : new Date(closedTime);
  const apart = closed && course.resolved && Math.abs(closed.getTime() - course.resolved.getTime()) >= 60_000;
  if (apart && !mistake) moments.push({ name: 'Set to resolved', at: closed });
  const rows = moments.map(({ name, at: moment }, index) => {
    const before = moments[index - 1];
    const gap = before && moment > before.at ? html` <span class="quiet">+${writeSpan(before.at, moment)}</span>` : '';
    const isSameDay = before !== undefined && writeDay(before.at) === writeDay(moment);
    const words = isSameDay ? `${writeClock(moment)} UTC` : writeMoment(moment);
    return html`<div><dt>${name}</dt><dd>${timeTag(moment, words)}${gap}</dd></div>`;
  });
  return html`<section class="card"><h2>Times</h2><dl class="times">${rows}</dl>${isDrill ? html`<p class="quiet">${mistake ? 'It was declared by mistake.' : 'This is a drill.'} It counts in no figures.</p>` : ''}</section>`;
}

function people({ incidentMembership, createdByUser }: Incident): Html {
  const roles = new Map<string, Html[]>();
  for (const { role, user } of incidentMembership.assignments) {
    roles.set(role.name, [...(roles.get(role.name) ?? []), person(user)]);
  }
  if (createdByUser.userID !== '') roles.set('declared by', [person(createdByUser)]);
  const rows = [...roles].map(([role, all]) => html`<div><dt>${inlineText(role, 100)}</dt><dd>${all}</dd></div>`);
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

async function readLinks(context: Context, incidentID: string): Promise<ActivityItem[]> {
  const { activityItems } = await listActivity(context, {
    query: { incidentID, tag: '', limit: 200, orderDirection: 'ASC', activityKind: ['contextAttached'] },
    cursor: { nextValue: '', hasMore: false },
  });
  const seen = new Set<string>();
  return activityItems.filter(({ url }) => !seen.has(url) && seen.add(url));
}

function linkList(links: readonly ActivityItem[]): Html | string {
  if (links.length === 0) return '';
  const rows = links.map(({ url, body }) => {
    const words = body === '' || body === url ? url.replace(/^https?:\/\/(?:www\.)?/i, '') : body;
    return html`<li>${externalLink(url, toOneLine(words, 80))}</li>`;
  });
  return html`<section class="card"><h2>Links</h2>${folded('plain', rows)}</section>`;
}

/** A list that shows its beginning and folds the rest. */
function folded(kind: 'tasks' | 'plain', rows: readonly Html[]): Html {
  const open = rows.length > 12 ? 10 : rows.length;
  const rest = rows.slice(open);
  const list = (some: readonly Html[]) => html`<ul class="${kind}">${some}</ul>`;
  return html`${list(rows.slice(0, open))}${rest.length > 0 ? html`<details class="more-of"><summary>${rest.length} more</summary>${list(rest)}</details>` : ''}`;
}

function switches(address: string, show: keyof typeof choices): Html {
  const all = Object.entries(choices).map(([name, { words }]) => {
    return html`<a href="${toPart(address, name)}#timeline" ${name === show ? html`aria-current="true"` : ''}>${words}</a>`;
  });
  return html`<nav class="switch" aria-label="What the timeline shows">${all}</nav>`;
}

function toPart(address: string, show: string, after = ''): string {
  const query = new URLSearchParams({ ...(show === 'all' ? {} : { show }), ...(after === '' ? {} : { after }) });
  return query.size === 0 ? address : `${address}?${query}`;
}
