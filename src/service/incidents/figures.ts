import { tz } from '@date-fns/tz';
import { addMonths } from 'date-fns/addMonths';
import { addWeeks } from 'date-fns/addWeeks';
import { startOfISOWeek } from 'date-fns/startOfISOWeek';
import { startOfMonth } from 'date-fns/startOfMonth';
import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { IncidentLabel } from '../../contract/labels.ts';
import type { Context } from '../call/context.ts';
import type { ServiceOptions } from '../call/options.ts';
import { toRank } from '../query/typed-where.ts';
import { findLabels } from '../store/incident-labels.ts';
import { fold, type Tables } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { readInPieces } from './in-pieces.ts';

/** The period of figures. */
export type Step = 'week' | 'month';

/** How many weeks or months figures go back, the present one included. */
export const reach: Readonly<Record<Step, number>> = { week: 26, month: 24 };

/** The fewest periods on a page. */
const fewestPeriods = 8;

/** The fewest resolved incidents for a 90th percentile to mean something. */
const fewestForNinth = 5;

const mostLabels = 15;

/** An incident as far as figures need it. */
interface CountedIncident {
  /** The worst that it ever had. */
  readonly severity: string;
  readonly declared: Date;
  /** Seconds from start to end; undefined while the incident is open. */
  readonly seconds: number | undefined;
  readonly labels: readonly Pick<IncidentLabel, 'key' | 'label'>[];
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
  /** How many incidents the condition has of each status and worst severity, by its filters alone. */
  readonly tallies: readonly { readonly status: string; readonly severity: string; readonly count: number }[];
}

const utc = { in: tz('UTC') };

/** The beginnings of the periods; the last period contains `now`. */
export function listPeriods(step: Step, now: Date): Date[] {
  const last = step === 'week' ? startOfISOWeek(now, utc) : startOfMonth(now, utc);
  const back = (count: number) => (step === 'week' ? addWeeks(last, -count, utc) : addMonths(last, -count, utc));
  return Array.from({ length: reach[step] }, (_, index) => new Date(back(reach[step] - 1 - index).getTime()));
}

const incident = expressionBuilder<Tables, 'incident'>();

/** Which incidents are counted of those that meet a condition; `""` for all. */
export interface Chosen {
  readonly status: string;
  /** The worst that they ever had, in any case. */
  readonly severity: string;
}

/** Counts the incidents that the caller sees, that meet the condition and are no drills. It never holds up others for long. */
export async function readFigures(
  context: Context,
  step: Step,
  condition: Expression<SqlBool>,
  chosen: Chosen,
): Promise<Figures> {
  const { db, now, options } = context;
  const starts = listPeriods(step, now);
  const from = starts[0] ?? now;
  const where = incident.and([
    condition,
    incident('incident.is_drill', '=', 0),
    incident('incident.created_at', '>=', toMicros(from)),
  ]);
  const counter = createCounter(starts);
  const tallies = new Map<string, { status: string; severity: string; count: number }>();
  for await (const rows of readInPieces(context, where)) {
    const ids = rows.map(each => each.id);
    const labels = await findLabels(db, ids);
    const worst = await findWorst(db, rows, options);
    for (const row of rows) {
      const { status, ended_at, started_at } = row;
      const severity = worst(row);
      const tally = tallies.getOrInsert(`${status} ${severity}`, { status, severity, count: 0 });
      tally.count += 1;
      if (chosen.status !== '' && chosen.status !== status) continue;
      if (chosen.severity !== '' && fold(chosen.severity) !== fold(severity)) continue;
      const isOver = status === 'resolved' && ended_at !== null;
      counter.add({
        severity,
        declared: new Date(row.created_at / 1000),
        seconds: isOver ? Math.max(0, (ended_at - started_at) / 1_000_000) : undefined,
        labels: labels.get(row.id) ?? [],
      });
    }
  }
  return { step, from, tallies: [...tallies.values()], ...counter.figures() };
}

