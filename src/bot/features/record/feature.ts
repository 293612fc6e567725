import type { ActivityItem } from '../../../contract/activity.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake, ownLabels } from '../../../contract/mistakes.ts';
import { splitNoteBody } from '../../../contract/note-forms.ts';
import { pages } from '../../../contract/paging.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { incidentButton } from '../../dispatch/surfaces/card-buttons.ts';
import { learnNotes } from '../../incident/lines/elsewhere.ts';
import { unnamedDeclarer } from '../../incident/lines/mentions.ts';
import { isOfNote, itemText } from '../../incident/notes/timeline-words.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import type { Lead } from '../../incident/state/update-store.ts';
import { sendDirectly } from '../../slack/answer.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { isPassing, isSlackError, refusalLevel, slackReason } from '../../slack/clients.ts';
import { sentence, toEscaped, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { formatDuration, formatUtc, toSlackDate } from '../../text/times.ts';
import { stripControls, toOneLine } from '../../text/words.ts';

/** Most characters of a piece: a message's text holds 4,000 (docs/slack.md 5), and each of `&`, `<`, `>` takes up to five. */
const maxPiece = 3000;
const maxPieces = 20;

/** A text in pieces that each fit into a message in fixed-width type, broken at the ends of lines where that works. */
function toPieces(text: string): { readonly pieces: readonly string[]; readonly isCut: boolean } {
  const pieces: string[] = [];
  let rest = text.replaceAll('```', "'''").trim();
  while (rest !== '' && pieces.length < maxPieces) {
    const lineEnd = rest.lastIndexOf('\n', maxPiece);
    // Not between the two halves of a character.
    const whole = /[\uD800-\uDBFF]/.test(rest.charAt(maxPiece - 1)) ? maxPiece - 1 : maxPiece;
    const end = rest.length <= maxPiece ? rest.length : lineEnd > maxPiece / 2 ? lineEnd : whole;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^\n/, '');
  }
  return { pieces, isCut: rest !== '' };
}

