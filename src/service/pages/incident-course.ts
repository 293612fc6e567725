import { setImmediate } from 'node:timers/promises';
import type { Incident } from '../../contract/incidents.ts';
import { importantSign, type Lead, leadOf, readFoot, splitNoteBody } from '../../contract/note-forms.ts';
import type { Context } from '../call/context.ts';
import { type Course, toCourse } from '../incidents/course.ts';
import {
  countShown,
  findFirstSign,
  findStanding,
  ofCourse,
  readItems,
  type Show,
  shown,
  tallyItems,
} from '../incidents/timeline-items.ts';
import { toMicros } from '../store/time.ts';
import { drawCourse, places, toWindow } from './course-picture.ts';
import { writeExtent } from './timeline-words.ts';

/** What pages show to everybody who may see an incident: it does not depend on who asks. */
export type Shared = Omit<Context, 'caller'>;

/** What the timeline tells of the whole incident. */
export interface Told {
  readonly course: Course;
  /** What stands first of the incident; an active one without updates has its last note there. */
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
export async function readTold(context: Shared, id: number, incident: Incident): Promise<Told> {
  const newest = await readItems(context, id, { where: ofCourse, order: 'newest', most: mostTurns });
  const items = newest.toReversed();
  const [start, declared] = [incident.incidentStart, incident.createdTime].map(time => toMicros(new Date(time)));
  const detected = start && declared ? await findFirstSign(context, id, start, declared) : undefined;
  const course = toCourse(incident, detected, items, context.now);
  const { from, until } = toWindow(course);
  const step = Math.max(1, Math.floor(((until - from) * 1000) / places));
  await setImmediate();
  const tallies = await tallyItems(context, id, { from: from * 1000, step });
  await setImmediate();
  const lead = leadOf(incident, items);
  return {
    course,
    lead: lead ?? (incident.status === 'resolved' ? undefined : await readLastNote(context, id)),
    counts: countShown(tallies),
    picture: String(await drawCourse(course, tallies, context)),
    extent: writeExtent(tallies, places),
    standing: await findStanding(context, id),
  };
}

/** The last note whose message was not deleted since. */
async function readLastNote(context: Shared, id: number): Promise<Told['lead']> {
  const notes = await readItems(context, id, { where: shown.notes, order: 'newest', most: mostLast });
  for (const { body, eventTime, activityItemID: itemID } of notes) {
    const { text, foot } = splitNoteBody(body);
    if (readFoot(foot).since.includes('deleted')) continue;
    const words = text.startsWith(`${importantSign} `) ? text.slice(importantSign.length + 1) : text;
    return { kind: 'note', itemID, text: words, at: new Date(eventTime), nextAt: undefined };
  }
  return undefined;
}
