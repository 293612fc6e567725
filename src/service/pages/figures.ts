import { tz } from '@date-fns/tz';
import { addMonths } from 'date-fns/addMonths';
import { addWeeks } from 'date-fns/addWeeks';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMonth } from 'date-fns/startOfMonth';
import type { Expression, SqlBool } from 'kysely';
import type { Context } from '../call/context.ts';
import { toMicros } from '../store/time.ts';

/** By what figures are told apart in time. */
export type Step = 'week' | 'month';

/** How many weeks or months figures go back, with the one that is not over. */
export const reach: Readonly<Record<Step, number>> = { week: 26, month: 24 };

/** The fewest periods that are shown. */
const fewestPeriods = 8;

/** The most labels that figures name. */
const mostLabels = 15;

/** One incident as figures see it. */
export interface CountedIncident {
  readonly id: number;
  readonly severity: string;
  readonly declared: Date;
  /** Seconds from start to end; undefined while it is open. */
  readonly seconds: number | undefined;
}

/** How many there were, how many are open still, and how long the others took. */
export interface ResolutionFigures {
  readonly count: number;
  readonly open: number;
  /** Seconds in which half of the resolved ones were resolved, and nine out of ten; undefined when none was. */
  readonly median: number | undefined;
  readonly ninth: number | undefined;
}

/** A week or month with what was declared in it. */
export interface Period extends ResolutionFigures {
  readonly from: Date;
  /** Severity → number of incidents. */
  readonly severities: ReadonlyMap<string, number>;
}

/** Figures of what was declared since `from`, drills left out. */
export interface Figures {
  readonly step: Step;
  readonly from: Date;
  readonly total: ResolutionFigures;
  readonly periods: readonly Period[];
  /** From the most frequent. */
  readonly severities: readonly (ResolutionFigures & { readonly name: string })[];
  /** From the most frequent, at most {@link mostLabels}. */
  readonly labels: readonly (ResolutionFigures & { readonly name: string })[];
  readonly labelCount: number;
}

const utc = { in: tz('UTC') };

/** Where the periods of figures begin, the last being the one in which `now` is. */
export function listPeriods(step: Step, now: Date): Date[] {
  const last = step === 'week' ? startOfISOWeek(now, utc) : startOfMonth(now, utc);
  const back = (count: number) => (step === 'week' ? addWeeks(last, -count, utc) : addMonths(last, -count, utc));
  return Array.from({ length: reach[step] }, (_, index) => new Date(back(reach[step] - 1 - index).getTime()));
}

/** Reads the figures of all incidents that fit a condition and are no drills. */
export async function readFigures({ db, now }: Context, step: Step, where: Expression<SqlBool>): Promise<Figures> {
  const starts = listPeriods(step, now);
  const from = starts[0] ?? now;
  const since = toMicros(from);
  const chosen = db
    .selectFrom('incident')
    .where('incident.is_drill', '=', 0)
    .where('incident.created_at', '>=', since)
    .where(where);
  const rows = await chosen.select(['id', 'severity', 'status', 'created_at', 'started_at', 'ended_at']).execute();
  const labels = await chosen
    .innerJoin('incident_label', 'incident_label.incident_id', 'incident.id')
    .select(['incident.id', 'incident_label.label', 'incident_label.label_folded'])
    .execute();
  const cases = rows.map(row => {
    const ended = row.status === 'resolved' ? row.ended_at : null;
    const seconds = ended === null ? undefined : Math.max(0, (ended - row.started_at) / 1_000_000);
    return { id: row.id, severity: row.severity, declared: new Date(row.created_at / 1000), seconds };
  });
  return { step, from, ...toFigures(cases, labels, starts) };
}

/** Counts cases by period, severity and label. Pure: `starts` are where the periods begin. */
export function toFigures(
  cases: readonly CountedIncident[],
  labels: readonly { readonly id: number; readonly label: string; readonly label_folded: string }[],
  starts: readonly Date[],
): Omit<Figures, 'step' | 'from'> {
  const byID = new Map(cases.map(each => [each.id, each]));
  const bySeverity = Map.groupBy(cases, each => each.severity);
  const labelled = Map.groupBy(labels, each => each.label_folded);
  const named = [...labelled.values()].map(all => {
    const ids = new Set(all.map(each => each.id));
    return { name: all[0]?.label ?? '', ...toTally([...ids].flatMap(id => byID.get(id) ?? [])) };
  });
  return {
    total: toTally(cases),
    periods: withoutPrelude(toPeriods(cases, starts)),
    severities: [...bySeverity].map(([name, all]) => ({ name, ...toTally(all) })).sort(byCount),
    labels: named.sort(byCount).slice(0, mostLabels),
    labelCount: named.length,
  };
}

function toPeriods(cases: readonly CountedIncident[], starts: readonly Date[]): Period[] {
  const inPeriod = Map.groupBy(cases, each => starts.findLastIndex(start => start <= each.declared));
  return starts.map((from, index) => {
    const all = inPeriod.get(index) ?? [];
    const severities = Map.groupBy(all, each => each.severity);
    return { from, ...toTally(all), severities: new Map([...severities].map(([name, those]) => [name, those.length])) };
  });
}

/** What was before the first incident is left out, but for the latest few periods, so that there is something to compare. */
function withoutPrelude(periods: readonly Period[]): readonly Period[] {
  const first = periods.findIndex(period => period.count > 0);
  return periods.slice(Math.min(Math.max(0, first), Math.max(0, periods.length - fewestPeriods)));
}

function toTally(cases: readonly CountedIncident[]): ResolutionFigures {
  const durations = cases.flatMap(each => each.seconds ?? []).sort((one, other) => one - other);
  return {
    count: cases.length,
    open: cases.length - durations.length,
    median: toQuantile(durations, 0.5),
    ninth: toQuantile(durations, 0.9),
  };
}

/** The value below which `share` of the sorted values lie, between the two nearest where it is none of them. */
function toQuantile(sorted: readonly number[], share: number): number | undefined {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return undefined;
  return below + (above - below) * (place - Math.floor(place));
}

function byCount(one: ResolutionFigures & { name: string }, other: ResolutionFigures & { name: string }): number {
  return other.count - one.count || (one.name < other.name ? -1 : 1);
}