interface IncidentRecord {
  readonly incident: Incident;
  /** Its first paragraph, as on its card; undefined for none. */
  readonly lead: Lead | undefined;
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
function toMarkdown(recorded: IncidentRecord): string {
  const { incident, lead, items } = recorded;
  const isUpdate = lead?.kind === 'update';
  const entries = items
    .filter(item => !isOfNote(item, items))
    .map(item => {
      const { foot } = splitNoteBody(item.body);
      const who = foot || (item.user.name === '' ? '' : `— ${item.user.name}`);
      return `${at(item.eventTime)}: ${tidy(itemText(item)) || item.activityKind} ${who}`.trimEnd();
    });
  const parts = [
    `# Incident ${incident.incidentID}: ${toOneLine(stripControls(incident.title))}`,
    ...(lead ? [`${isUpdate && lead.at ? `Latest update, ${formatUtc(lead.at)}: ` : ''}${tidy(lead.text)}`] : []),
    list(factsOf(recorded)),
    ...(incident.summary === '' || lead?.text === incident.summary ? [] : ['## Summary', tidy(incident.summary)]),
    '## People',
    list(incident.incidentMembership.assignments.map(({ role, user }) => `${role.name}: ${user.name || user.userID}`)),
    '## Tasks',
    list(tasksOf(recorded)),
    '## Timeline',
    list(entries),
    ...(recorded.isCut ? ['The timeline goes on: it has more entries than this record holds.'] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function factsOf({ incident, channelName, declarer, overview }: IncidentRecord): readonly string[] {
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

function tasksOf({ incident: { taskList }, taskNumbers }: IncidentRecord): readonly string[] {
  return taskList.tasks.map(({ taskID, text, status, assignedUser }) => {
    const whose = assignedUser ? ` (${assignedUser.name || assignedUser.userID})` : '';
    const state = status === 'progress' ? ', in progress' : '';
    return `[${status === 'done' ? 'x' : ' '}] ${taskNumbers.get(taskID) ?? '?'}. ${toOneLine(text)}${whose}${state}`;
  });
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

/** Pages of a timeline, of a hundred items each, that a record holds. */
const maxPages = 50;

/** Reads all that a record tells. Throws RpcError. */
async function readRecorded({ deps, now }: Context, incidentID: string): Promise<IncidentRecord> {
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  await learnNotes(deps, incident, now);
  const [{ items, isCut }, { lead }, taskNumbers, room, overview] = await Promise.all([
    readTimeline(deps, incidentID),
    deps.updates.latest(incident),
    deps.taskNumbers.of(incidentID, incident.taskList.tasks),
    deps.rooms.ofIncident(incidentID),
    deps.cards.overview(incident),
  ]);
  const unnamed = await unnamedDeclarer(deps.people, room, incident);
  const declarer = unnamed === '' ? undefined : await deps.people.find(unnamed).catch(() => undefined);
  const { channelName = '' } = room ?? {};
  return { incident, lead, items, isCut, taskNumbers, channelName, declarer: declarer?.name ?? '', overview };
}

async function readTimeline(
  { api }: Deps,
  incidentID: string,
): Promise<{ readonly items: readonly ActivityItem[]; readonly isCut: boolean }> {
  const query = { incidentID, orderDirection: 'ASC' as const, limit: 100 };
  const items: ActivityItem[] = [];
  let read = 0;
  for await (const { activityItems, cursor } of pages(api.ActivityService.QueryActivity, { query })) {
    items.push(...activityItems);
    read += 1;
    if (read === maxPages) return { items, isCut: cursor.hasMore };
  }
  return { items, isCut: false };
}

/** Sends the record to the person alone, in a direct message: in a channel Slack shows a file to all. */
async function sendRecord(ctx: Context, incidentID: string): Promise<void> {
  const { location, log } = ctx;
  const recorded = await readRecorded(ctx, incidentID);
  const name = incidentLabel(incidentID);
  let isFile: boolean;
  try {
    isFile = await postRecord(ctx, recorded);
  } catch (error) {
    if (!isSlackError(error)) throw error;
    log[isPassing(error) ? 'info' : refusalLevel(error)]({ reason: slackReason(error) }, 'record: not taken by Slack');
    await ctx.answer(sentence(`${signs.warning} I could not send you the record of ${name}: ${reasonWords(error)}`));
    return;
  }
  if (isDirectMessage(location.channelId)) return;
  const how = isFile ? 'as a file' : 'as text to copy, since Slack took no file';
  await ctx.answer(sentence(`${signs.record} I sent you the record of ${name} in a direct message, ${how}.`));
}

/** Posts the record as a file, and where Slack does not take one, as text to copy. True for a file. Throws Slack's refusals of a message. */
async function postRecord({ deps, actor, log, now }: Context, recorded: IncidentRecord): Promise<boolean> {
  const { incidentID, title } = recorded.incident;
  const markdown = toMarkdown(recorded);
  const intro = `${signs.record} The record of ${incidentLabel(incidentID)} “${toMrkdwn(title, 200)}” as of ${toSlackDate(now)} is in this thread, as Markdown.`;
  const { channel, ts } = await sendDirectly(deps.slack, actor.userId, intro);
  try {
    const file = { name: `incident-${incidentID}.md`, text: markdown };
    await deps.slack.uploadFile({ channel, threadTs: ts, ...file });
    return true;
  } catch (error) {
    if (isPassing(error)) log.info({ reason: slackReason(error) }, 'record: Slack did not take the file');
    else log[refusalLevel(error)]({ reason: slackReason(error) }, 'record: Slack refused the file');
  }
  const { pieces, isCut } = toPieces(markdown);
  const rest = isCut
    ? ['The record goes on. `/incident timeline` shows the rest, and Muster’s page of the incident.']
    : [];
  for (const text of [...pieces.map(each => `\`\`\`${toEscaped(each, each.length)}\`\`\``), ...rest]) {
    await sendDirectly(deps.slack, channel, text, { threadTs: ts, isRepeatable: true });
  }
  return false;
}

const recordButton = incidentButton({ id: 'incident.record', label: 'Export record', reads: true }, (ctx, incidentID) =>
  sendRecord(ctx, incidentID),
);

/** Taking an incident's record along: its facts, people, tasks and timeline. */
export const record: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'record',
      aliases: ['export', 'transcript'],
      argumentKind: 'nothing',
      needsNoun: true,
      summary: 'Get the record of the incident as a file: facts, people, tasks, timeline.',
      reads: true,
      needsRegistered: true,
      run: (ctx, _args, incidentID) => sendRecord(ctx, incidentID),
    },
  ],
  buttons: [recordButton],
  onOver: ({ incident: { incidentID } }) => [pressable(recordButton, { incidentID })],
  onReminder: ({ kind, incidentID }) => (kind === 'review' ? [pressable(recordButton, { incidentID })] : []),
};
