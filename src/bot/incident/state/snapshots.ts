import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { RpcError } from '../../../contract/errors.ts';
import { Incident, IncidentPreview } from '../../../contract/incidents.ts';
import type { Database } from '../../../db/database.ts';
import { definePreparedChange } from '../../../db/prepared.ts';
import { keepFor } from '../../keep-for.ts';
import type { BotTables } from '../../schema/tables.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration } from '../../text/times.ts';

/** The fields that a list and a whole incident share. */
const IncidentSummary = IncidentPreview.pick({
  incidentID: true,
  title: true,
  summary: true,
  status: true,
  incidentType: true,
  severityLabel: true,
  isDrill: true,
  createdTime: true,
  closedTime: true,
  incidentStart: true,
  incidentEnd: true,
  labels: true,
});
export type IncidentSummary = z.output<typeof IncidentSummary>;

const StoredSnapshot = z.object({
  summary: IncidentSummary,
  /** The whole incident and when it was seen, in epoch milliseconds; later lists have changed the summary alone. */
  whole: z.object({ incident: Incident, seenAt: z.number() }).nullable(),
});

/** An incident as the API last showed it. */
export interface Snapshot {
  readonly summary: IncidentSummary;
  readonly seenAt: Date;
  /** The whole incident, with people and tasks. It may be older than `summary`. Undefined when only lists have shown the incident. */
  readonly whole: { readonly incident: Incident; readonly seenAt: Date } | undefined;
}

/** How long an unchanged incident is not stored again, in milliseconds. */
const freshFor = 60_000;
/** How long a type, or an answer, is taken for what it was, in milliseconds. */
const aMoment = 5000;
/** Digests of stored incidents that this process keeps. */
const maxKnown = 2000;
/** Rows deleted together. */
const purgedTogether = 500;

/** A write of one incident: `null` deletes it. */
type Write = { summary: IncidentSummary; incident: Incident | undefined; at: Date } | null;

interface SnapshotDeps {
  readonly database: Database;
  readonly clock: () => Date;
  /** The API is a Grafana, whose incidents others change, and which Muster hears of later than after a moment. */
  readonly isElsewhere?: boolean;
  readonly log: Logger;
}

/** Keeps the last known state of incidents, for when the API cannot be reached. */
export type Snapshots = Pick<DatabaseSnapshots, keyof DatabaseSnapshots>;

