import { setImmediate } from 'node:timers/promises';
import { html } from 'hono/html';
import type { Incident } from '../../contract/incidents.ts';
import { importantSign, type Lead, leadOf, readFoot, splitNoteBody } from '../../contract/note-forms.ts';
import type { SharedContext } from '../call/context.ts';
import type { Severity } from '../call/options.ts';
import { type Course, listMoments, toCourse } from '../incidents/course.ts';
import {
  countShown,
  findFirstSign,
  findStanding,
  ofCourse,
  readItems,
  type Show,
  shown,
  type Tally,
  tallyItems,
} from '../incidents/timeline-items.ts';
import { toMicros } from '../store/time.ts';
import { timeAxis } from './axis.ts';
import { type Html, toOneLine } from './escape.ts';
import { toRank } from './marks.ts';
import { writeClock, writeShortDay, writeSpan } from './moments.ts';
import { across, percent, plot, strokes } from './svg.ts';
import { describeCourse, phases, writeExtent } from './timeline-words.ts';

/** What the timeline tells of the whole incident. */
export interface IncidentStory {
  readonly course: Course;
  /** The headline of the incident; an active one without updates has its last note there. */
  readonly lead: (Omit<Lead, 'kind'> & { readonly kind: Lead['kind'] | 'note' }) | undefined;
  readonly counts: Readonly<Record<Show, number>>;
  /** The picture, as HTML. */
  readonly picture: string;
  /** What the picture shows of the timeline, in words. */
  readonly extent: string;
  /** The ids of the items that set start and end last. */
  readonly standing: ReadonlySet<string>;
}

/** The most turns and leading notes of an incident that are read, newest first. */
const mostTurns = 500;
/** The most notes among which the last one that still holds is looked for. */
const mostLast = 10;

/** Reads what an incident's timeline tells, and draws it. Others get their turn in between. */
export async function readStory(context: SharedContext, id: number, incident: Incident): Promise<IncidentStory> {
  const newest = await readItems(context, id, { where: ofCourse, order: 'newest', most: mostTurns });
  const items = newest.toReversed();
  const [start, declared] = [incident.incidentStart, incident.createdTime].map(time => toMicros(new Date(time)));
  const detected = start && declared ? await findFirstSign(context.db, id, start, declared) : undefined;
  const course = toCourse(incident, detected, items, context.now);
  const { from, until } = toWindow(course);
  const step = Math.max(1, Math.floor(((until - from) * 1000) / places));
  await setImmediate();
  const tallies = await tallyItems(context.db, id, { from: from * 1000, step });
  await setImmediate();
  const lead = leadOf(incident, items);
  return {
    course,
    lead: lead ?? (incident.status === 'resolved' ? undefined : await readLastNote(context, id)),
    counts: countShown(tallies),
    picture: String(await drawCourse(course, tallies, context.options.severities)),
    extent: writeExtent(tallies, places),
    standing: await findStanding(context.db, id),
  };
}

/** The last note whose message was not deleted since. */
async function readLastNote(context: SharedContext, id: number): Promise<IncidentStory['lead']> {
  const notes = await readItems(context, id, { where: shown.notes, order: 'newest', most: mostLast });
  for (const { body, eventTime, activityItemID: itemID } of notes) {
    const { text, foot } = splitNoteBody(body);
    if (readFoot(foot).since.includes('deleted')) continue;
    const words = text.startsWith(`${importantSign} `) ? text.slice(importantSign.length + 1) : text;
    return { kind: 'note', itemID, text: words, at: new Date(eventTime), nextAt: undefined };
  }
  return undefined;
}

/** The time that a picture spans, in milliseconds since 1970. */
interface Window {
  readonly from: number;
  readonly until: number;
}

/** The places of a picture: as fine as its strokes can be told apart. */
const places = 2000;

/** The span of the incident with some room on both sides. Items of other times would squeeze everything else. */
function toWindow({ started, declared, until }: Course): Window {
  const first = Math.min(started.getTime(), declared.getTime());
  const last = Math.max(until.getTime(), declared.getTime());
  const room = Math.max(20_000, (last - first) * 0.06);
  return { from: Math.floor(first - room), until: Math.ceil(last + room) };
}

const lanes: readonly { name: string; holds: (kind: Tally['kind']) => boolean }[] = [
  { name: 'State', holds: kind => kind.startsWith('incident') || kind.startsWith('label') },
  { name: 'People', holds: kind => kind.startsWith('role') },
  { name: 'Tasks', holds: kind => kind.startsWith('task') },
  { name: 'Links', holds: kind => kind === 'contextAttached' },
  { name: 'Notes', holds: kind => kind === 'userNote' },
];

/** Pixels of a row of words above the plot, of the signs of reopenings, of the bar of phases, of the band of severities, and of a lane. */
const rows = { moment: 18, again: 12, bar: 24, band: 18, lane: 24, axis: 22 } as const;

