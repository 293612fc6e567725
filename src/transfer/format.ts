import { z } from 'zod';
import { activityKinds } from '../contract/activity.ts';
import { maxDashboardUid } from '../contract/dashboards.ts';
import { incidentStatuses } from '../contract/incidents.ts';
import { taskStatuses } from '../contract/tasks.ts';
import { uidPattern } from '../service/dashboards/uid.ts';
import { parseTime } from '../service/store/time.ts';

/*
 * The export format, version 1. This file is its one description: a folder with
 *
 *   manifest.json          `ExportManifest`; written last, so that a folder without it is no export
 *   incidents/<id>.json    `IncidentFile`, one per incident, its timeline and tasks included
 *   dashboards/<uid>.json  `DashboardFile`, one per dashboard, its versions included
 *   roles.json             list of `RoleRecord`
 *   users.json             list of `UserRecord`: all people who are known or whom the other files name
 *   folders.json           list of `FolderRecord`: the folders of dashboards
 *
 * Times are RFC 3339 in UTC with up to six digits of fraction, `""` where there is none. People are named by user id
 * everywhere else; `""` is no person. Tokens, webhooks and their secrets, and short links are no part of an export.
 */

/** Raised when an older Muster could misread an export. */
export const formatVersion = 1;

const time = z.string().refine(text => parseTime(text) !== undefined, 'must be a time like 2026-01-31T14:05:00Z');
const timeOrNone = z.union([z.literal(''), time]);
const whole = z.int().min(0);
const free = z.record(z.string(), z.unknown());
const uid = z.string().min(1).max(maxDashboardUid).regex(uidPattern);

const areDifferent = (ids: readonly string[]) => new Set(ids).size === ids.length;

/** A person. */
export const UserRecord = z.object({
  userID: z.string().min(1),
  name: z.string(),
  photoURL: z.string(),
  email: z.string(),
  slackUserID: z.string(),
  slackTeamID: z.string(),
  /** When the entry was last changed; `""` when the source does not say. */
  modifiedTime: timeOrNone,
});
export type UserRecord = z.output<typeof UserRecord>;

/** A role. */
export const RoleRecord = z.object({
  roleID: whole,
  name: z.string().min(1),
  description: z.string(),
  important: z.boolean(),
  mandatory: z.boolean(),
  archived: z.boolean(),
  /** True for a role that was deleted, and stays for earlier assignments. */
  deleted: z.boolean(),
  createdTime: timeOrNone,
  updatedTime: timeOrNone,
});
export type RoleRecord = z.output<typeof RoleRecord>;

/** A label, with what the organisation says of it. */
const LabelRecord = z.object({
  key: z.string().min(1),
  label: z.string().min(1),
  description: z.string(),
  colorHex: z.string(),
});
/** A task; the list has them in order of creation. */
export const TaskRecord = z.object({
  taskID: z.string().min(1),
  text: z.string(),
  status: z.enum(taskStatuses),
  authorUserID: z.string(),
  assignedUserID: z.string(),
  createdTime: time,
  modifiedTime: time,
  immutable: z.boolean(),
});
export type TaskRecord = z.output<typeof TaskRecord>;

/** A timeline item; the list has them in the order they were made. */
export const ItemRecord = z.object({
  activityItemID: z.string().min(1),
  /** An unknown kind becomes `incidentUpdated`, and `fieldValues.activityKind` keeps the original. */
  kind: z.enum(activityKinds),
  userID: z.string(),
  subjectUserID: z.string(),
  createdTime: time,
  eventTime: time,
  body: z.string(),
  url: z.string(),
  tags: z.array(z.string()),
  immutable: z.boolean(),
  /** The files of an item, which Muster cannot store, are listed here as `attachments`. */
  fieldValues: free,
});
export type ItemRecord = z.output<typeof ItemRecord>;

/** An incident with everything that belongs to it. */
export const IncidentFile = z.object({
  /** `<incidentID>@<createdTime>` of the first declaration. It stays the same across installations. */
  origin: z.string().min(1),
  incidentID: z.string().min(1),
  title: z.string(),
  severity: z.string(),
  /** 1 is the worst, -1 not yet known; null when the source does not say. */
  severityLevel: z.int().nullable(),
  status: z.enum(incidentStatuses),
  isDrill: z.boolean(),
  isPrivate: z.boolean(),
  /** Beginning of the channel's name; `""` when the source does not say. */
  roomPrefix: z.string(),
  summary: z.string(),
  createdTime: time,
  modifiedTime: time,
  closedTime: timeOrNone,
  incidentStart: time,
  incidentEnd: timeOrNone,
  createdByUserID: z.string(),
  version: whole,
  labels: z.array(LabelRecord),
  /** In the order in which they were given. */
  assignments: z.array(z.object({ userID: z.string().min(1), roleID: whole })),
  tasks: z.array(TaskRecord).refine(all => areDifferent(all.map(each => each.taskID)), 'must have different ids'),
  timeline: z
    .array(ItemRecord)
    .refine(all => areDifferent(all.map(each => each.activityItemID)), 'must have different ids'),
});
export type IncidentFile = z.output<typeof IncidentFile>;

/** A folder of dashboards. */
export const FolderRecord = z.object({
  id: whole,
  uid,
  title: z.string().min(1),
  createdTime: time,
  updatedTime: time,
  createdByUserID: z.string(),
  updatedByUserID: z.string(),
});
export type FolderRecord = z.output<typeof FolderRecord>;

/** A dashboard with its versions. */
export const DashboardFile = z.object({
  id: whole,
  uid,
  title: z.string().min(1),
  /** `""` is the root level. */
  folderUid: z.string(),
  /** Empty when no plugin owns it. */
  plugin: z.object({ id: z.string(), name: z.string() }),
  version: whole,
  createdTime: time,
  updatedTime: time,
  /** When it went into the trash; `""` while it is live. */
  deletedTime: timeOrNone,
  createdByUserID: z.string(),
  updatedByUserID: z.string(),
  model: free,
  /** Oldest first; only the present one when the source lacks the others. */
  versions: z.array(
    z.object({
      version: whole,
      parentVersion: whole,
      message: z.string(),
      createdTime: time,
      createdByUserID: z.string(),
      model: free,
    }),
  ),
});
export type DashboardFile = z.output<typeof DashboardFile>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The paths that an export may use, all within its folder. */
export const filePath = /^(roles|users|folders|(incidents|dashboards)\/[A-Za-z0-9_-]{1,120})\.json$/;

/** The manifest of an export: what the export is and holds. */
export const ExportManifest = z.object({
  format: z.literal('muster-export'),
  version: z.literal(formatVersion),
  createdTime: time,
  /** An address without user and password, or `database`. */
  source: z.string(),
  counts: z.object({
    incidents: whole,
    timelineItems: whole,
    tasks: whole,
    roles: whole,
    users: whole,
    folders: whole,
    dashboards: whole,
  }),
  /** SHA-256 in hexadecimal of every other file, by its path in the folder. */
  files: z.record(z.string().regex(filePath), sha256),
});
export type ExportManifest = z.output<typeof ExportManifest>;

/** A source of an export. People are read last, when all who are named are known. */
export interface TransferSource {
  readonly address: string;
  roles(): Promise<RoleRecord[]>;
  incidents(): AsyncIterable<IncidentFile>;
  folders(): Promise<FolderRecord[]>;
  dashboards(): AsyncIterable<DashboardFile>;
  people(): Promise<UserRecord[]>;
  /** What the source cannot give, in sentences. */
  readonly gaps: readonly string[];
}
