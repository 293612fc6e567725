import type { IllName } from './ills.ts';
import type { BreakdownReport } from './run.ts';

/** Lines of trouble in the log that may tell of one break in a minute. */
const mostLines = 20;
/** Only where Muster itself cannot store may something be undone that was acknowledged; its person is told then. */
const cannotStore: ReadonlySet<IllName> = new Set(['database', 'disk']);

/** What a breakdown broke of what Muster promises, in sentences; none when all holds. */
export function brokenPromises(ill: IllName, seconds: number, report: BreakdownReport): readonly string[] {
  const { accepted, lost, doubled, unfinished, warned, complaints } = report;
  const mayLose = cannotStore.has(ill) ? warned : 0;
  const mayLog = mostLines * Math.max(1, seconds / 60);
  return [
    ...(accepted > 5 ? [] : [`only ${accepted} acts were acknowledged, too few to tell anything`]),
    ...(lost.length <= mayLose ? [] : lost.map(each => `lost: ${each}`)),
    ...doubled.map(each => `doubled: ${each}`),
    ...(unfinished === 0 ? [] : [`${unfinished} are unfinished`]),
    ...(complaints.length <= mayLog ? [] : [`${complaints.length} lines of trouble:`, ...complaints]),
  ];
}
