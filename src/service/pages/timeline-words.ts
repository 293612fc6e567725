import { type Course, listMoments, type Phase, type Point } from './course.ts';
import { writeMoment, writeSpan } from './moments.ts';

/** The name of a phase. */
export const phaseWords: Readonly<Record<Phase['name'], string>> = {
  'to detection': 'until noted',
  'to declaration': 'until declared',
  'to resolution': 'until resolved',
  active: 'active',
};

/** The picture in words, for people who cannot see it. */
export function describeTimeline(course: Course, points: readonly Point[]): string {
  const moments = listMoments(course).map(({ name, at }) => `${name.toLowerCase()} ${writeMoment(at)}`);
  const notes = points.filter(({ kind }) => kind === 'userNote').length;
  const phases = course.phases.map(({ name, from, until }) => `${phaseWords[name]}: ${writeSpan(from, until)}`);
  return `The course of the incident: ${[...moments, ...phases].join('; ')}. ${notes} notes and ${points.length - notes} changes on the timeline.`;
}
