import pino from 'pino';
import type { ActivityKind } from '../../../src/contract/activity.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { Context } from '../../../src/service/call/context.ts';
import { defaultOptions } from '../../../src/service/call/options.ts';
import { nothingKnown } from '../../../src/service/store/known.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { type Db, fold, type Tables } from '../../../src/service/store/tables.ts';
import { makeDatabase } from '../databases/fresh.ts';

/** An incident as a test wants it; times in microseconds since 1970. */
export interface Sketch {
  title?: string;
  roomPrefix?: string;
  status?: 'active' | 'resolved';
  severity?: string;
  isDrill?: boolean;
  createdBy?: string;
  createdAt?: number;
  modifiedAt?: number;
  startedAt?: number;
  closedAt?: number | null;
  endedAt?: number | null;
  labels?: readonly { key: string; label: string }[];
  assignments?: readonly { userID: string; role: string }[];
  contexts?: readonly { url: string; caption: string }[];
}

/** A timeline item as a test wants it. */
export interface ItemSketch {
  incidentID: number;
  kind?: ActivityKind;
  body?: string;
  createdAt?: number;
  eventAt?: number;
  tags?: readonly string[];
}

/** Midnight of 2026-01-01 in microseconds. */
export const newYear = Date.UTC(2026, 0, 1) * 1000;
/** An hour in microseconds. */
export const hour = 3_600_000_000;

/** People the organisation knows: one by email, one without. */
export const people = [
  { userID: 'grafana-incident:ada', name: 'Ada', email: 'Ada@Example.com' },
  { userID: 'grafana-incident:Bo', name: 'Bo', email: '' },
];
/** Roles by number, from 1. */
export const roles = ['commander', 'investigator', 'observer'];

/** An empty database with the service's tables, and ways to fill it. */
export async function openWorld() {
  const fresh = await makeDatabase();
  const database = await openDatabase(fresh.url);
  await migrate(database, 'service', serviceMigrations, new Date(0));
  const db = database.as<Tables>();
  await addPeopleAndRoles(db);
  const context: Context = {
    db,
    // Each list is asked for by a call of its own.
    get known() {
      return nothingKnown();
    },
    now: new Date((newYear + 24 * hour) / 1000),
    caller: { userID: 'grafana-incident:ada', name: 'Ada', photoURL: '', role: 'Viewer' },
    incidentType: undefined,
    pluginID: 'grafana-irm-app',
    options: defaultOptions,
    log: pino({ level: 'silent' }),
    announce: () => {},
  };
  let incidents = 0;
  let items = 0;
  return {
    context,
    /** Adds incidents; their ids go on counting from 1. */
    async add(...sketches: Sketch[]): Promise<void> {
      await db.transaction().execute(async trx => {
        for (const sketch of sketches) await addIncident(trx, ++incidents, sketch);
      });
    },
    /** Adds timeline items; their ids go on counting from 1, and from 1000001 for those of attached contexts. */
    async addItems(...sketches: ItemSketch[]): Promise<void> {
      await db.transaction().execute(async trx => {
        for (const sketch of sketches) await trx.insertInto('activity').values(toItem(++items, sketch)).execute();
      });
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await fresh[Symbol.asyncDispose]();
    },
  };
}

/** What {@link openWorld} gives. */
export type World = Awaited<ReturnType<typeof openWorld>>;

async function addPeopleAndRoles(db: Db): Promise<void> {
  const rest = { photo_url: '', slack_user_id: '', slack_team_id: '', modified_at: 0 };
  await db
    .insertInto('person')
    .values(
      people.map(({ userID, name, email }) => ({ user_id: userID, name, email, email_folded: fold(email), ...rest })),
    )
    .execute();
  await db
    .insertInto('role')
    .values(
      roles.map((name, index) => ({
        id: index + 1,
        name,
        name_folded: fold(name),
        description: '',
        important: name === 'observer' ? 0 : 1,
        mandatory: name === 'observer' ? 0 : 1,
        archived: 0,
        deleted: 0,
        created_at: 0,
        updated_at: 0,
      })),
    )
    .execute();
}

async function addIncident(db: Db, id: number, sketch: Sketch): Promise<void> {
  const title = sketch.title ?? `Incident ${id}`;
  const severity = sketch.severity ?? 'pending';
  const createdAt = sketch.createdAt ?? newYear + id * hour;
  await db
    .insertInto('incident')
    .values({
      id,
      room_prefix: sketch.roomPrefix ?? '',
      title,
      title_folded: fold(title),
      slug: 'incident',
      severity,
      severity_level: defaultOptions.severities.find(each => each.label === severity)?.level ?? 0,
      status: sketch.status ?? 'active',
      is_drill: sketch.isDrill ? 1 : 0,
      is_private: 0,
      created_at: createdAt,
      modified_at: sketch.modifiedAt ?? createdAt,
      closed_at: sketch.closedAt ?? null,
      started_at: sketch.startedAt ?? createdAt,
      ended_at: sketch.endedAt ?? null,
      created_by: sketch.createdBy ?? 'grafana-incident:ada',
      version: 1,
    })
    .execute();
  for (const [position, { key, label }] of (sketch.labels ?? []).entries()) {
    const row = { incident_id: id, key, key_folded: fold(key), label, label_folded: fold(label), position };
    await db
      .insertInto('incident_label')
      .values(row)
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
  for (const [position, { userID, role }] of (sketch.assignments ?? []).entries()) {
    await db
      .insertInto('assignment')
      .values({ incident_id: id, user_id: userID, role_id: roles.indexOf(role) + 1, position })
      .onConflict(conflict => conflict.doNothing())
      .execute();
  }
  for (const [index, { url, caption }] of (sketch.contexts ?? []).entries()) {
    const item = toItem(1_000_000 + id * 10 + index, { incidentID: id, kind: 'contextAttached', body: caption });
    await db
      .insertInto('activity')
      .values({ ...item, url, context_folded: fold(`${url}\n${caption}`) })
      .execute();
  }
}

function toItem(seq: number, sketch: ItemSketch): Tables['activity'] {
  const createdAt = sketch.createdAt ?? newYear + seq * 1_000_000;
  return {
    id: `activity-item-${seq}`,
    seq,
    incident_id: sketch.incidentID,
    kind: sketch.kind ?? 'userNote',
    user_id: 'grafana-incident:ada',
    subject_user_id: '',
    created_at: createdAt,
    event_at: sketch.eventAt ?? createdAt,
    body: sketch.body ?? '',
    url: '',
    context_folded: '',
    tags: JSON.stringify(sketch.tags ?? []),
    immutable: 0,
    field_values: '{}',
  };
}
