import { maxActivityBody } from '../contract/activity.ts';
import type { Api } from '../contract/contract.ts';
import type { CallOptions } from '../contract/define.ts';
import { type ErrorCode, RpcError } from '../contract/errors.ts';
import type { Incident } from '../contract/incidents.ts';
import { items } from '../contract/paging.ts';
import type { IncidentFile, ItemRecord, UserRecord } from './format.ts';

/** How many things a call lists at a time: as many as callers of the real system ask for (docs/api-rules.md A7). */
export const pageSize = 100;

/** An incident of an export, and the incident on a server that becomes like it. */
interface IncidentUpload {
  readonly api: Api;
  readonly file: IncidentFile;
  /** The incident on the server. */
  readonly incidentID: string;
  /** A text in its first note, by which later imports find it. */
  readonly marker: string;
  readonly people: ReadonlyMap<string, UserRecord>;
  /** User ids on the server, by those of the export. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Names of roles on the server, by their ids in the export. */
  readonly roles: ReadonlyMap<number, string>;
  readonly notes: string[];
}

/**
 * The call options that name the original author of an imported thing. A Muster accepts them from an Admin's token; a Grafana
 * ignores them (acting.ts).
 */
export function actingAs(people: IncidentUpload['people'], userID: string): CallOptions {
  const person = people.get(userID);
  if (!person) return {};
  const { name, photoURL, email } = person;
  return { people: { actor: { userID, name, photoURL, ...(email === '' ? {} : { email }) } } };
}

/**
 * Adds what the incident lacks; true when it lacked anything. A refused part becomes a note of the summary, and the rest goes
 * on.
 */
export async function uploadIncident(upload: IncidentUpload): Promise<boolean> {
  const { api, file, incidentID } = upload;
  const noted = await addNotes(upload);
  const tasked = await addTasks(upload);
  for (const { userID, roleID } of file.assignments) await giveRole(upload, userID, roleID);
  const { incident } = await api.IncidentsService.GetIncident({ incidentID });
  const attempt = (what: string, call: () => Promise<unknown>) => attemptOrNote(upload, what, call);
  if (incident.severity.toLowerCase() !== file.severity.toLowerCase()) {
    const { severity } = file;
    await attempt(`severity ${severity}`, () => api.IncidentsService.UpdateSeverity({ incidentID, severity }));
  }
  await setTimes(upload, incident);
  if (incident.status !== file.status) {
    const { status } = file;
    await attempt(`status ${status}`, () => api.IncidentsService.UpdateStatus({ incidentID, status }));
    // Resolving may have set another end than the original one.
    await setTimes(upload, (await api.IncidentsService.GetIncident({ incidentID })).incident);
  }
  return noted || tasked;
}

/** Sets the start before the end: a start is never refused while the end is unknown, and the end then comes after it. */
async function setTimes(upload: IncidentUpload, incident: Incident): Promise<void> {
  const { api, file, incidentID } = upload;
  for (const activityItemKind of ['incidentStart', 'incidentEnd'] as const) {
    const eventTime = file[activityItemKind];
    if (eventTime === '' || Math.abs(Date.parse(incident[activityItemKind]) - Date.parse(eventTime)) < 1000) continue;
    await attemptOrNote(upload, activityItemKind, () =>
      api.IncidentsService.UpdateIncidentEventTime({ incidentID, activityItemKind, eventTime }),
    );
  }
}

async function addNotes({ api, file, incidentID, marker, people }: IncidentUpload): Promise<boolean> {
  const there = new Map<string, number>();
  for await (const { body, eventTime } of readNotes(api, incidentID)) {
    const key = toKey(body, eventTime);
    there.set(key, (there.get(key) ?? 0) + 1);
  }
  let added = false;
  const first = { body: toFirstNote(file, marker, people), eventTime: file.createdTime, userID: file.createdByUserID };
  for (const { body, eventTime, userID } of [first, ...toNotes(file, people)]) {
    const key = toKey(body, eventTime);
    const left = there.get(key) ?? 0;
    if (left > 0) {
      there.set(key, left - 1);
      continue;
    }
    const note = { incidentID, activityKind: 'userNote' as const, body, eventTime };
    await api.ActivityService.AddActivity(note, actingAs(people, userID));
    added = true;
  }
  return added;
}

/** The notes of an incident's timeline, oldest first. */
export function readNotes(api: Api, incidentID: string) {
  const query = { incidentID, limit: pageSize, orderDirection: 'ASC' as const, activityKind: ['userNote' as const] };
  return items(api.ActivityService.QueryActivity, 'activityItems', { query });
}