/** The snapshots in the bot's database. */
export class DatabaseSnapshots {
  readonly #deps: SnapshotDeps;
  readonly #db: Kysely<BotTables>;
  readonly #known = new Map<string, { digest: string; at: number }>();
  readonly #pending = new Map<string, Write>();
  readonly #types = new Map<string, { type: string; at: number }>();
  readonly #answers = new Map<string, { incident: Incident; at: number }>();
  #storing: Promise<void> | undefined;

  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
    this.#db = deps.database.as<BotTables>();
  }

  /** Stores an incident in the background. It never fails; a failure to store is logged. */
  record(incident: Incident): void {
    const now = this.#deps.clock();
    const { incidentID, incidentType: type } = incident;
    if (this.#types.size >= maxKnown) this.#types.clear();
    if (this.#deps.isElsewhere) this.#types.set(incidentID, { type, at: now.getTime() });
    const digest = digestOf(incident);
    if (incidentID === '' || this.#isKnown(`whole ${incidentID}`, digest, now)) return;
    const summary = IncidentSummary.parse({ ...incident, severityLabel: incident.severity });
    this.#remember(`whole ${incidentID}`, digest, now);
    this.#remember(`summary ${incidentID}`, digestOf(summary), now);
    this.#enqueue(incidentID, { summary, incident, at: now });
  }

  /** The type of an incident of a Grafana as it was shown a moment ago: who may see it is asked several times for each change. */
  typeOf(incidentID: string): string | undefined {
    const { type, at = 0 } = this.#types.get(incidentID) ?? {};
    return this.#deps.clock().getTime() - at < aMoment ? type : undefined;
  }

  /** A call changed an incident, or may have: `answered` is the incident that it answered with, whole. */
  changed(incidentID: string, incident: Incident | undefined): void {
    this.#answers.delete(incidentID);
    if (!incident || !this.#deps.isElsewhere) return;
    if (this.#answers.size >= maxKnown) this.#answers.clear();
    this.#answers.set(incidentID, { incident, at: this.#deps.clock().getTime() });
  }

  /** Takes the answer of the last change of a Grafana's incident, so that it need not be read again; undefined after a moment. */
  takeAnswer(incidentID: string): Incident | undefined {
    const { incident, at = 0 } = this.#answers.get(incidentID) ?? {};
    this.#answers.delete(incidentID);
    return this.#deps.clock().getTime() - at < aMoment ? incident : undefined;
  }

  /** Stores the incidents of a list in the background. It never fails; a failure to store is logged. */
  recordSummaries(previews: readonly IncidentSummary[]): void {
    const now = this.#deps.clock();
    for (const preview of previews) {
      const summary = IncidentSummary.parse(preview);
      const { incidentID } = summary;
      const digest = digestOf(summary);
      if (incidentID === '' || this.#isKnown(`summary ${incidentID}`, digest, now)) continue;
      this.#remember(`summary ${incidentID}`, digest, now);
      this.#enqueue(incidentID, { summary, incident: undefined, at: now });
    }
  }

  /** Deletes an incident that the API does not have any more. */
  delete(incidentID: string): void {
    this.#types.delete(incidentID);
    this.#known.delete(`whole ${incidentID}`);
    this.#known.delete(`summary ${incidentID}`);
    this.#enqueue(incidentID, null);
  }

  /** Undefined when the API has not shown it for 90 days. */
  async get(incidentID: string): Promise<Snapshot | undefined> {
    const row = await ofId(this.#db, incidentID);
    return row && toSnapshot(row);
  }

  /** The newest incidents, newest first. */
  async latest(most: number): Promise<readonly Snapshot[]> {
    const rows = await this.#db
      .selectFrom('bot_incident')
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('incident_id', 'desc')
      .limit(most)
      .execute();
    return rows.flatMap(row => toSnapshot(row) ?? []);
  }

  /** Deletes some of the snapshots older than 90 days; returns how many. */
  async purge(now: Date): Promise<number> {
    const before = now.getTime() - keepFor.snapshots;
    const old = this.#db.selectFrom('bot_incident').select('incident_id').where('seen_at', '<', before);
    const ids = (await old.limit(purgedTogether).execute()).map(row => row.incident_id);
    if (ids.length === 0) return 0;
    await this.#withLock(async trx => {
      await trx.deleteFrom('bot_incident').where('incident_id', 'in', ids).where('seen_at', '<', before).execute();
    });
    return ids.length;
  }

  /** Resolves when everything seen so far is stored. */
  async idle(): Promise<void> {
    while (this.#storing) await this.#storing;
  }

  #withLock<T>(work: (trx: Kysely<BotTables>) => Promise<T>): Promise<T> {
    return this.#deps.database.withLock<BotTables, T>('snapshots', work);
  }

  /** Whether the same content was stored a moment ago. */
  #isKnown(name: string, digest: string, now: Date): boolean {
    const before = this.#known.get(name);
    const age = now.getTime() - (before?.at ?? 0);
    return before?.digest === digest && age >= 0 && age < freshFor;
  }

  #remember(name: string, digest: string, now: Date): void {
    if (this.#known.size >= maxKnown) this.#known.clear();
    this.#known.set(name, { digest, at: now.getTime() });
  }

  #enqueue(incidentID: string, write: Write): void {
    // A list that comes while a whole incident is pending adds its fields to it.
    const before = this.#pending.get(incidentID);
    this.#pending.set(incidentID, write && { ...write, incident: write.incident ?? before?.incident });
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
    });
  }

  async #storeAll(): Promise<void> {
    while (this.#pending.size > 0) {
      const writes = [...this.#pending];
      this.#pending.clear();
      try {
        await this.#withLock(async trx => {
          for (const [incidentID, write] of writes) await store(trx, incidentID, write);
        });
      } catch (error) {
        this.#known.clear();
        this.#deps.log.warn({ err: error, incidents: writes.length }, 'snapshots: could not store');
      }
    }
  }
}

