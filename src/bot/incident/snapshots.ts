import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import { Incident, IncidentPreview } from '../../contract/incidents.ts';
import type { Database } from '../../db/database.ts';
import type { BotTables } from '../schema/tables.ts';

/** What both a list and a whole incident tell. */
const IncidentSummary = IncidentPreview.pick({
  incidentID: true,
  title: true,
  summary: true,
  status: true,
  severityLabel: true,
  isDrill: true,
  createdTime: true,
  closedTime: true,
  incidentStart: true,
  incidentEnd: true,
  labels: true,
});
/** What a list tells of an incident. */
export type IncidentSummary = z.output<typeof IncidentSummary>;

const Snapshot = z.object({
  summary: IncidentSummary,
  /** The incident as a whole and when it was seen so; lists since then have changed the glance alone. */
  whole: z.object({ incident: Incident, seenAt: z.number() }).nullable(),
});

/** An incident as it was when the API last showed it. */
export interface Remembered {
  readonly summary: IncidentSummary;
  readonly seenAt: Date;
  /** Also with people and tasks, which may have been seen earlier; undefined when only lists ever showed it. */
  readonly whole: { readonly incident: Incident; readonly seenAt: Date } | undefined;
}

/** Remembers incidents, for when the API cannot be reached. */
export interface Snapshots {
  /** Stores what the API showed, in the background. It never fails; what cannot be stored is logged. */
  see(incident: Incident): void;
  glimpse(previews: readonly IncidentSummary[]): void;
  /** The API knows this incident no more. */
  forget(incidentID: string): void;
  /** Undefined when it was never seen, or not for 90 days. */
  recall(incidentID: string): Promise<Remembered | undefined>;
  /** The newest incidents, newest first. */
  latest(most: number): Promise<readonly Remembered[]>;
  /** Removes some of what was not seen for 90 days; yields how many. */
  purge(now: Date): Promise<number>;
  /** Resolves when everything seen so far is stored. */
  idle(): Promise<void>;
}

/** How long what looks the same is not stored again, in milliseconds. */
const stillFresh = 60_000;
/** Incidents of which this process knows what it stored last. */
const maxKnown = 2000;
/** How long an incident is remembered that is not seen, in milliseconds. */
const snapshots = 90 * 24 * 3_600_000;
/** Rows removed together. */
const purgedTogether = 500;

/** What is to be stored of one incident: `null` when it is to be forgotten. */
type Sighting = { summary: IncidentSummary; incident: Incident | undefined; at: Date } | null;

