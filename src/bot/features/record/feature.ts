import type { ActivityItem } from '../../../contract/activity.ts';
import { pages } from '../../../contract/paging.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Deps } from '../../dispatch/feature/deps.ts';
import { defineButton, type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { OnIncident } from '../../dispatch/surfaces/card-buttons.ts';
import { unnamedDeclarer } from '../../incident/lines/own-acts.ts';
import { learnSaid } from '../../incident/lines/said-elsewhere.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { reasonWords } from '../../incident/state/refusal-words.ts';
import { sendDirectly } from '../../slack/answer.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { isPassing, isSlackError, refusalLevel, slackReason } from '../../slack/clients.ts';
import { sentence, toEscaped, toMrkdwn } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import { type Recorded, toMarkdown } from './markdown.ts';
import { toPieces } from './pieces.ts';

/** Pages of a timeline, of a hundred items each, that a record holds. */
const maxPages = 50;

/** Reads all that a record tells. Throws RpcError. */
async function readRecorded({ deps, now }: Context, incidentID: string): Promise<Recorded> {
  const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
  await learnSaid(deps, incident, now);
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

/** Sends the record to the person alone, in a direct message: Slack shows a file to nobody alone in a channel. */
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
async function postRecord({ deps, actor, log, now }: Context, recorded: Recorded): Promise<boolean> {
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

const recordButton = defineButton({
  id: 'incident.record',
  label: 'Export record',
  value: OnIncident,
  reads: true,
  run: (ctx, { value }) => sendRecord(ctx, value.incidentID),
});

/** Taking an incident's record along: its facts, people, tasks and timeline. */
export const record: Feature = {
  name: 'record',
  verbs: [
    {
      noun: 'incident',
      verb: 'record',
      aliases: ['export', 'transcript'],
      begins: 'nothing',
      needsNoun: true,
      usage: '',
      summary: 'Get the record of the incident as a file: facts, people, tasks, timeline.',
      reads: true,
      about: 'incident',
      needsRegistered: true,
      run: (ctx, _args, incidentID) => sendRecord(ctx, incidentID),
    },
  ],
  buttons: [recordButton],
  onOver: ({ incident: { incidentID } }) => [pressable(recordButton, { incidentID })],
  onReminder: ({ kind, incidentID }) => (kind === 'review' ? [pressable(recordButton, { incidentID })] : []),
  operations: {
    'ActivityService.QueryActivity': ['/incident record', 'button incident.record'],
  },
};
