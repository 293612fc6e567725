import type { ActivityItem } from '../../contract/activity.ts';
import type { Incident } from '../../contract/incidents.ts';
import { type Lead, leadOf } from '../../contract/note-forms.ts';
import type { Context } from '../call/context.ts';
import { readValidators } from '../incidents/cache-validators.ts';
import { listActivity } from '../incidents/list.ts';
import { toMicros } from '../store/time.ts';
import { type Course, toCourse } from './course.ts';
import { drawCourse, places, toWindow } from './course-picture.ts';
import { findFirstSign, findStanding, ofCourse, type Show, type Tally, tallyItems } from './timeline-items.ts';
import { sum, writeExtent } from './timeline-words.ts';

/** What the timeline tells of the whole incident. */
export interface Told {
  readonly course: Course;
  readonly lead: Lead | undefined;
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
/** The most incidents whose pictures are kept. */
const mostKept = 64;

/** What was told of incidents, by their ids, for each service by its options. */
const kept = new WeakMap<Context['options'], Map<number, { mark: string; told: Promise<Told> }>>();

/**
 * What an incident's timeline tells. It is read and drawn once for each version of the incident, and again each minute while the incident
 * is active, however many people ask at once.
 */
export async function recallTold(context: Context, id: number, incident: Incident): Promise<Told> {
  const validators = await readValidators(context, incident.incidentID);
  if (!validators) return await readTold(context, id, incident);
  const minute = incident.status === 'resolved' ? '' : Math.floor(context.now.getTime() / 60_000);
  const mark = `${validators.timeline} ${minute}`;
  const known = kept.get(context.options) ?? new Map<number, { mark: string; told: Promise<Told> }>();
  kept.set(context.options, known);
  const last = known.get(id);
  if (last?.mark === mark) return await last.told;
  const told = readTold(context, id, incident);
  known.delete(id);
  known.set(id, { mark, told });
  for (const oldest of [...known.keys()].slice(0, Math.max(0, known.size - mostKept))) known.delete(oldest);
  try {
    return await told;
  } catch (error) {
    known.delete(id);
    throw error;
  }
}

async function readTold(context: Context, id: number, incident: Incident): Promise<Told> {
  const items = await readTurns(context, incident.incidentID);
  const [start, declared] = [incident.incidentStart, incident.createdTime].map(time => toMicros(new Date(time)));
  const detected = start && declared ? await findFirstSign(context, id, start, declared) : undefined;
  const course = toCourse(incident, detected, items, context.now);
  const { from, until } = toWindow(course);
  const step = Math.max(1, Math.floor(((until - from) * 1000) / places));
  const tallies = await tallyItems(context, id, { from: from * 1000, step });
  const lead = leadOf(incident, items);
  return {
    course,
    lead,
    leadID: lead ? (items.find(each => isLead(each, lead))?.activityItemID ?? '') : '',
    counts: toCounts(tallies),
    picture: String(await drawCourse(course, tallies, context)),
    extent: writeExtent(tallies, places),
    standing: await findStanding(context, id),
  };
}

/** The changes of status and severity, and the notes among which stands what leads the page; oldest first. */
async function readTurns(context: Context, incidentID: string): Promise<readonly ActivityItem[]> {
  const { activityItems } = await listActivity(
    context,
    {
      query: { incidentID, tag: '', limit: mostTurns, orderDirection: 'DESC', activityKind: [] },
      cursor: { nextValue: '', hasMore: false },
    },
    { name: 'course', where: ofCourse },
  );
  return activityItems.toReversed();
}

function isLead({ activityKind, eventTime, body }: ActivityItem, { at, text }: Lead): boolean {
  return activityKind === 'userNote' && Date.parse(eventTime) === at?.getTime() && body.includes(text);
}

function toCounts(tallies: readonly Tally[]): Record<Show, number> {
  const all = sum(tallies);
  const notes = sum(tallies.filter(({ kind }) => kind === 'userNote'));
  const key = tallies.reduce((total, { keys }) => total + Number(keys), 0);
  return { key, all, notes, changes: all - notes };
}
