import { setImmediate } from 'node:timers/promises';
import { tz } from '@date-fns/tz';
import { addMonths } from 'date-fns/addMonths';
import { addWeeks } from 'date-fns/addWeeks';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMonth } from 'date-fns/startOfMonth';
import type { Expression, SqlBool } from 'kysely';
import type { Context } from '../call/context.ts';
import type { ServiceOptions } from '../call/options.ts';
import { isVisibleTo } from '../incidents/visibility.ts';
import { fold } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { byRank } from './marks.ts';

/** The period of figures. */
export type Step = 'week' | 'month';

/** How many weeks or months figures go back, the present one included. */
export const reach: Readonly<Record<Step, number>> = { week: 26, month: 24 };

/** The fewest periods on a page. */
const fewestPeriods = 8;

/** The fewest resolved incidents of which nine tenths say more than the longest. */
const fewestForNinth = 5;

/** The most labels in figures. */
const mostLabels = 15;

/** An incident as far as figures need it. */
export interface CountedIncident {
  readonly id: number;
  /** The worst that it ever had. */
  readonly severity: string;
  readonly declared: Date;
  /** Seconds from start to end; undefined while the incident is open. */
  readonly seconds: number | undefined;
}

/** The number of incidents, of open ones, and how long the resolved ones took. */
export interface ResolutionFigures {
  readonly count: number;
  readonly open: number;
  /** Seconds in which half of the resolved ones were resolved; undefined when there is none. */
  readonly median: number | undefined;
  /** Seconds in which nine tenths were resolved; undefined for fewer than {@link fewestForNinth}. */
  readonly ninth: number | undefined;
}

/** A week or month with the incidents declared in it. */
interface Period extends ResolutionFigures {
  readonly from: Date;
  /** Severity → number of incidents. */
  readonly severities: ReadonlyMap<string, number>;
}

/** Figures of the incidents declared since `from`, without drills. */
export interface Figures {
  readonly step: Step;
  readonly from: Date;
  readonly total: ResolutionFigures;
  readonly periods: readonly Period[];
  /** From the most frequent. */
  readonly severities: readonly (ResolutionFigures & { readonly name: string })[];
  /** From the most frequent, at most {@link mostLabels}. */
  readonly labels: readonly (ResolutionFigures & { readonly name: string; readonly key: string })[];
  readonly labelCount: number;
}

const utc = { in: tz('UTC') };

/** The beginnings of the periods; the last period contains `now`. */
export function listPeriods(step: Step, now: Date): Date[] {
  const last = step === 'week' ? startOfISOWeek(now, utc) : startOfMonth(now, utc);
  const back = (count: number) => (step === 'week' ? addWeeks(last, -count, utc) : addMonths(last, -count, utc));
  return Array.from({ length: reach[step] }, (_, index) => new Date(back(reach[step] - 1 - index).getTime()));
}

/** Reads the figures of all incidents that the caller sees, that meet the conditions and are no drills. */
export async function readFigures(
  { db, now, caller, options }: Context,
  step: Step,
  ...conditions: readonly Expression<SqlBool>[]
): Promise<Figures> {
  const starts = listPeriods(step, now);
  const from = starts[0] ?? now;
  const since = toMicros(from);
  const chosen = db
    .selectFrom('incident')
    .where('incident.is_drill', '=', 0)
    .where('incident.created_at', '>=', since)
    .where(isVisibleTo(caller))
    .where(({ and }) => and([...conditions]));
  const rows = await chosen.select(['id', 'severity', 'status', 'created_at', 'started_at', 'ended_at']).execute();
  const labels = await chosen
    .innerJoin('incident_label', 'incident_label.incident_id', 'incident.id')
    .select(['incident.id', 'incident_label.key', 'incident_label.label', 'incident_label.label_folded'])
    .execute();
  const worst = await findWorst(db, rows, options);
  const cases = rows.map(row => {
    const ended = row.status === 'resolved' ? row.ended_at : null;
    const seconds = ended === null ? undefined : Math.max(0, (ended - row.started_at) / 1_000_000);
    return { id: row.id, severity: worst(row), declared: new Date(row.created_at / 1000), seconds };
  });
  return { step, from, ...toFigures(cases, labels, starts) };
}

