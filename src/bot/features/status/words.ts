import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { isUnread, RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { isMistake } from '../../../contract/mistakes.ts';
import { explainRead } from '../../dispatch/answers/error-messages.ts';
import { notBegunWords } from '../../dispatch/answers/receipts.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { incidentButton } from '../../dispatch/surfaces/card-buttons.ts';
import { definePostable, whyNotPublic } from '../../dispatch/surfaces/post-to-channel.ts';
import { queuedBlocks, unregisteredWords } from '../../incident/acts/queued-words.ts';
import { toCurrentID } from '../../incident/acts/registration.ts';
import { learnNotes } from '../../incident/lines/elsewhere.ts';
import { isOfNote, itemWords } from '../../incident/notes/timeline-words.ts';
import { incidentLabel, roomMention } from '../../incident/state/incident-name.ts';
import {
  agedNotice,
  ago,
  type IncidentSummary,
  type Snapshot,
  sameAge,
  whyAway,
} from '../../incident/state/snapshots.ts';
import { drillWords, standing } from '../../incident/state/state-words.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { context, facts, header, section, sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns, taskSigns } from '../../text/signs.ts';
import { toOneLine } from '../../text/words.ts';

/** The answer of the API, or the error that says it is away. Any other error is thrown. */
export async function orUnreachable<T>(answer: Promise<T>): Promise<{ answer: T } | { error: RpcError }> {
  try {
    return { answer: await answer };
  } catch (error) {
    if (isUnread(error)) return { error };
    throw error;
  }
}

/** Says that there is no snapshot and what to do; a button tries the same again. */
export async function noSnapshotWords(ctx: Context, error: RpcError, what: string): Promise<Words> {
  ctx.log.warn({ err: error }, 'status: the API is away and there is no snapshot');
  const { draft, deps, actor, key, now } = ctx;
  const text = `${whyAway(error, ctx.deps.settings.apiName)} ${what}`;
  return notBegunWords(text, { draft, id: draft && (await deps.drafts.keep(actor, draft, key, now)) }, true);
}

/** A sentence on people and tasks of a snapshot that are older than the rest or missing; `""` when neither. */
function agedParts({ whole, seenAt }: Snapshot, now: Date): string {
  if (!whole) return 'I have only seen it in a list, so I do not know its people and tasks.';
  const behind = (seenAt.getTime() - whole.seenAt.getTime()) / 1000;
  return behind < sameAge ? '' : `Its people and tasks are as they were ${ago(whole.seenAt, now)}.`;
}

/** An incident that was seen in a list alone, as blocks. */
function summaryWords(summary: IncidentSummary): Words {
  const title = `${drillWords(summary, `${incidentSigns.drill} DRILL · `)}${summary.title}`;
  return {
    text: `${incidentLabel(summary.incidentID, 'Incident')}: ${toMrkdwn(summary.title, 300)}`,
    blocks: [
      header(title),
      facts([
        ['Status', standing(summary)],
        ['Severity', toMrkdwn(summary.severityLabel, 60)],
        ['Started', when(summary.incidentStart || summary.createdTime)],
        ...(summary.status === 'resolved' ? [['Ended', when(summary.incidentEnd)] as const] : []),
      ]),
      ...(summary.summary ? [section(toMrkdwn(summary.summary, 1000))] : []),
      context(incidentLabel(summary.incidentID, 'Incident')),
    ],
  };
}

/** Puts a notice above words, in the blocks and in the text. */
export function under(notice: string, words: Words): Words {
  const { text, blocks = sentence(words.text).blocks ?? [] } = words;
  return { text: `${notice}\n${text}`, blocks: [section(notice), ...blocks] };
}

/** Open tasks and timeline items that are shown. */
const maxTasks = 10;
const maxItems = 5;

/** When the end was recorded, where that is a minute or more from the end itself, which the card has; `""` otherwise. */
function recordedWords(incident: Incident): string {
  const { status, incidentEnd, closedTime } = incident;
  const isSame = Math.abs(Date.parse(closedTime) - Date.parse(incidentEnd)) < 60_000;
  if (status !== 'resolved' || isMistake(incident) || closedTime === '' || isSame) return '';
  return `Recorded as resolved ${when(closedTime)}.`;
}

async function taskWords({ taskNumbers }: Deps, { incidentID, taskList }: Incident): Promise<string> {
  const numbers = await taskNumbers.of(incidentID, taskList.tasks);
  const open = taskList.tasks
    .filter(task => task.status !== 'done')
    .map(({ taskID, text, status, assignedUser: user }) => {
      const sign = status === 'progress' ? taskSigns.progress : taskSigns.todo;
      const whose = user ? ` · ${toMrkdwn(user.name || user.userID, 80)}` : '';
      return `${sign} *${numbers.get(taskID) ?? 0}.* ${toMrkdwn(toOneLine(text), 150)}${whose}`;
    });
  if (open.length === 0) return '*Open tasks*: none';
  const more = open.length > maxTasks ? [`… and ${open.length - maxTasks} more: \`/task list\``] : [];
  return [`*Open tasks* (${open.length})`, ...open.slice(0, maxTasks), ...more].join('\n');
}

/** The last items of the timeline, oldest first, as mrkdwn. A failure to read them does not hide the rest. */
async function timelineWords(ctx: Context, incidentID: string): Promise<{ words: string; isRead: boolean }> {
  const title = '*Latest on the timeline*';
  try {
    const { activityItems } = await ctx.deps.api.ActivityService.QueryActivity(
      { query: { incidentID, limit: 2 * maxItems, orderDirection: 'DESC' } },
      { budget: ctx.deps.deadlines.reads.asked },
    );
    const latest = activityItems.filter(each => !isOfNote(each, activityItems)).slice(0, maxItems);
    return { words: [title, ...latest.toReversed().map(itemWords)].join('\n'), isRead: true };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    ctx.log.warn({ err: error, incident: incidentID }, 'timeline: could not be read');
    return { words: `${title}\n${explainRead(error, ctx.deps.settings.apiName)}`, isRead: false };
  }
}

/** An incident in full: the card, and under it what the card has no room for. */
async function incidentWords({ deps }: Context, incident: Incident, more: readonly KnownBlock[]): Promise<Words> {
  const { text, blocks = [] } = await deps.cards.card(incident);
  const isRow = (block: KnownBlock) => block.type === 'actions';
  const recorded = recordedWords(incident);
  const { tasks } = incident.taskList;
  // The card says how many there are.
  const isCounted = tasks.length > 0 && tasks.every(each => each.status === 'done');
  return {
    text,
    blocks: [
      ...blocks.filter(block => !isRow(block)),
      ...(recorded === '' ? [] : [section(recorded)]),
      ...(isCounted ? [] : [section(await taskWords(deps, incident))]),
      ...more,
      ...blocks.filter(isRow),
    ],
  };
}

/** An incident as everybody in a channel reads it: its announcement and its open tasks. Undefined while nothing is known of it. */
async function publicWords(ctx: Context, asked: string): Promise<Words | undefined> {
  const { deps, location, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  if (isProvisional(incidentID)) return undefined;
  const found = await orUnreachable(
    deps.api.IncidentsService.GetIncident({ incidentID }, { budget: deps.deadlines.reads.asked }),
  );
  const snapshot = 'answer' in found ? undefined : await deps.snapshots.get(incidentID);
  const incident = 'answer' in found ? found.answer.incident : snapshot?.whole?.incident;
  if (!incident) return undefined;
  if ('answer' in found) await learnNotes(deps, incident, now);
  const { channelId = '', channelName = '' } = (await deps.rooms.ofIncident(incidentID)) ?? {};
  // Its own channel needs no way there.
  const room = channelId === location.channelId ? { channelId, channelName: '' } : { channelId, channelName };
  const { text, blocks = [] } = await deps.cards.announcement(incident, room);
  const seen = blocks.filter(block => block.type !== 'actions');
  const words = { text, blocks: [...seen, section(await taskWords(deps, incident))] };
  return 'error' in found && snapshot
    ? under(agedNotice(found.error, snapshot.seenAt, now, deps.settings.apiName), words)
    : words;
}

/** The present state of an incident for one person: from the API, or as it was last seen. */
export async function statusWords(ctx: Context, asked: string): Promise<Words> {
  const { deps, now } = ctx;
  const incidentID = await toCurrentID(deps, asked);
  const [queued, room] = await Promise.all([deps.journal.unfinished(incidentID), deps.rooms.ofIncident(incidentID)]);
  const home = room && room.channelId !== ctx.location.channelId ? roomMention(room) : '';
  const where = home ? [context(`It is handled in ${home}.`)] : [];
  if (isProvisional(incidentID)) return unregisteredWords(incidentID, queued, where, now);
  const rest = [...queuedBlocks(queued, now), ...where];
  const [found, timeline] = await Promise.all([
    orUnreachable(deps.api.IncidentsService.GetIncident({ incidentID }, { budget: deps.deadlines.reads.asked })),
    timelineWords(ctx, incidentID),
  ]);
  if ('answer' in found) {
    await learnNotes(deps, found.answer.incident, now);
    deps.visits.record(incidentID, ctx.actor.userId, now);
    return incidentWords(ctx, found.answer.incident, [section(timeline.words), ...rest]);
  }
  const snapshot = await deps.snapshots.get(incidentID);
  if (!snapshot) {
    const words = await noSnapshotWords(ctx, found.error, 'I have not seen this incident before.');
    return { ...words, blocks: [...(words.blocks ?? []), ...rest] };
  }
  ctx.log.warn({ err: found.error, incident: incidentID }, 'incident: the API is away, showing its snapshot');
  const partly = agedParts(snapshot, now);
  const more = [...(timeline.isRead ? [section(timeline.words)] : []), ...rest, ...(partly ? [context(partly)] : [])];
  const summary = summaryWords(snapshot.summary);
  const words = snapshot.whole
    ? await incidentWords(ctx, snapshot.whole.incident, more)
    : { ...summary, blocks: [...(summary.blocks ?? []), ...more] };
  return under(agedNotice(found.error, snapshot.seenAt, now, deps.settings.apiName), words);
}

/** Shows the present state of the incident of a row, below the list. */
export const openButton = incidentButton({ id: 'incident.show', label: 'Open', reads: true }, async (ctx, incidentID) =>
  ctx.answer(await statusWords(ctx, incidentID)),
);

/** The status of an incident, for all in a channel who may see it. */
export const postedStatus = definePostable({
  id: 'incident.status.post',
  part: 'status',
  value: z.object({ incidentID: z.string() }),
  words: async (ctx, { incidentID }) => {
    const not = await whyNotPublic(ctx, 'status', incidentID);
    if (not) return { not };
    const words = await publicWords(ctx, incidentID);
    return words
      ? { ...words, about: [incidentID] }
      : { not: `${ctx.deps.settings.apiName} cannot be reached, and I have not seen this incident before.` };
  },
});
