import { html } from 'hono/html';
import type { Incident } from '../../contract/incidents.ts';
import { isMistake, ownLabels } from '../../contract/mistakes.ts';
import type { Context } from '../call/context.ts';
import type { Course } from '../incidents/course.ts';
import { inward } from './document.ts';
import { externalLink, type Html, inlineText, richText, toOneLine } from './escape.ts';
import type { Shared, Told } from './incident-course.ts';
import { byRank, heading, isLead, labelMarks, person, severityMark, stateMarks } from './marks.ts';
import { timeTag, writeClock, writeDay, writeMoment, writeSpan } from './moments.ts';
import { type Asked, toAddress } from './timeline-part.ts';
import { writeLength, writeReopened } from './timeline-words.ts';

/** The title, the state, and the ways on: to the channel in Slack, and to the page as it is now. */
export function head(
  { options, now }: Shared,
  incident: Incident,
  { course, channel, address, asked }: { course: Course; channel: string; address: string; asked: Asked },
): Html {
  const { incidentID, title, severity } = incident;
  const past = isMistake(incident) ? [] : [worstBefore(course, options), writeReopened(course)];
  const to = (follow: Asked['follow'], words: string) =>
    html`<a href="${toAddress(address, { ...asked, follow })}">${words}</a>`;
  const follow = asked.follow ? html`following · ${to('', 'Stop')}` : html`${to('', 'Reload')} · ${to('on', 'Follow')}`;
  return html`<header class="title">
<p class="trail"><a href="${inward(options, '/incidents')}">Incidents</a> / ${incidentID}</p>
<div class="head-line">${heading(title)}${channel === '' ? '' : html`<span class="go">${externalLink(channel, 'Open in Slack')}</span>`}</div>
<p class="marks">${stateMarks(incident)}${severityMark(severity, options)}<span class="quiet">${past.filter(each => each !== '').map(each => html`${each} · `)}started ${timeTag(course.started)} · as of ${timeTag(now, `${writeClock(now)} UTC`)}<span class="live"> · ${follow}</span></span></p>
${labelMarks(ownLabels(incident), options)}</header>`;
}

/** `was critical until 23:40`: the worst severity that the incident once had, if it was worse than the last one. */
function worstBefore({ severities }: Course, options: Context['options']): string {
  const compare = byRank(options);
  const last = severities.at(-1);
  const [worst] = severities.toSorted(
    (one, other) => compare(one.severity, other.severity) || +other.until - +one.until,
  );
  if (!worst || !last || compare(worst.severity, last.severity) >= 0) return '';
  const { severity, until } = worst;
  const isSameDay = writeDay(until) === writeDay(severities[0]?.from ?? until);
  return `was ${toOneLine(severity, 60)} until ${isSameDay ? writeClock(until) : writeMoment(until)}`;
}

/** What one opens the page for: how it ended, or where it stands; who leads; what is still to do; how long it takes. */
export function now(context: Shared, incident: Incident, told: Told, toItem: (id: string) => string): Html | string {
  const mistake = isMistake(incident);
  if (mistake && !told.lead) return '';
  const isOver = told.course.resolved !== undefined || incident.status === 'resolved';
  const leaders = incident.incidentMembership.assignments.filter(({ role }) => isLead(role));
  const command = html`<span class="warn">No commander</span> <code>/role assign me commander</code>`;
  const nobody = isOver ? html`<span class="quiet">nobody</span>` : command;
  const { started, declared } = told.course;
  const isLater = declared.getTime() - started.getTime() >= 60_000;
  const before = isLater
    ? html` <span class="quiet">(${writeSpan(started, declared)} before it was declared)</span>`
    : '';
  const cells = [
    html`<div class="wide"><dt>${leadHead(context, told, isOver)}</dt><dd class="say">${leadWords(told, isOver, toItem)}</dd></div>`,
    html`<div><dt>Lead</dt><dd>${leaders.length > 0 ? leaders.map(({ user }) => person(user)) : nobody}</dd></div>`,
    html`<div><dt>Open tasks</dt><dd>${openTasks(incident)}</dd></div>`,
    html`<div><dt>${isOver ? 'Took' : 'Open for'}</dt><dd>${writeLength(told.course)}${before}</dd></div>`,
  ];
  return html`<section class="now" aria-label="${isOver ? 'Outcome' : 'Now'}"><dl>${mistake ? cells[0] : cells}</dl></section>`;
}

function leadHead({ now: present }: Shared, { lead }: Told, isOver: boolean): Html {
  const names = { outcome: 'Outcome', update: 'Last update', summary: 'Summary', note: 'Last note' } as const;
  if (!lead) return html`${isOver ? 'Outcome' : 'Last update'}`;
  if (isOver) return html`${lead.kind === 'outcome' ? '' : 'Outcome · '}${names[lead.kind]}`;
  const { at, nextAt } = lead;
  const clock = nextAt && timeTag(nextAt, `${writeClock(nextAt)} UTC`);
  const isLate = nextAt !== undefined && nextAt < present;
  const due = isLate ? html`<span class="warn">overdue since ${clock}</span>` : html`next due ${clock}`;
  return html`<span>${names[lead.kind]}</span> <span>${at ? `${writeSpan(at, present)} ago` : ''}${clock ? html` · ${due}` : ''}</span>`;
}

/** The most characters of the words that lead the page; the rest stands on the timeline, where a note has its place anyway. */
const mostWords = { outcome: 280, update: 280, summary: 280, note: 80 } as const;

function leadWords({ lead }: Told, isOver: boolean, toItem: (id: string) => string): Html {
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