/** The worst severity that each of the incidents ever had: the present one, unless a change tells of a worse one. */
export async function findWorst(
  db: Context['db'],
  incidents: readonly { readonly id: number }[],
  options: Pick<ServiceOptions, 'severities'>,
): Promise<(incident: { readonly id: number; readonly severity: string }) => string> {
  const before = new Map<number, string[]>();
  for (let at = 0; at < incidents.length; at += maxAtOnce) {
    const ids = incidents.slice(at, at + maxAtOnce).map(each => each.id);
    const changes = await db
      .selectFrom('activity')
      .select(['incident_id', 'field_values'])
      .where('incident_id', 'in', ids)
      .where('kind', '=', 'incidentSeverityChanged')
      .execute();
    for (const { incident_id, field_values } of changes) {
      const { previousSeverity }: { previousSeverity?: unknown } = JSON.parse(field_values);
      if (typeof previousSeverity !== 'string') continue;
      before.set(incident_id, [...(before.get(incident_id) ?? []), previousSeverity]);
    }
    // Others get their turn; SQLite answers at once.
    await setImmediate();
  }
  const order = byRank(options);
  return ({ id, severity }) => [severity, ...(before.get(id) ?? [])].sort(order)[0] ?? severity;
}

/** The most incidents of one statement, which holds 32,766 values at most (SQLite). */
const maxAtOnce = 1000;

/** Counts incidents by period, severity and label. Pure: `starts` are the beginnings of the periods. */
export function toFigures(
  cases: readonly CountedIncident[],
  labels: readonly {
    readonly id: number;
    readonly key: string;
    readonly label: string;
    readonly label_folded: string;
  }[],
  starts: readonly Date[],
): Omit<Figures, 'step' | 'from'> {
  const byID = new Map(cases.map(each => [each.id, each]));
  const bySeverity = Map.groupBy(cases, each => each.severity);
  const labelled = Map.groupBy(labels, each => JSON.stringify([fold(each.key), each.label_folded]));
  const named = [...labelled.values()].map(all => {
    const ids = new Set(all.map(each => each.id));
    return {
      name: all[0]?.label ?? '',
      key: all[0]?.key ?? '',
      ...summarize([...ids].flatMap(id => byID.get(id) ?? [])),
    };
  });
  return {
    total: summarize(cases),
    periods: withoutPrelude(toPeriods(cases, starts)),
    severities: [...bySeverity].map(([name, all]) => ({ name, ...summarize(all) })).sort(byCount),
    labels: named.sort(byCount).slice(0, mostLabels),
    labelCount: named.length,
  };
}

function toPeriods(cases: readonly CountedIncident[], starts: readonly Date[]): Period[] {
  const inPeriod = Map.groupBy(cases, each => starts.findLastIndex(start => start <= each.declared));
  return starts.map((from, index) => {
    const all = inPeriod.get(index) ?? [];
    const severities = Map.groupBy(all, each => each.severity);
    return {
      from,
      ...summarize(all),
      severities: new Map([...severities].map(([name, those]) => [name, those.length])),
    };
  });
}

/** Leaves out the periods before the first incident, but keeps the latest few for comparison. */
function withoutPrelude(periods: readonly Period[]): readonly Period[] {
  const first = periods.findIndex(period => period.count > 0);
  return periods.slice(Math.min(Math.max(0, first), Math.max(0, periods.length - fewestPeriods)));
}

function summarize(cases: readonly CountedIncident[]): ResolutionFigures {
  const durations = cases.flatMap(each => each.seconds ?? []).sort((one, other) => one - other);
  return {
    count: cases.length,
    open: cases.length - durations.length,
    median: toQuantile(durations, 0.5),
    ninth: durations.length < fewestForNinth ? undefined : toQuantile(durations, 0.9),
  };
}

/** The value, interpolated between the two nearest, below which `share` of the sorted values lie. */
export function toQuantile(sorted: readonly number[], share: number): number | undefined {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return undefined;
  return below + (above - below) * (place - Math.floor(place));
}

function byCount(one: ResolutionFigures & { name: string }, other: ResolutionFigures & { name: string }): number {
  return other.count - one.count || (one.name < other.name ? -1 : 1);
}
