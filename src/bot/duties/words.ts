import type { Incident } from '../../contract/incidents.ts';
import type { Duty } from '../incident/acts/duties.ts';
import { homeMention, incidentLabel, titleBehind } from '../incident/state/incident-name.ts';
import type { Room } from '../incident/state/room-store.ts';
import { mention, toMrkdwn } from '../text/blocks.ts';
import { toSlackWindow } from '../text/shown-times.ts';
import { signs } from '../text/signs.ts';
import { formatDuration, toSlackDate } from '../text/times.ts';
import { restRow, toLines, toOneLine } from '../text/words.ts';

/** The facts about an incident for the words of a reminder. */
export interface ReminderContext {
  readonly now: number;
  /** Undefined while it cannot be read. */
  readonly incident: Incident | undefined;
  readonly room: Room | undefined;
  /** The number of the task; 0 for none. */
  readonly taskNumber: number;
  /** Slack id of the person who owes it: they promised the update, do the task, called, or lead. `""` when that is not known. */
  readonly owner: string;
  /** The words behind their name that say that they left; `""` while they are here. */
  readonly ownerLeft: string;
  /** Its readers were reminded of it before. */
  readonly isAgain: boolean;
  /** The lead of the incident, not yet escaped; `""` for none. */
  readonly said: string;
}

/** Open tasks that a look back lists. */
const mostTasks = 5;

function since({ now }: ReminderContext, at: number): string {
  return formatDuration(Math.max(0, now - at) / 1000);
}

function dueAt(at: number): string {
  return toSlackDate(new Date(at), 'time');
}

/**
 * A reminder of what the room owes, or of what a person owes who cannot be told, as mrkdwn: in the incident's room, or for the readers of the
 * announcement, in place of a room that takes no posts. Those read which incident it is, and of no channel.
 */
export function roomWords(duty: Duty, around: ReminderContext, reader: 'room' | 'readers'): string {
  const { incident, room } = around;
  if (reader === 'room') return sharedWords(duty, around);
  const why = room?.channelId ? ' · I cannot write in its channel.' : '';
  const about = `${incidentLabel(duty.incident_id, 'Incident')}${titleBehind(incident?.title ?? '')}`;
  return `${sharedWords(duty, around)}\n${about}${why}`;
}

function sharedWords(duty: Duty, around: ReminderContext): string {
  const { kind, since: from, due, audience } = duty;
  if (audience === 'owner')
    return [
      `${signs.owed} ${headline(duty, around, '')} I cannot tell ${ownerWords(around)}.`,
      ...details(duty, around),
    ].join('\n');
  if (kind === 'lead') return `${signs.owed} *Nobody has led this incident for ${since(around, from)}.*`;
  const by = around.owner === '' ? '' : ` ${ownerWords(around)} promised it.`;
  return !around.isAgain
    ? `${signs.owed} *An update was due at ${dueAt(due)}.*${by}`
    : `${signs.owed} *The update that was due at ${dueAt(due)} is still owed.*${by}`;
}

/** The words of a reminder to a person, in a direct message: to the one who owes the duty, or to the one who leads in their place. */
export function ownWords(duty: Duty, around: ReminderContext): string {
  const text = headline(duty, around, duty.user_id);
  return [`${signs.owed} ${text}`, ...details(duty, around), about(duty, around)].join('\n');
}

function ownerWords({ owner, ownerLeft }: ReminderContext): string {
  return `${mention(owner)}${ownerLeft}`;
}

/** `reader`: Slack id of the person who reads it; `""` for a room. */
function headline(duty: Duty, around: ReminderContext, reader: string): string {
  const { kind, since: from, due } = duty;
  const { incident, owner } = around;
  const isOwn = owner === reader;
  switch (kind) {
    case 'update': {
      const what = isOwn ? 'The update that you promised' : 'An update';
      return `*${what} ${due > around.now ? 'is' : 'was'} due at ${dueAt(due)}.*`;
    }
    case 'news':
      return `*Nobody has said anything for ${since(around, from)}.* Post an update, even when nothing is new.`;
    case 'task': {
      const text = incident?.taskList.tasks.find(each => each.taskID === duty.about)?.text ?? '';
      const whose = isOwn ? 'Your task' : `The task of ${ownerWords(around)}`;
      return `*${whose} has not moved for ${since(around, from)}*: “${toMrkdwn(toOneLine(text), 300)}”`;
    }
    case 'call': {
      const whose = isOwn ? 'your call' : `the call by ${ownerWords(around)}`;
      return `*Nobody has answered ${whose} for ${since(around, from)}.* Call others, or page somebody.`;
    }
    case 'review':
      return `*The incident${isOwn ? ' that you led' : ''} ended a day ago.* Look at what is left.`;
    case 'lead':
      return `*Nobody has led this incident for ${since(around, from)}.*`;
  }
}

/** The things to add in a look back: the times, the summary, and the tasks that are open. */
function details({ kind }: Duty, { incident, said }: ReminderContext): readonly string[] {
  if (kind !== 'review' || incident === undefined) return [];
  const { incidentStart, incidentEnd, durationSeconds, taskList } = incident;
  const [from, to] = [new Date(incidentStart), new Date(incidentEnd)];
  const isTimed = !Number.isNaN(from.getTime()) && !Number.isNaN(to.getTime());
  const open = taskList.tasks.filter(each => each.status !== 'done');
  const rows = open.slice(0, mostTasks).map(({ text }) => `• ${toMrkdwn(toOneLine(text), 150)}`);
  return [
    ...(isTimed ? [`It lasted ${formatDuration(durationSeconds)}: ${toSlackWindow(from, to)}.`] : []),
    said === '' ? 'Nobody said what ended it.' : `*What was said of it* ${toMrkdwn(toLines(said), 500)}`,
    open.length === 0 ? 'No task is open.' : `*Open tasks* (${open.length})`,
    ...rows,
    ...restRow(open.length, mostTasks),
  ];
}

/** The incident, with its channel, for a person elsewhere. */
function about({ kind, incident_id: id }: Duty, { incident, room, taskNumber }: ReminderContext): string {
  const home = room ? homeMention(room) : '';
  const label =
    kind === 'task' && taskNumber > 0 ? `Task ${taskNumber} of ${incidentLabel(id)}` : incidentLabel(id, 'Incident');
  return [`${label}${titleBehind(incident?.title ?? '')}`, ...(home === '' ? [] : [home])].join(' · ');
}

/** The words that replace a reminder whose duty is done, or to a person who is reminded of it again (mrkdwn). */
export function settledWords({ kind, incident_id: id }: Pick<Duty, 'kind' | 'incident_id'>, isAgain = false): string {
  const what = `${dutyNames[kind]} of ${incidentLabel(id)}`;
  return isAgain ? `${signs.owed} I reminded you again, below: ${what}.` : `${signs.done} No longer owed: ${what}.`;
}

/** The name of each duty in a sentence. */
export const dutyNames = {
  update: 'the next update',
  lead: 'the lead',
  news: 'news',
  call: 'an answer to a call',
  task: 'a task',
  review: 'the look back',
} as const satisfies Readonly<Record<Duty['kind'], string>>;

/** Says below a reminder who put it off, or stopped it (mrkdwn). */
export function putOffWords(by: string, until: Date | undefined): string {
  const who = by === '' ? '' : `${mention(by)} `;
  return until === undefined
    ? `${signs.muted} ${who}${by === '' ? 'Stopped' : 'stopped'} these reminders.`
    : `${signs.muted} ${who}${by === '' ? 'Snoozed' : 'snoozed'} this until ${toSlackDate(until, 'time')}.`;
}
