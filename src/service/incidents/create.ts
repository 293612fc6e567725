import { maxActivityBody } from '../../contract/activity.ts';
import { maxTitle, type NewIncident } from '../../contract/incidents.ts';
import { toFormed } from '../../contract/note-forms.ts';
import { maxShortPath } from '../../contract/short-urls.ts';
import type { Context } from '../call/context.ts';
import { invalidArgument } from '../call/errors.ts';
import { readText } from '../call/input.ts';
import { takeNumber } from '../store/counters.ts';
import { fold, type IncidentRow } from '../store/tables.ts';
import { toMicros, toWholeSecond } from '../store/time.ts';
import { attachLinks } from './activity.ts';
import { giveRole } from './assignments.ts';
import { findRoleByName, readIncident } from './find.ts';
import { putLabels, toNewLabels } from './labels.ts';
import { findLinks } from './links.ts';
import { type NewTimelineItem, tellOf } from './record-event.ts';
import { readSeverity, toDefaultSeverity } from './severity.ts';
import { toIncidentSlug } from './slug.ts';
import { addSystemTasks, severityTask } from './system-tasks.ts';

/** The most characters of a room's prefix: a Slack channel's name has no more. */
export const maxRoomPrefix = 80;

/** IncidentsService.CreateIncident (docs/api-rules.md A4 and A6). Status `resolved` makes an incident that is over already. */
export async function createIncident(context: Context, input: NewIncident) {
  const { caller, db, options } = context;
  const title = readText('title', input.title, maxTitle);
  const severity = readSeverity(input, options.severities);
  const labels = toNewLabels(input.labels);
  if (input.roomPrefix.length > maxRoomPrefix)
    throw invalidArgument(`roomPrefix must be at most ${maxRoomPrefix} characters`);
  for (const name of ['attachURL', 'attachCaption', 'alertGroupID'] as const)
    if ((input[name] ?? '').length > maxShortPath)
      throw invalidArgument(`${name} must be at most ${maxShortPath} characters`);
  const update = readUpdate(input.initialStatusUpdate);
  const status = input.status || 'active';
  const now = toMicros(context.now);
  const over = status === 'resolved' ? now : null;
  const id = await takeNumber(db, 'incident');
  const row: IncidentRow = {
    id,
    room_prefix: input.roomPrefix,
    title,
    title_folded: fold(title),
    slug: toIncidentSlug(title),
    severity: severity.label,
    severity_level: severity.level,
    status,
    is_drill: input.isDrill ? 1 : 0,
    is_private: [context.incidentType, input.incidentType].includes('private') ? 1 : 0,
    created_at: now,
    modified_at: now,
    closed_at: over,
    started_at: toWholeSecond(now),
    ended_at: over,
    created_by: caller.userID,
    version: 1,
  };
  await db.insertInto('incident').values(row).execute();
  await putLabels(context, id, labels);
  if (options.systemTasks) {
    await addSystemTasks(context, id, severity === toDefaultSeverity(options.severities) ? [] : [severityTask]);
  }
  const items: NewTimelineItem[] = [
    {
      kind: 'incidentCreated',
      body: `The incident was created by ${caller.name}`,
      fieldValues: { title, severity: severity.label, status, isDrill: input.isDrill },
      important: true,
    },
    ...toAttached(input),
    ...(await observeCreator(context, id)),
    ...(update ? [update] : []),
  ];
  const note = (await tellOf(context, row, items)).at(-1);
  if (update && note) await attachLinks(context, note, findLinks(note.body));
  return { incident: await readIncident(context, id), error: '' };
}

function toAttached({ attachURL, attachCaption, alertGroupID }: NewIncident): NewTimelineItem[] {
  const [url, caption, group] = [attachURL.trim(), attachCaption.trim(), alertGroupID.trim()];
  const kind = 'contextAttached' as const;
  return [
    ...(url + caption === ''
      ? []
      : [{ kind, body: caption || url, fieldValues: { url, caption: attachCaption }, url }]),
    ...(group === '' ? [] : [{ kind, body: `Alert group ${group}`, fieldValues: { alertGroupID: group } }]),
  ];
}

/** The first update, as the bot writes its own. */
function readUpdate(written: string): NewTimelineItem | undefined {
  if (written.trim() === '') return undefined;
  const text = readText('initialStatusUpdate', written, maxActivityBody);
  const body = toFormed('update', text);
  return { kind: 'userNote', body, fieldValues: { source: 'update' }, immutable: false, url: findLinks(text)[0] ?? '' };
}

async function observeCreator(context: Context, id: number): Promise<NewTimelineItem[]> {
  const role = context.options.assignCreatorAsObserver ? await findRoleByName(context, 'observer') : undefined;
  return role && role.archived === 0 ? [await giveRole(context, id, context.caller.userID, role)] : [];
}