/** Identifies a note. Servers may trim its text, and keep fewer digits of its time. */
function toKey(body: string, eventTime: string): string {
  return `${Math.floor(Date.parse(eventTime) / 1000)} ${body.trim()}`;
}

function toFirstNote(file: IncidentFile, marker: string, people: IncidentUpload['people']): string {
  const name = (userID: string) => people.get(userID)?.name ?? userID;
  const lines = [
    `Imported. This was incident ${file.incidentID}, declared ${file.createdTime} by ${name(file.createdByUserID) || 'nobody known'}.`,
    ...(file.closedTime === '' ? [] : [`It was closed ${file.closedTime}.`]),
    ...(file.summary === '' ? [] : [`Summary: ${file.summary}`]),
    ...file.tasks.map(
      task => `Task by ${name(task.authorUserID) || 'nobody known'}, ${task.createdTime}: ${task.text}`,
    ),
  ];
  return `${cut(lines.join('\n'), maxActivityBody - marker.length - 1)}\n${marker}`;
}

/** Notes for the items of a timeline. Links of notes are left out, because the server attaches them again. */
function toNotes(
  file: IncidentFile,
  people: IncidentUpload['people'],
): { body: string; eventTime: string; userID: string }[] {
  return file.timeline
    .filter(item => item.kind !== 'contextAttached' || item.fieldValues.activityItemID === undefined)
    .flatMap(item => {
      const footer = toFooter(item, people);
      const text = item.url === '' || item.body.includes(item.url) ? item.body : `${item.body} ${item.url}`;
      const room = maxActivityBody - footer.length - 2;
      const parts: string[] = [];
      for (let at = 0; at < text.length || at === 0; at += room) parts.push(text.slice(at, at + room));
      const { eventTime, userID } = item;
      return parts.map(part => ({ body: `${part.trim() || '(no text)'}\n\n${footer}`, eventTime, userID }));
    });
}

function toFooter(item: ItemRecord, people: IncidentUpload['people']): string {
  const author = cut(people.get(item.userID)?.name || item.userID || 'nobody known', 200);
  const noted = item.createdTime === item.eventTime ? '' : `, noted ${item.createdTime}`;
  return `— ${author}${noted}${item.kind === 'userNote' ? '' : ` [${item.kind}]`}`;
}

async function addTasks(upload: IncidentUpload): Promise<boolean> {
  const { api, file, incidentID } = upload;
  const { incident } = await api.IncidentsService.GetIncident({ incidentID });
  const there = [...incident.taskList.tasks];
  let added = false;
  for (const task of file.tasks) {
    const at = there.findIndex(each => each.text.trim() === task.text.trim());
    const [present] = at < 0 ? [] : there.splice(at, 1);
    let known = present;
    if (!known) {
      ({ task: known } = await api.TasksService.AddTask(
        { incidentID, text: task.text },
        actingAs(upload.people, task.authorUserID),
      ));
      added = true;
    }
    const { taskID } = known;
    if (known.status !== task.status) {
      const { status } = task;
      await attemptOrNote(upload, `task status`, () =>
        api.TasksService.UpdateTaskStatus({ incidentID, taskID, status }),
      );
    }
    if (task.assignedUserID === '' || known.assignedUser) continue;
    const userID = upload.accounts.get(task.assignedUserID) ?? task.assignedUserID;
    await attemptOrNote(upload, `task of ${userID}`, () =>
      api.TasksService.UpdateTaskUser({ incidentID, taskID, userID }),
    );
  }
  return added;
}

async function giveRole(upload: IncidentUpload, person: string, roleID: number): Promise<void> {
  const { api, incidentID, roles, accounts, file, notes } = upload;
  const role = roles.get(roleID);
  if (role === undefined) {
    notes.push(
      `Incident ${file.incidentID}: role ${roleID} of ${person} was left out, because the server has no such role.`,
    );
    return;
  }
  const userID = accounts.get(person) ?? person;
  await attemptOrNote(upload, `${role} ${person}`, () => api.IncidentsService.AssignRole({ incidentID, userID, role }));
}

async function attemptOrNote(
  { file, notes }: IncidentUpload,
  what: string,
  call: () => Promise<unknown>,
): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    notes.push(`Incident ${file.incidentID}: ${what} was left out: ${error.message}`);
  }
}

const refusals: readonly ErrorCode[] = [
  'invalid_argument',
  'not_found',
  'permission_denied',
  'conflict',
  'failed_precondition',
  'internal',
];

/** Whether the server answered and refused this one thing, so that the import can go on with the others. */
export function isRefusal(error: unknown): error is RpcError {
  return error instanceof RpcError && refusals.includes(error.code);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
