import { setImmediate } from 'node:timers/promises';
import type { ActivityItem } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import { importantSign, type Lead, leadOf, readFoot, splitNoteBody } from '../../contract/note-forms.ts';
import type { Context } from '../call/context.ts';
import { type Course, toCourse } from '../incidents/course.ts';
import {
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
import { drawCourse, places, toWindow } from './course-picture.ts';
import { sum, writeExtent } from './timeline-words.ts';

/** What pages show to everybody who may see an incident: it does not depend on who asks. */
export type Shared = Omit<Context, 'caller'>;

/** What the timeline tells of the whole incident. */
export interface Told {
  readonly course: Course;
  /** What stands first of the incident; an active one without updates has its last note there. */
  readonly lead: (Omit<Lead, 'kind'> & { readonly kind: Lead['kind'] | 'note' }) | undefined;
  /** The item that is the lead, by its id; `""` when there is none. */
  readonly leadID: string;
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
  const leadID = lead ? (items.find(each => isLead(each, lead))?.activityItemID ?? '') : '';
  return {
    course,
    ...(lead || incident.status === 'resolved' ? { lead, leadID } : await readLastNote(context, id)),
    counts: toCounts(tallies),
    picture: String(await drawCourse(course, tallies, context)),
    extent: writeExtent(tallies, places),
    standing: await findStanding(context, id),
  };
}

function isLead({ activityKind, eventTime, body }: ActivityItem, { at, text }: Lead): boolean {
  return activityKind === 'userNote' && Date.parse(eventTime) === at?.getTime() && body.includes(text);
}

/** The last note whose message was not deleted since. */
async function readLastNote(context: Shared, id: number): Promise<Pick<Told, 'lead' | 'leadID'>> {
  const notes = await readItems(context, id, { where: shown.notes, order: 'newest', most: mostLast });
  for (const { body, eventTime, activityItemID: leadID } of notes) {
    const { text, foot } = splitNoteBody(body);
    if (readFoot(foot).since.includes('deleted')) continue;
    const words = text.startsWith(`${importantSign} `) ? text.slice(importantSign.length + 1) : text;
    return { lead: { kind: 'note', text: words, at: new Date(eventTime), nextAt: undefined }, leadID };
  }
  return { lead: undefined, leadID: '' };
}

function toCounts(tallies: readonly Tally[]): Record<Show, number> {
  const all = sum(tallies);
  const notes = sum(tallies.filter(({ kind }) => kind === 'userNote'));
  const key = tallies.reduce((total, { keys }) => total + Number(keys), 0);
  return { key, all, notes, changes: all - notes };
}
