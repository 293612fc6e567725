import type { Kysely, Selectable } from 'kysely';
import type { ActivityKind } from '../../contract/activity.ts';
import type { IncidentStatus } from '../../contract/incidents.ts';
import type { TaskStatus } from '../../contract/tasks.ts';
import { toStorableText } from './storable-text.ts';

/*
 * The tables of incidents, as 001-incidents.ts makes them. Times are microseconds since 1970 (time.ts) and flags are 0 or 1. A
 * column that ends in `_folded` holds its neighbour in the form of `fold`, for comparing without regard to case.
 */

/**
 * Name of the lock (`Database.withLock`) that every change of the service takes, so that what it has checked still holds when
 * it writes.
 */
export const serviceLock = 'service';

/** 0 or 1. */
export type Flag = number;

/** The tables of incidents. */
export type Tables = {
  incident: {
    id: number;
    room_prefix: string;
    title: string;
    title_folded: string;
    slug: string;
    /** Canonical label of the severity, as listed in the options at the time. */
    severity: string;
    severity_level: number;
    status: IncidentStatus;
    is_drill: Flag;
    /** Visible to its people and to Admins alone. */
    is_private: Flag;
    created_at: number;
    modified_at: number;
    /** Null while open. */
    closed_at: number | null;
    started_at: number;
    /** Null until the incident is resolved or its end is set. */
    ended_at: number | null;
    created_by: string;
    version: number;
  };
  /** Labels on incidents, in the order of `position`. */
  incident_label: {
    incident_id: number;
    key: string;
    key_folded: string;
    label: string;
    label_folded: string;
    position: number;
  };
  /** What the organisation knows of a label, shared by all incidents that carry it. */
  org_label: { key: string; label: string; description: string; color_hex: string };
  /** All people the service has heard of. A user id elsewhere may be missing here. */
  person: {
    user_id: string;
    name: string;
    photo_url: string;
    email: string;
    email_folded: string;
    slack_user_id: string;
    slack_team_id: string;
    modified_at: number;
  };
  /** Roles. A deleted one stays for the assignments made before, and is hidden everywhere else. */
  role: {
    id: number;
    name: string;
    name_folded: string;
    description: string;
    important: Flag;
    mandatory: Flag;
    archived: Flag;
    deleted: Flag;
    created_at: number;
    updated_at: number;
  };
  /** Roles that people hold in incidents, in the order of `position`. */
  assignment: { incident_id: number; user_id: string; role_id: number; position: number };
  /** Tasks in the order of `position`. Ids are unique within an incident. Empty user ids mean no person. */
  task: {
    incident_id: number;
    id: string;
    position: number;
    text: string;
    status: TaskStatus;
    author_user_id: string;
    assigned_user_id: string;
    created_at: number;
    modified_at: number;
    immutable: Flag;
  };
  /** Timeline items. `seq` rises with every item and decides between equal times. */
  activity: {
    id: string;
    seq: number;
    incident_id: number;
    kind: ActivityKind;
    user_id: string;
    /** Empty when the item affects no person. */
    subject_user_id: string;
    created_at: number;
    event_at: number;
    body: string;
    url: string;
    /** The URL and caption of a `contextAttached` item, for queries by `context:`; else empty. */
    context_folded: string;
    /** JSON list of strings. */
    tags: string;
    immutable: Flag;
    /** JSON object. */
    field_values: string;
  };
  /** Numbers that only rise: the last id of each kind, the home screen's version, and the directory's (counters.ts). */
  counter: { name: CounterName; value: number };
};

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
export type IncidentRow = Selectable<Tables['incident']>;
/** One row of `activity`. */
export type ActivityRow = Selectable<Tables['activity']>;
/** One row of `role`. */
export type RoleRow = Selectable<Tables['role']>;
/** One row of `task`. */
export type TaskRow = Selectable<Tables['task']>;
/** One row of `person`. */
export type PersonRow = Selectable<Tables['person']>;

/**
 * The form in which texts are compared without regard to case, the same on every database. `Straße` and `STRASSE` fold alike,
 * and so do composed and decomposed accents. Characters that no database can store (NUL, half a surrogate pair) are removed.
 */
export function fold(text: string): string {
  const composed = toStorableText(text).normalize('NFC');
  return composed.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