/** The worst severity that each of the incidents ever had: the present one, unless a change tells of a worse one. */
export async function findWorst(
  db: Context['db'],
  incidents: readonly { readonly id: number }[],
  { severities }: ServiceOptions,
): Promise<(incident: { readonly id: number; readonly severity: string }) => string> {
  const ids = incidents.map(each => each.id);
  const changes = await db
    .selectFrom('activity')
    .select(['incident_id', 'field_values'])
    .where('incident_id', 'in', [0, ...ids])
    .where('kind', '=', 'incidentSeverityChanged')
    .execute();
  const before = Map.groupBy(changes, each => each.incident_id);
  const rankOf = (label: string) => toRank(severities.find(each => fold(each.label) === fold(label))?.level ?? -1);
  return ({ id, severity }) => {
    const had = (before.get(id) ?? []).map(each => JSON.parse(each.field_values).previousSeverity);
    return [severity, ...had]
      .filter(each => typeof each === 'string')
      .reduce((worst, each) => (rankOf(each) < rankOf(worst) ? each : worst), severity);
  };
}

/** Incidents that are counted together. */
class Group {
  #count = 0;
  readonly #seconds: number[] = [];

  add({ seconds }: CountedIncident): void {
    this.#count += 1;
    if (seconds !== undefined) this.#seconds.push(seconds);
  }

  sum(): ResolutionFigures {
    const sorted = Float64Array.from(this.#seconds).sort();
    return {
      count: this.#count,
      open: this.#count - sorted.length,
      median: toQuantile(sorted, 0.5),
      ninth: sorted.length < fewestForNinth ? undefined : toQuantile(sorted, 0.9),
    };
  }
}

/** Counts incidents by period, severity and label. `starts` are the beginnings of the periods. */
export function createCounter(starts: readonly Date[]): {
  add(incident: CountedIncident): void;
  figures(): Omit<Figures, 'step' | 'from' | 'tallies'>;
} {
  const total = new Group();
  const periods = starts.map(from => ({ from, all: new Group(), severities: new Map<string, number>() }));
  const severities = new Map<string, { name: string; all: Group }>();
  const labels = new Map<string, { name: string; key: string; all: Group }>();
  return {
    add(counted) {
      const { severity, declared } = counted;
      const period = periods.findLast(each => each.from <= declared);
      period?.severities.set(severity, (period.severities.get(severity) ?? 0) + 1);
      const bySeverity = severities.getOrInsertComputed(severity, name => ({ name, all: new Group() }));
      const named = new Map(counted.labels.map(each => [JSON.stringify([fold(each.key), fold(each.label)]), each]));
      const byLabel = [...named].map(([id, { key, label: name }]) =>
        labels.getOrInsertComputed(id, () => ({ name, key, all: new Group() })),
      );
      for (const { all } of [{ all: total }, ...(period ? [period] : []), bySeverity, ...byLabel]) all.add(counted);
    },
    figures: () => ({
      total: total.sum(),
      periods: withoutPrelude(periods.map(({ from, all, severities }) => ({ from, severities, ...all.sum() }))),
      severities: [...severities.values()].map(toRow).sort(byCount),
      labels: [...labels.values()].map(toRow).sort(byCount).slice(0, mostLabels),
      labelCount: labels.size,
    }),
  };
}

function toRow<R extends { readonly all: Group }>({ all, ...row }: R): Omit<R, 'all'> & ResolutionFigures {
  return { ...row, ...all.sum() };
}

/** Leaves out the periods before the first incident, but keeps the latest few for comparison. */
function withoutPrelude(periods: readonly Period[]): readonly Period[] {
  const first = periods.findIndex(period => period.count > 0);
  return periods.slice(Math.min(Math.max(0, first), Math.max(0, periods.length - fewestPeriods)));
}

/** The value, interpolated between the two nearest, below which `share` of the sorted values lie. */
export function toQuantile(sorted: ArrayLike<number>, share: number): number | undefined {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return undefined;
  return below + (above - below) * (place - Math.floor(place));
}

function byCount(one: ResolutionFigures & { name: string }, other: ResolutionFigures & { name: string }): number {
  return other.count - one.count || (one.name < other.name ? -1 : 1);
}
