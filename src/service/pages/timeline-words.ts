import { type Course, listMoments, type Phase } from '../incidents/course.ts';
import { countShown, sumOf, type Tally } from '../incidents/timeline-items.ts';
import { writeMoment, writeSpan } from './moments.ts';

/** How each phase is named in words, and which class gives its colour. */
export const phases: Readonly<Record<Phase['name'], { readonly words: string; readonly kind: string }>> = {
  'to detection': { words: 'until noted', kind: 'before' },
  'to declaration': { words: 'until declared', kind: 'noticed' },
  'to resolution': { words: 'until resolved', kind: 'response' },
  active: { words: 'active', kind: 'response' },
  resolved: { words: 'resolved', kind: 'over' },
};

/** A number with its noun: `1 note`, `2,000 notes`. */
function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** The picture in words, for people who cannot see it. */
export function describeCourse(course: Course, tallies: readonly Tally[]): string {
  const moments = listMoments(course).map(({ name, at }) => `${name.toLowerCase()} ${writeMoment(at)}`);
  const lasting = course.phases.map(({ name, from, until }) => `${phases[name].words}: ${writeSpan(from, until)}`);
  const bands = course.severities.map(({ severity, from }) => `${severity} from ${writeMoment(from)}`);
  const severities = bands.length > 1 ? [`severity: ${bands.join(', ')}`] : [];
  const said = [...moments, writeReopened(course), ...lasting, ...severities].filter(each => each !== '');
  const { notes, changes } = countShown(tallies);
  return `The course of the incident: ${said.join('; ')}. ${countOf(notes, 'note')} and ${countOf(changes, 'change')} on the timeline.`;
}

/** What the picture shows of the timeline: `300 items, and 3 later, 1 earlier`. */
export function writeExtent(tallies: readonly Tally[], places: number): string {
  const earlier = sumOf(tallies.filter(({ place }) => place < 0));
  const later = sumOf(tallies.filter(({ place }) => place > places));
  const outside = [later > 0 ? `${later} later` : '', earlier > 0 ? `${earlier} earlier` : ''].filter(each => each);
  return [countOf(sumOf(tallies) - earlier - later, 'item'), outside.join(', ')].filter(each => each).join(', and ');
}

/** `4 h 10 min`, and for one that was reopened how much of it there was work: `1 d 9 h, 7 h of it open`. */
export function writeLength({ started, until, phases, reopened }: Course): string {
  const whole = writeSpan(started, until);
  if (reopened.length === 0) return whole;
  const open = phases.filter(({ name }) => name !== 'resolved');
  const worked = open.reduce((sum, each) => sum + each.until.getTime() - each.from.getTime(), 0);
  return `${whole}, ${writeSpan(new Date(0), new Date(worked))} of it open`;
}

/** `reopened`, `reopened twice`, `reopened 3 times`; `""` when it never was. */
export function writeReopened({ reopened: { length } }: Course): string {
  return ['', 'reopened', 'reopened twice'][length] ?? `reopened ${length} times`;
}