/** The picture of an incident's course: its phases and severities, and below them all items in lanes, on one axis of time. */
export function drawCourse(course: Course, tallies: readonly Tally[], severities: readonly Severity[]): Html {
  const window = toWindow(course);
  const axis = timeAxis(window.from, window.until);
  const place = (at: Date) => axis.place(at.getTime());
  const moments = mergeMoments(course);
  const bar = 6 + rows.moment * moments.length + (course.reopened.length > 0 ? rows.again : 0);
  const band = bar + rows.bar + 4;
  const isBanded = course.severities.length > 1;
  let y = band + (isBanded ? rows.band + 4 : 0);
  const drawn: Html[] = [];
  for (const [index, { name, holds }] of lanes.entries()) {
    const held = tallies.filter(each => holds(each.kind) && each.place >= 0 && each.place <= places);
    if (held.length === 0) continue;
    const at = held.map(each => (each.place * 100) / places);
    drawn.push(html`<text x="-64" y="${y + 16}">${name}</text>${strokes(`lane${index}`, at, y + 4, 16)}`);
    y += rows.lane;
  }
  const stretches = course.phases.map(phase => {
    const length = writeSpan(phase.from, phase.until);
    const { words, kind } = phases[phase.name];
    const look = { kind: `phase ${kind}`, words: [`${length} ${words}`, length], y: bar, height: rows.bar };
    return drawStretch(phase, look, place);
  });
  const bands = course.severities.map(each => {
    const kind = `band rank${toRank(each.severity, severities)}`;
    return drawStretch(each, { kind, words: [toOneLine(each.severity, 30)], y: band, height: rows.band }, place);
  });
  const content = html`${across(axis.ticks, bar, y)}
<text x="-64" y="${bar + 16}">Phases</text>${stretches}
${isBanded ? html`<text x="-64" y="${band + 13}">Severity</text>${bands}` : ''}
${drawn}${moments.map((moment, index) => drawMoment(moment, place, index, y, window))}
${course.reopened.map(at => html`<text class="again" x="${percent(place(at))}" y="${bar - 3}" text-anchor="middle">↺</text>`)}`;
  return plot('course', y + rows.axis, describeCourse(course, tallies), content);
}

/** A stretch of a row: a bar `height` pixels high from `y` down, with the first of its words that fits. */
function drawStretch(
  { from, until }: { readonly from: Date; readonly until: Date },
  { kind, words, y, height }: { kind: string; words: readonly string[]; y: number; height: number },
  place: (at: Date) => number,
): Html {
  const [start, end] = [place(from), place(until)];
  return html`<rect class="${kind}" x="${percent(start)}" width="${percent(end - start)}" y="${y}" height="${height}"/>${fitting(words, start, end, y + height / 2 + 4)}`;
}

/** Pixels of a plot on the narrowest phone, and on the narrowest screen that is not one. */
const plots = { narrow: 200, wide: 520 } as const;

/** The first of some words that fit between two places, on narrow and on wide screens; none where none fits. */
function fitting(words: readonly string[], start: number, end: number, y: number): Html {
  const [narrow, wide] = [plots.narrow, plots.wide].map(
    width => words.find(each => each.length * 6.6 + 8 <= ((end - start) * width) / 100) ?? '',
  );
  const text = (kind: string, said = '') =>
    said === ''
      ? ''
      : html`<text class="in ${kind}" x="${percent((start + end) / 2)}" y="${y}" text-anchor="middle">${said}</text>`;
  return narrow === wide ? html`${text('', wide)}` : html`${text('narrow', narrow)}${text('wide', wide)}`;
}

type Moment = ReturnType<typeof listMoments>[number];

const minuteOf = ({ at }: Moment): number => Math.floor(at.getTime() / 60_000);

/** Moments of the same minute of the clock share a line, under its one time. Reopenings have a sign of their own on the bar. */
function mergeMoments(course: Course): Moment[] {
  const merged: Moment[] = [];
  for (const each of listMoments(course).filter(({ name }) => name !== 'Reopened')) {
    const last = merged.at(-1);
    if (last && minuteOf(each) === minuteOf(last))
      merged[merged.length - 1] = { ...last, name: `${last.name}, ${each.name.toLowerCase()}` };
    else merged.push(each);
  }
  return merged;
}

/**
 * A line across all lanes, with its words at its upper end. Each moment begins a row below the one before, so that no line runs through
 * earlier words; words to the left of their line cover the lines that they cross.
 */
function drawMoment(
  { name, at }: Moment,
  place: (at: Date) => number,
  row: number,
  bottom: number,
  window: Window,
): Html {
  const label = `${name} ${writeWithin(window, at)}`;
  const [x, top] = [place(at), 4 + row * rows.moment];
  const isLeft = x + (label.length * 6.6 * 100) / plots.narrow > 104 && x > 45;
  return html`<g class="moment"><line x1="${percent(x)}" x2="${percent(x)}" y1="${top}" y2="${bottom}"/><text x="${percent(x)}" dx="${isLeft ? -5 : 5}" y="${top + 12}" text-anchor="${isLeft ? 'end' : 'start'}">${label}</text></g>`;
}

const day = 86_400_000;

/** A moment in its shortest clear form: the time of day; with the day when the picture spans more than one; the day alone when it spans many. */
function writeWithin({ from, until }: Window, moment: Date): string {
  if (until - from <= day) return writeClock(moment);
  return until - from > 14 * day ? writeShortDay(moment) : `${writeShortDay(moment)} ${writeClock(moment)}`;
}