function digestOf(shown: unknown): string {
  return hash('sha1', JSON.stringify(shown), 'base64');
}

async function store(trx: Kysely<BotTables>, incidentID: string, write: Write): Promise<void> {
  if (!write) {
    await trx.deleteFrom('bot_incident').where('incident_id', '=', incidentID).execute();
    return;
  }
  const { summary, incident } = write;
  const seenAt = write.at.getTime();
  const whole = incident ? { incident, seenAt } : (parse(await ofId(trx, incidentID))?.whole ?? null);
  const row = {
    snapshot: JSON.stringify({ summary, whole } satisfies z.input<typeof StoredSnapshot>),
    created_at: Date.parse(summary.createdTime) || 0,
    seen_at: seenAt,
  };
  await keepSnapshot(trx, { incident_id: incidentID, ...row });
}

const keepSnapshot = definePreparedChange<BotTables, BotTables['bot_incident']>((db, { incident_id, ...row }) =>
  db
    .insertInto('bot_incident')
    .values({ incident_id, ...row })
    .onConflict(conflict => conflict.column('incident_id').doUpdateSet(row)),
);

function ofId(db: Kysely<BotTables>, incidentID: string) {
  return db.selectFrom('bot_incident').selectAll().where('incident_id', '=', incidentID).executeTakeFirst();
}

/** A stored snapshot; undefined when another version of Muster stored another shape. */
function parse(row: { snapshot: string } | undefined): z.output<typeof StoredSnapshot> | undefined {
  return row && StoredSnapshot.safeParse(JSON.parse(row.snapshot)).data;
}

function toSnapshot(row: { snapshot: string; seen_at: number }): Snapshot | undefined {
  const snapshot = parse(row);
  if (!snapshot) return undefined;
  const { summary, whole } = snapshot;
  const { severityLabel, ...fields } = summary;
  return {
    summary,
    seenAt: new Date(row.seen_at),
    // A newer summary has other names for some fields of a whole incident.
    whole: whole
      ? { incident: { ...whole.incident, ...fields, severity: severityLabel }, seenAt: new Date(whole.seenAt) }
      : undefined,
  };
}

/** Parts of a snapshot whose ages differ by less, in seconds, count as equally old. */
export const sameAge = 60;

/** Why the API, by its name, gave no answer, as a sentence. */
export function whyAway(error: RpcError, api: string): string {
  switch (error.code) {
    case 'deadline_exceeded':
      return `${api} took too long to answer.`;
    case 'resource_exhausted':
      return `${api} is receiving too many requests.`;
    case 'internal':
      return `${api} failed.`;
    case 'invalid_response':
      return `${api} sent a response Muster could not read (a wrong address, or a proxy page?).`;
    default:
      return error.isDoubtful ? `${api} failed.` : `${api} cannot be reached.`;
  }
}

/** The notice above a snapshot: why, and how old it is. */
export function agedNotice(error: RpcError, seenAt: Date, now: Date, api: string): string {
  return `${signs.warning} ${whyAway(error, api)} This is how it was ${ago(seenAt, now)}.`;
}

/** The notice above several snapshots, with the age of the oldest and of the newest. */
export function agedListNotice(error: RpcError, seen: readonly Snapshot[], now: Date, api: string): string {
  const oldest = new Date(Math.min(...seen.map(each => each.seenAt.getTime())));
  const newest = new Date(Math.max(...seen.map(each => each.seenAt.getTime())));
  const isOneAge = newest.getTime() - oldest.getTime() < sameAge * 1000;
  if (isOneAge) return agedNotice(error, newest, now, api);
  return `${signs.warning} ${whyAway(error, api)} This is how it was between ${age(oldest, now)} and ${ago(newest, now)}.`;
}

function age(seenAt: Date, now: Date): string {
  return formatDuration((now.getTime() - seenAt.getTime()) / 1000);
}

/** How long before `now` that was: `12 min ago`. */
export function ago(seenAt: Date, now: Date): string {
  return `${age(seenAt, now)} ago`;
}
