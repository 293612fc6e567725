import { html } from 'hono/html';
import type { Incident } from '../../contract/incidents.ts';
import { isMistake } from '../../contract/mistakes.ts';
import type { Context } from '../call/context.ts';
import { type Course, listMoments } from '../incidents/course.ts';
import { toMoment } from '../store/time.ts';
import { type Html, inlineText } from './escape.ts';
import { isLead, person } from './marks.ts';
import { timeTag, writeClock, writeDay, writeMoment, writeSpan } from './moments.ts';

/** When what happened; a gap of less than a minute is none. */
export function times(incident: Incident, course: Course): Html {
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

/** The people by their roles, the one who leads first, and the important roles that nobody holds. */
export function people(
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

/** The tasks, and who does them. */
export function tasks({ taskList }: Incident): Html {
  const rows = taskList.tasks.map(({ text, status, assignedUser }) => {
    const kind = status === 'done' || status === 'progress' ? status : 'todo';
    const by = assignedUser && assignedUser.userID !== '' ? person(assignedUser) : '';
    return html`<li class="task ${kind}"><span class="box" role="img" aria-label="${taskWords[kind]}"></span><span class="text">${inlineText(text, 1000)} ${by}</span></li>`;
  });
  const count = rows.length > 0 ? html` <span class="quiet">${taskList.doneCount} of ${rows.length} done</span>` : '';
  return html`<section class="card"><h2>Tasks${count}</h2>${rows.length > 0 ? folded('tasks', rows) : html`<p class="none">None.</p>`}</section>`;
}

/** A card with the links, if there are any. */
export function linkCard(links: readonly Html[]): Html | string {
  return links.length === 0 ? '' : html`<section class="card"><h2>Links</h2>${folded('plain', links)}</section>`;
}

/** A list that shows its beginning and folds the rest. */
function folded(kind: 'tasks' | 'plain', rows: readonly Html[]): Html {
  const open = rows.length > 12 ? 10 : rows.length;
  const rest = rows.slice(open);
  const list = (some: readonly Html[]) => html`<ul class="${kind}">${some}</ul>`;
  return html`${list(rows.slice(0, open))}${rest.length > 0 ? html`<details class="more-of"><summary>${rest.length} more</summary>${list(rest)}</details>` : ''}`;
}
