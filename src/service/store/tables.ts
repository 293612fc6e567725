import { type Kysely, sql } from 'kysely';
import type { ActivityKind } from '../../contract/activity.ts';
import type { IncidentStatus } from '../../contract/incidents.ts';
import type { taskStatuses } from '../../contract/tasks.ts';
import { bigint, integer, nullable, type TablesOf, table, text } from '../../db/tables.ts';
import { toNormalForm } from '../../normal-form.ts';
import { toStorableText } from './storable-text.ts';

/*
 * The tables of incidents. Times are microseconds since 1970 (time.ts) and flags are 0 or 1. A
 * column that ends in `_folded` holds its neighbour in the form of `fold`, for comparing without regard to case.
 */

/**
 * Name of the lock (`Database.withLock`) that every change of the service takes, so that what it has checked still holds when
 * it writes.
 */
export const serviceLock = 'service';

/** The tables of incidents. */
export const incidentTables = [
  table({
    name: 'incident',
    columns: {
      id: integer({ key: true }),
      room_prefix: text(),
      title: text(),
      title_folded: text(),
      slug: text(),
      /** Canonical label of the severity, as listed in the options at the time. */
      severity: text(),
      severity_level: integer(),
      status: text<IncidentStatus>(),
      is_drill: integer(),
      created_at: bigint(),
      modified_at: bigint(),
      /** Null while open. */
      closed_at: nullable(bigint()),
      started_at: bigint(),
      /** Null until the incident is resolved or its end is set. */
      ended_at: nullable(bigint()),
      created_by: text(),
      version: integer(),
      /** Visible to its people and to Admins alone. */
      is_private: integer({ default: 0 }),
    },
    // Orders of QueryIncidentPreviews (docs/api-rules.md A2, orderField); those that may be null are compared as 0.
    indexes: {
      incident_by_created_at: ['created_at', 'id'],
      incident_by_modified_at: ['modified_at', 'id'],
      incident_by_title_folded: ['title_folded', 'id'],
      incident_by_status: ['status', 'id'],
      incident_by_severity_level: ['severity_level', 'id'],
      incident_by_room_prefix: ['room_prefix', 'id'],
      incident_by_is_drill: ['is_drill', 'id'],
      incident_by_started_at: ['started_at', 'id'],
      incident_by_ended_at: [sql`coalesce(ended_at, 0)`, 'id'],
      incident_by_closed_at: [sql`coalesce(closed_at, 0)`, 'id'],
      // Those of a status from the worst severity and the oldest, and from the newest.
      incident_by_rank: {
        on: ['status', sql`(case when severity_level < 0 then 1000000 else severity_level end)`, 'created_at', 'id'],
        since: '012-incident-counts',
      },
      incident_by_state: { on: ['status', 'created_at', 'id'], since: '012-incident-counts' },
    },
  }),
  /** Labels on incidents, in the order of `position`. */
  table({
    name: 'incident_label',
    columns: {
      incident_id: integer(),
      key: text(),
      key_folded: text(),
      label: text(),
      label_folded: text(),
      position: integer(),
    },
    key: ['incident_id', 'key', 'label'],
    indexes: { incident_label_by_label: ['label_folded', 'incident_id'] },
  }),
  /** What the organisation knows of a label, shared by all incidents that carry it. */
  table({
    name: 'org_label',
    columns: { key: text(), label: text(), description: text(), color_hex: text() },
    key: ['key', 'label'],
  }),
  /** All people the service has heard of. A user id elsewhere may be missing here. */
  table({
    name: 'person',
    columns: {
      user_id: text({ key: true }),
      name: text(),
      photo_url: text(),
      email: text(),
      email_folded: text(),
      slack_user_id: text(),
      slack_team_id: text(),
      modified_at: bigint(),
    },
    indexes: { person_by_email: ['email_folded'] },
  }),
  /** Roles. A deleted one stays for the assignments made before, and is hidden everywhere else. */
  table({
    name: 'role',
    columns: {
      id: integer({ key: true }),
      name: text(),
      name_folded: text(),
      description: text(),
      important: integer(),
      mandatory: integer(),
      archived: integer(),
      deleted: integer(),
      created_at: bigint(),
      updated_at: bigint(),
    },
    indexes: { role_by_name: { on: ['name_folded'], unique: true, where: sql`deleted = 0` } },
  }),
  /** Roles that people hold in incidents, in the order of `position`. */
  table({
    name: 'assignment',
    columns: { incident_id: integer(), user_id: text(), role_id: integer(), position: integer() },
    key: ['incident_id', 'user_id', 'role_id'],
    indexes: {
      assignment_by_role: ['role_id', 'user_id', 'incident_id'],
      assignment_by_user: ['user_id', 'incident_id'],
    },
  }),
  /** Tasks in the order of `position`. Ids are unique within an incident. Empty user ids mean no person. */
  table({
    name: 'task',
    columns: {
      incident_id: integer(),
      id: text(),
      position: integer(),
      text: text(),
      status: text<(typeof taskStatuses)[number]>(),
      author_user_id: text(),
      assigned_user_id: text(),
      created_at: bigint(),
      modified_at: bigint(),
      immutable: integer(),
    },
    key: ['incident_id', 'id'],
  }),
  /** Timeline items. `seq` rises with every item and decides between equal times. */
  table({
    name: 'activity',
    columns: {
      id: text({ key: true }),
      seq: bigint({ unique: true }),
      incident_id: integer(),
      kind: text<ActivityKind>(),
      user_id: text(),
      /** Empty when the item affects no person. */
      subject_user_id: text(),
      created_at: bigint(),
      event_at: bigint(),
      body: text(),
      url: text(),
      /** The URL and caption of a `contextAttached` item, for queries by `context:`; else empty. */
      context_folded: text(),
      /** JSON list of strings. */
      tags: text(),
      immutable: integer(),
      /** JSON object. */
      field_values: text(),
    },
    indexes: {
      activity_by_time: ['incident_id', 'event_at', 'created_at', 'seq'],
      activity_by_context: { on: ['incident_id'], where: sql`context_folded <> ''` },
      activity_by_kind: ['incident_id', 'kind'],
    },
  }),
  /** Numbers that only rise: the last id of each kind, the home screen's version, and the directory's (counters.ts). */
  table({ name: 'counter', columns: { name: text<CounterName>({ key: true }), value: bigint() } }),
] as const;

/** {@link incidentTables}, as Kysely sees them. */
export type Tables = TablesOf<typeof incidentTables>;

/** The counters. */
export type CounterName =
  | 'incident'
  | 'activity'
  | 'task'
  | 'role'
  | 'position'
  | 'homescreen'
  | 'directory'
  | 'dashboard'
  | 'webhook_endpoint'
  | 'webhook_delivery'
  | 'api_token';

/** The database as the service's incident side sees it; inside a call, the call's transaction. */
export type Db = Kysely<Tables>;

/** One row of `incident`. */
export type IncidentRow = Tables['incident'];
/** One row of `activity`. */
export type ActivityRow = Tables['activity'];
/** One row of `role`. */
export type RoleRow = Tables['role'];
/** One row of `task`. */
export type TaskRow = Tables['task'];
/** One row of `person`. */
export type PersonRow = Tables['person'];

/**
 * The form in which texts are compared without regard to case, the same on every database. `Straße` and `STRASSE` fold alike,
 * and so do composed and decomposed accents. Characters that no database can store (NUL, half a surrogate pair) are removed.
 */
export function fold(text: string): string {
  const composed = toNormalForm(toStorableText(text), 'NFC');
  return composed.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
