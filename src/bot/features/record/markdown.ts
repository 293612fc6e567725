import type { ActivityItem } from '../../../contract/activity.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake, ownLabels } from '../../../contract/mistakes.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { isOfNote, itemText } from '../../incident/notes/timeline-words.ts';
import type { Said } from '../../incident/state/update-store.ts';
import { formatDuration, formatUtc } from '../../text/times.ts';
import { stripControls, toOneLine } from '../../text/words.ts';

/** All that a record tells. */
export interface Recorded {
  readonly incident: Incident;
  /** What stands first of it, as on its card; undefined when nobody said any of it. */
  readonly lead: Said | undefined;
  /** Oldest first. */
  readonly items: readonly ActivityItem[];
  /** The timeline has more items. */
  readonly isCut: boolean;
  /** Numbers of tasks, by their ids. */
  readonly taskNumbers: ReadonlyMap<string, number>;
  /** Name of the channel, without `#`; `""` for none. */
  readonly channelName: string;
  /** Name of who declared it, where Muster knows that and the API does not; `""` otherwise. */
  readonly declarer: string;
  /** Address of the incident's page; `""` for none. */
  readonly overview: string;
}

/** The record of an incident as Markdown: facts, people, tasks, timeline. Times are UTC. */
export function toMarkdown(recorded: Recorded): string {
  const { incident, lead } = recorded;
  const parts = [
    `# Incident ${incident.incidentID}: ${toOneLine(stripControls(incident.title))}`,
    ...leadParts(recorded),
    list(factsOf(recorded)),
    ...(incident.summary === '' || lead?.text === incident.summary ? [] : ['## Summary', tidy(incident.summary)]),
    '## People',
    list(peopleOf(incident)),
    '## Tasks',
    list(tasksOf(recorded)),
    '## Timeline',
    list(recorded.items.filter(item => !isOfNote(item, recorded.items)).map(entryOf)),
    ...(recorded.isCut ? ['The timeline goes on: it has more entries than this record holds.'] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** What it was about, how it stands, or what ended it. */
function leadParts({ lead }: Recorded): readonly string[] {
  if (!lead) return [];
  const update = lead.kind === 'update' && lead.at ? `Latest update, ${formatUtc(lead.at)}: ` : '';
  return [`${update}${tidy(lead.text)}`];
}

function factsOf({ incident, channelName, declarer, overview }: Recorded): readonly string[] {
  const { status, isDrill, severity, incidentStart, incidentEnd, createdTime, createdByUser } = incident;
  const mistake = isMistake(incident);
  const labels = ownLabels(incident);
  return [
    `Status: ${mistake ? 'declared by mistake' : `${status}${isDrill ? ' (a drill)' : ''}`}`,
    `Severity: ${severity}`,
    `Started: ${at(incidentStart || createdTime)}`,
    ...(status === 'resolved' && !mistake
      ? [`Ended: ${at(incidentEnd)}`, `Took: ${formatDuration(incident.durationSeconds)}`]
      : []),
    `Declared: ${at(createdTime)} by ${declarer || createdByUser.name || 'an integration'}`,
    ...(labels.length === 0 ? [] : [`Labels: ${labels.map(each => each.label).join(', ')}`]),
    ...(channelName === '' ? [] : [`Channel: #${channelName}`]),
    ...(overview === '' ? [] : [`Page: ${overview}`]),
  ];
}

function peopleOf({ incidentMembership: { assignments } }: Incident): readonly string[] {
  return assignments.map(({ role, user }) => `${role.name}: ${user.name || user.userID}`);
}

function tasksOf({ incident: { taskList }, taskNumbers }: Recorded): readonly string[] {
  return taskList.tasks.map(({ taskID, text, status, assignedUser }) => {
    const whose = assignedUser ? ` (${assignedUser.name || assignedUser.userID})` : '';
    const state = status === 'progress' ? ', in progress' : '';
    return `[${status === 'done' ? 'x' : ' '}] ${taskNumbers.get(taskID) ?? '?'}. ${toOneLine(text)}${whose}${state}`;
  });
}

/** One entry of the timeline: its time, its words, and the person. */
function entryOf(item: ActivityItem): string {
  const { foot } = splitNoteBody(item.body);
  const who = foot === '' ? (item.user.name === '' ? '' : `— ${item.user.name}`) : foot;
  return `${at(item.eventTime)}: ${tidy(itemText(item)) || item.activityKind}${who === '' ? '' : ` ${who}`}`;
}

function at(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? 'not known' : formatUtc(date);
}

function list(entries: readonly string[]): string {
  if (entries.length === 0) return 'None.';
  return entries.map(each => `- ${each.replaceAll('\n', '\n  ')}`).join('\n');
}

function tidy(text: string): string {
  return stripControls(text).trim();
}