/** The incidents kept in the bot's database. */
export function createSnapshots(deps: { database: Database; clock: () => Date; log: Logger }): Snapshots {
  const db = deps.database.as<BotTables>();
  const withLock = <T>(work: (trx: Kysely<BotTables>) => Promise<T>) =>
    deps.database.withLock<BotTables, T>('memory', work);
  const known = new Map<string, { digest: string; at: number }>();
  const waiting = new Map<string, Sighting>();
  let storing: Promise<void> | undefined;

  /** Whether the same was stored a moment ago. */
  function isKnown(name: string, shown: unknown, now: Date): boolean {
    const digest = hash('sha1', JSON.stringify(shown), 'base64');
    const before = known.get(name);
    const age = now.getTime() - (before?.at ?? 0);
    if (before?.digest === digest && age >= 0 && age < stillFresh) return true;
    if (known.size >= maxKnown) known.clear();
    known.set(name, { digest, at: now.getTime() });
    return false;
  }

  function store(incidentID: string, sighting: Sighting): void {
    // A list that comes while a whole incident waits to be stored adds what it knows to it.
    const before = waiting.get(incidentID);
    waiting.set(incidentID, sighting && { ...sighting, incident: sighting.incident ?? before?.incident });
    storing ??= storeAll().finally(() => {
      storing = undefined;
    });
  }

  async function storeAll(): Promise<void> {
    while (waiting.size > 0) {
      const sightings = [...waiting];
      waiting.clear();
      try {
        await withLock(async trx => {
          for (const [incidentID, sighting] of sightings) await write(trx, incidentID, sighting);
        });
      } catch (error) {
        known.clear();
        deps.log.warn({ err: error, incidents: sightings.length }, 'what the API showed could not be remembered');
      }
    }
  }

  return {
    see: incident => {
      const now = deps.clock();
      const { incidentID } = incident;
      if (incidentID === '' || isKnown(`whole ${incidentID}`, incident, now)) return;
      const summary = toGlance(incident);
      isKnown(`glance ${incidentID}`, summary, now);
      store(incidentID, { summary, incident, at: now });
    },
    glimpse: previews => {
      const now = deps.clock();
      for (const preview of previews) {
        const summary = IncidentSummary.parse(preview);
        const { incidentID } = summary;
        if (incidentID === '' || isKnown(`glance ${incidentID}`, summary, now)) continue;
        store(incidentID, { summary, incident: undefined, at: now });
      }
    },
    forget: incidentID => {
      known.delete(`whole ${incidentID}`);
      known.delete(`glance ${incidentID}`);
      store(incidentID, null);
    },
    recall: async incidentID => {
      const row = await ofId(db, incidentID);
      return row && toRemembered(row);
    },
    latest: async most => {
      const rows = await db
        .selectFrom('bot_incident')
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('incident_id', 'desc')
        .limit(most)
        .execute();
      return rows.flatMap(row => toRemembered(row) ?? []);
    },
    purge: async now => {
      const before = now.getTime() - snapshots;
      const old = () =>
        db.selectFrom('bot_incident').select('incident_id').where('seen_at', '<', before).limit(purgedTogether);
      const ids = (await old().execute()).map(row => row.incident_id);
      if (ids.length === 0) return 0;
      await withLock(async trx => {
        await trx.deleteFrom('bot_incident').where('incident_id', 'in', ids).where('seen_at', '<', before).execute();
      });
      return ids.length;
    },
    idle: async () => {
      while (storing) await storing;
    },
  };
}

async function write(trx: Kysely<BotTables>, incidentID: string, sighting: Sighting): Promise<void> {
  if (!sighting) {
    await trx.deleteFrom('bot_incident').where('incident_id', '=', incidentID).execute();
    return;
  }
  const { summary, incident } = sighting;
  const seenAt = sighting.at.getTime();
  const whole = incident ? { incident, seenAt } : (parse(await ofId(trx, incidentID))?.whole ?? null);
  const row = {
    snapshot: JSON.stringify({ summary, whole } satisfies z.input<typeof Snapshot>),
    created_at: Date.parse(summary.createdTime) || 0,
    seen_at: seenAt,
  };
  await trx
    .insertInto('bot_incident')
    .values({ incident_id: incidentID, ...row })
    .onConflict(conflict => conflict.column('incident_id').doUpdateSet(row))
    .execute();
}

function ofId(db: Kysely<BotTables>, incidentID: string) {
  return db.selectFrom('bot_incident').selectAll().where('incident_id', '=', incidentID).executeTakeFirst();
}

/** What was stored; undefined when another version of Muster stored something else. */
function parse(row: { snapshot: string } | undefined): z.output<typeof Snapshot> | undefined {
  return row && Snapshot.safeParse(JSON.parse(row.snapshot)).data;
}

function toRemembered(row: { snapshot: string; seen_at: number }): Remembered | undefined {
  const snapshot = parse(row);
  if (!snapshot) return undefined;
  const { summary, whole } = snapshot;
  return {
    summary,
    seenAt: new Date(row.seen_at),
    whole: whole ? { incident: { ...whole.incident, ...fresher(summary) }, seenAt: new Date(whole.seenAt) } : undefined,
  };
}

/** What a list has shown since, in the words of a whole incident. */
function fresher({ severityLabel, ...rest }: IncidentSummary): Partial<Incident> {
  return { ...rest, severity: severityLabel };
}

function toGlance(incident: Incident): IncidentSummary {
  return IncidentSummary.parse({ ...incident, severityLabel: incident.severity });
}
