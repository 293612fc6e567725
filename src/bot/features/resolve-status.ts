import { z } from 'zod';
import { Incident, incidentStatuses } from '../../contract/incidents.ts';
import { mention, said, sentence, type Words } from '../blocks.ts';
import { when } from '../incident-card.ts';
import { type Aftermath, defineIntent, type Outcome } from '../journal/intent.ts';
import { incidentName } from '../journal/lanes.ts';
import { afterwards } from '../outcome-words.ts';
import { tellRoom } from '../room.ts';
import { formatDuration, secondsAfter } from '../times.ts';
import type { Turn } from '../turn.ts';

/** How far the API's clock may be behind ours, in seconds. */
const clockSkew = 5;

const StatusChange = z.object({
  incidentID: z.string(),
  status: z.enum(incidentStatuses),
  /** What the line in the channel says of it; `""` for nothing. */
  summary: z.string(),
});
type StatusChange = z.output<typeof StatusChange>;

/** Says that an incident has that status already, and since when. */
export function alreadyWords(incident: Incident, status: StatusChange['status']): Words {
  const name = `Incident ${said(incident.incidentID, 40)}`;
  return sentence(
    status === 'resolved'
      ? `${name} is resolved already, since ${when(incident.closedTime || incident.incidentEnd)}.`
      : `${name} is active already. \`/incident resolve\` closes it.`,
  );
}

/** Resolves or reopens an incident. Resolving keeps an end that was set; reopening clears it (api-behaviour.md A6). */
export const setStatus = defineIntent({
  kind: 'incident.status',
  payload: StatusChange,
  result: z.object({ incident: Incident, changed: z.boolean() }),
  run: async ({ api, call }, { incidentID, status }) => {
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (before.incident.status === status) return { incident: before.incident, changed: false };
    const { incident } = await api.IncidentsService.UpdateStatus({ incidentID, status }, call);
    return { incident, changed: true };
  },
  // The timeline tells whether it was changed since it was asked for, or had been so all along.
  reconcile: async ({ api, call, askedAt }, { incidentID, status }) => {
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (incident.status !== status) return undefined;
    const { activityItems } = await api.ActivityService.QueryActivity(
      { query: { incidentID, activityKind: ['incidentStatusChanged'], orderDirection: 'DESC', limit: 1 } },
      call,
    );
    const changedAt = new Date(activityItems[0]?.createdTime ?? 0);
    return changedAt >= secondsAfter(askedAt, -clockSkew) ? { incident, changed: true } : undefined;
  },
  aim: ({ incidentID, status }) => `${status === 'resolved' ? 'resolve' : 'reopen'} ${incidentName(incidentID)}`,
  done: ({ incident, changed }, { status }, repeated) => {
    if (!changed || repeated) return alreadyWords(incident, status);
    const name = `Incident ${said(incident.incidentID, 40)}`;
    return sentence(
      status === 'resolved'
        ? `:large_green_circle: ${name} is resolved after ${formatDuration(incident.durationSeconds)}: “${said(incident.title)}”.`
        : `:red_circle: ${name} is open again: “${said(incident.title)}”. Its end time is cleared.`,
    );
  },
  follow: async (aftermath, { incident, changed }, change) => {
    if (!changed || aftermath.repeated) return { notes: [], troubles: [] };
    const trouble = await tellRoom(aftermath, incident.incidentID, channelLine(aftermath, incident, change));
    const open = change.status === 'resolved' ? openTasksLine(incident) : '';
    return { notes: open ? [open] : [], troubles: trouble ? [trouble] : [] };
  },
});

/** The line that everybody in the incident's channel reads. */
function channelLine({ actor }: Aftermath, incident: Incident, { status, summary }: StatusChange): string {
  const who = mention(actor.userId);
  if (status === 'active') return `:red_circle: ${incident.isDrill ? 'Drill reopened' : 'Reopened'} by ${who}.`;
  const what = incident.isDrill ? 'Drill resolved' : 'Resolved';
  const after = formatDuration(incident.durationSeconds);
  return `:large_green_circle: ${what} by ${who} after ${after}${summary ? `: ${said(summary, 2000)}` : '.'}`;
}

/** What a person who resolves may have overlooked. */
export function openTasksLine({ taskList }: Pick<Incident, 'taskList'>): string {
  const open = taskList.todoCount;
  return open === 0
    ? ''
    : `${open === 1 ? '1 task is' : `${open} tasks are`} still open: \`/task list\` shows ${open === 1 ? 'it' : 'them'}.`;
}

/**
 * The key under which this period of an incident ends: the change of status that began it. Whoever ends the same period,
 * once or several times, ends it once. Undefined when the API cannot tell.
 */
async function periodKey(turn: Turn, { incidentID, status }: StatusChange): Promise<string | undefined> {
  try {
    const { activityItems } = await turn.desk.api.ActivityService.QueryActivity({
      query: { incidentID, activityKind: ['incidentStatusChanged'], orderDirection: 'DESC', limit: 20 },
    });
    // Carried out again after a crash, it is still about the period in which it was asked for.
    const began = activityItems.find(each => new Date(each.createdTime) <= secondsAfter(turn.now, clockSkew));
    return `incident.status/${incidentID}/${status}/${began?.activityItemID ?? 'declared'}`;
  } catch (error) {
    turn.log.warn({ err: error, incident: incidentID }, 'the period of an incident is unknown');
    return undefined;
  }
}

/** Changes the status once, however often and by however many it is asked. */
async function submitOnce(turn: Turn, change: StatusChange): Promise<Outcome<z.output<typeof setStatus.result>>> {
  const { incidentID } = change;
  const key = await periodKey(turn, change);
  const outcome = await turn.submit(setStatus, change, { incidentID, ...(key ? { key } : {}) });
  if (!key || outcome.state !== 'done' || !outcome.repeated) return outcome;
  // It was done for this very act, which is carried out again after a crash: what others did since stays.
  const mine = await turn.desk.journal.find(outcome.id, turn.actor);
  if (mine && new Date(mine.row.created_at) >= turn.now) return outcome;
  // Somebody may have undone it where the timeline does not tell.
  const fresh = await turn.desk.api.IncidentsService.GetIncident({ incidentID }).catch(() => undefined);
  return fresh && fresh.incident.status !== change.status ? turn.submit(setStatus, change, { incidentID }) : outcome;
}

/** Changes the status and yields the words about it, or the way to tell why it was refused. */
export async function changeStatus(
  turn: Turn,
  change: StatusChange,
): Promise<{ readonly words: Words } | { readonly tellRefusal: () => Promise<void> }> {
  const outcome = await submitOnce(turn, change);
  if (outcome.state !== 'done') return { tellRefusal: () => turn.answerUndone(setStatus, change, outcome) };
  return { words: await afterwards(turn, setStatus, change, outcome) };
}
