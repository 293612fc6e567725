import { z } from 'zod';
import { Incident, incidentStatuses } from '../../../contract/incidents.ts';
import { isMistake, mistakeLabel } from '../../../contract/mistakes.ts';
import { offerInvitations } from '../../dispatch/answers/receipts.ts';
import { defineMomentIntent } from '../../incident/acts/event-times.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { clearMistake, leftOfMistake, markMistake, mistakeLine } from '../../incident/acts/mistake.ts';
import { refuseUnless } from '../../incident/acts/only-from.ts';
import { headlined } from '../../incident/lines/headline.ts';
import { toEnd } from '../../incident/lines/news.ts';
import { findTwinNote, findWritten, Note, Written, writeNote } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { KeptMention, toMentioning } from '../../people/kept-mentions.ts';
import { sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { formatDuration, secondsAfter } from '../../text/times.ts';
import { toLines } from '../../text/words.ts';
import { openTasksLine } from './open-tasks.ts';

/** How far the API's clock may be behind ours, in seconds. */
const clockSkew = 5;

const StatusChange = z.object({
  incidentID: z.string(),
  status: z.enum(incidentStatuses),
  /** The summary, or the reason of a reopening, in the channel's line; `""` for none. */
  summary: z.string(),
  /** The people whom the summary names; empty for a reopening, which is no announcement. Absent in what an older version stored. */
  mentions: z.array(KeptMention).default([]),
  /** The end before the person set one with the resolution; absent when they set none. */
  endBefore: z.string().optional(),
});
export type StatusChange = z.output<typeof StatusChange>;

/** The incident afterwards, whether this intent changed it, and the end that it had before (absent: not known). */
const StatusResult = z.object({
  incident: Incident,
  changed: z.boolean(),
  endBefore: z.string().optional(),
  /** Before it was opened again, it had been declared by mistake. */
  wasMistake: z.boolean().default(false),
});

/** Says that an incident has that status already. */
export function alreadyWords(incident: Incident, status: StatusChange['status']): Words {
  const name = incidentLabel(incident.incidentID, 'Incident');
  return sentence(
    status === 'resolved'
      ? `${name} is resolved already, since ${when(incident.closedTime || incident.incidentEnd)}.`
      : `${name} is active already. \`/incident resolve\` ends it.`,
  );
}

/**
 * Takes a resolution or a reopening back: the status and the end are as they were before. Fails when a person has resolved or reopened the
 * incident again since.
 */
export const undoStatus = defineIntent({
  kind: 'incident.status.undo',
  payload: z.object({
    incidentID: z.string(),
    /** The status to have again. */
    status: z.enum(incidentStatuses),
    /** The end to have again, RFC 3339; `""` for the one that the API sets. */
    end: z.string(),
    /** When the incident had been closed by the change that is taken back; `""` when it had been opened. */
    closedTime: z.string(),
    /** It had been declared by mistake. Absent in what an older version stored. */
    isMistake: z.boolean().default(false),
  }),
  result: z.object({
    incident: Incident,
    changed: z.boolean(),
    /** This attempt set the status. Absent in what an older version stored. */
    isSet: z.boolean().optional(),
  }),
  run: async (context, { incidentID, status, end, closedTime, isMistake }) => {
    const { api, call, isRetry } = context;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const isThere = incident.status === status;
    // An earlier attempt may have set the status, and not the end.
    if (isThere && !isRetry) return { incident, changed: false, isSet: false };
    if (!isThere) {
      refuseUnless(incident.closedTime, closedTime, 'a later end');
      await api.IncidentsService.UpdateStatus({ incidentID, status }, call);
    }
    if (isMistake) await markMistake(context, { ...incident, status });
    if (end !== '') {
      await api.IncidentsService.UpdateIncidentEventTime(
        { incidentID, activityItemKind: 'incidentEnd', eventTime: end },
        call,
      );
    }
    return { ...(await api.IncidentsService.GetIncident({ incidentID }, call)), changed: true, isSet: !isThere };
  },
  did: ({ incidentID, status }, { result, incident, line }) => {
    const what = status === 'active' ? 'resolution' : 'reopening';
    if (result && !result.changed && !line?.isUnsure)
      return { fact: `${incidentLabel(incidentID, 'Incident')} is ${status} already.`, isUnchanged: true };
    const now = status === 'active' ? 'Active again' : 'Resolved again';
    const news = line && headlined({ sign: signs.undone, what: `${now}: the ${what} was taken back`, by: line.by });
    return {
      ...{ sign: signs.undone, verb: 'take', what: `the ${what} of ${incident} back` },
      more: result ? `It is ${status} again: “${toMrkdwn(result.incident.title)}”.` : '',
      ...(news === undefined ? {} : { room: { words: news, isOwnMessage: true } }),
    };
  },
  stateChange: ({ changed, incident, isSet = false }, { status, isMistake }, isUnsure) => {
    if (!changed && !isUnsure) return undefined;
    const mistake = isMistake ? leftOfMistake(incident, '') : {};
    const left = status === 'resolved' ? { status, end: toEnd(incident, ''), ...mistake } : { status };
    return { ...left, appliedNow: isSet };
  },
});

/** Resolves or reopens an incident. Resolving keeps an end that was set; reopening clears it (docs/api-rules.md A6). */
export const setStatus = defineIntent({
  kind: 'incident.status',
  payload: StatusChange,
  result: StatusResult,
  run: async (context, { incidentID, status }) => {
    const { api, call, isRetry } = context;
    const before = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (before.incident.status === status) return { incident: before.incident, changed: false, wasMistake: false };
    const clears = status === 'active';
    const isCleared = clears && (await clearMistake(context, before.incident));
    const wasMistake = isCleared || (clears && isRetry && (await wasCleared(context, incidentID)));
    const { incident } = await api.IncidentsService.UpdateStatus({ incidentID, status }, call);
    return { incident, changed: true, endBefore: before.incident.incidentEnd, wasMistake };
  },
  reconcile: findChanged,
  did: (change, { result, incident: name, line }) => {
    const isOver = change.status === 'resolved';
    const verb = isOver ? 'resolve' : 'reopen';
    if (!result) return { verb, what: name };
    const { incident, changed } = result;
    if (!changed && !line?.isUnsure) return { fact: alreadyWords(incident, change.status).text };
    const title = `“${toMrkdwn(incident.title)}”`;
    return {
      ...{ verb, sign: isOver ? incidentSigns.resolved : incidentSigns.reopened },
      what: isOver ? `${name} after ${formatDuration(incident.durationSeconds)}: ${title}` : `${name}: ${title}`,
      more: isOver ? '' : 'Its end time is cleared.',
      ...(line ? { room: { words: statusLine(line.by, incident, change), isOwnMessage: true } } : {}),
    };
  },
  mapTexts: (change, toText) => ({ ...change, summary: toText(change.summary) }),
  stateChange: ({ changed, incident, wasMistake }, { status, summary }, isUnsure) => {
    if (!changed && !isUnsure) return undefined;
    if (status === 'resolved') return { status, end: toEnd(incident, summary) };
    return { status, ...(wasMistake ? leftOfMistake(incident, '') : {}) };
  },
  afterDone: async (ctx, { incident, changed }, change) => {
    if (!changed || ctx.repeated) return { notes: [], troubles: [] };
    const { notes, ...offer } = await offerInvitations(ctx, change.incidentID, change.mentions);
    const open = change.status === 'resolved' ? openTasksLine(incident) : '';
    // A room that reads what comes next reads of the open tasks there.
    const room = await ctx.deps.rooms.ofIncident(change.incidentID);
    const isToldNext = room && room.channelId !== '' && room.receipts !== 'quiet';
    return { ...offer, notes: [...notes, ...(open && !isToldNext ? [open] : [])] };
  },
  undo: (result, { incidentID, status, endBefore = result.endBefore }): Undo | undefined => {
    const { incident, changed, wasMistake } = result;
    // A change whose answer was lost does not tell the end of before.
    if (!changed || endBefore === undefined) return undefined;
    const payload = { incidentID, end: endBefore, closedTime: incident.closedTime };
    return status === 'resolved'
      ? toUndo(
          undoStatus,
          { ...payload, status: 'active', isMistake: false },
          { afterwards: '`/incident reopen` opens it again.' },
        )
      : toUndo(
          undoStatus,
          { ...payload, status: 'resolved', isMistake: wasMistake },
          { afterwards: '`/incident resolve` ends it.' },
        );
  },
});

/** The line in the incident's room. */
function statusLine(by: string, incident: Incident, { status, summary, mentions }: StatusChange): string {
  const said = toMentioning(toLines(summary), mentions, 2000);
  if (status === 'active') {
    const what = incident.isDrill ? 'Drill reopened' : 'Reopened';
    return headlined({ sign: incidentSigns.reopened, what, by, said });
  }
  const what = `${incident.isDrill ? 'Drill resolved' : 'Resolved'} after ${formatDuration(incident.durationSeconds)}`;
  return headlined({ sign: incidentSigns.resolved, what, by, said });
}

/**
 * The change of an earlier attempt whose answer was lost: the last one on the timeline, if it was made since the intent was
 * asked for, and not by a sibling intent.
 */
async function findChanged(
  context: IntentContext,
  { incidentID, status }: StatusChange,
): Promise<z.output<typeof StatusResult> | undefined> {
  const { api, call, askedAt, siblingResults } = context;
  const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
  if (incident.status !== status) return undefined;
  const { activityItems } = await api.ActivityService.QueryActivity(
    { query: { incidentID, activityKind: ['incidentStatusChanged'], orderDirection: 'DESC', limit: 2 } },
    call,
  );
  const [last, before] = activityItems;
  if (!last || new Date(last.createdTime) < secondsAfter(askedAt, -clockSkew)) return undefined;
  // Between two changes to the same status lies one to another.
  const since = new Date(before?.createdTime ?? 0);
  const isTaken = (await siblingResults())
    .map(each => StatusResult.parse(each))
    .some(each => each.changed && each.incident.status === status && new Date(each.incident.modifiedTime) > since);
  if (isTaken) return undefined;
  return { incident, changed: true, wasMistake: status === 'active' && (await wasCleared(context, incidentID)) };
}

/** Whether a reopening whose answer was lost took the mark of a mistake away first. */
async function wasCleared({ api, call, askedAt }: IntentContext, incidentID: string): Promise<boolean> {
  const query = { incidentID, activityKind: ['labelRemoved' as const], orderDirection: 'DESC' as const, limit: 1 };
  const { activityItems } = await api.ActivityService.QueryActivity({ query }, call);
  const [last] = activityItems;
  if (!last || new Date(last.createdTime) < secondsAfter(askedAt, -clockSkew)) return false;
  return [undefined, mistakeLabel].includes(last.fieldValues.label as string | undefined);
}

/** Sets the end that a person typed. */
export const setEnd = defineMomentIntent('incident.resolve.end');

/** Puts the summary of a resolution, or the reason of a reopening, on the timeline. */
export const addSummary = defineIntent({
  kind: 'incident.resolve.summary',
  payload: Note,
  result: Written,
  run: writeNote,
  reconcile: findWritten,
  findTwin: findTwinNote,
  did: ({ text }, { incident }) => ({
    ...{ sign: signs.note, verb: 'put', room: [] },
    what: `the summary “${toMrkdwn(toLines(text), 200)}” on the timeline of ${incident}`,
  }),
  mapTexts: (note, change) => ({ ...note, text: change(note.text) }),
  update: ({ activityItemID }, { source, text, eventTime }) =>
    source === 'resolution'
      ? { kind: 'given', as: 'outcome', activityItemID, text, at: new Date(eventTime), nextAt: undefined }
      : undefined,
});

/** Says that nothing is left to mark. */
export function mistakeAlready(incidentID: string): string {
  return `${incidentLabel(incidentID, 'Incident')} is declared by mistake already. \`/incident reopen\` opens it again.`;
}

/** The status and the end of an incident before it was marked. */
const Before = z.object({ status: z.enum(incidentStatuses), end: z.string() });

/** Says that an incident was declared by mistake: it is over, and counts in no figures (`contract/mistakes.ts`). */
export const setMistake = defineIntent({
  kind: 'incident.mistake',
  payload: z.object({
    incidentID: z.string(),
    /** Why, as the person typed it; `""` when they only say so. */
    why: z.string(),
  }),
  result: z.object({
    incident: Incident,
    changed: z.boolean(),
    /** Absent when an earlier attempt may have marked it. */
    before: Before.optional(),
  }),
  run: async (context, { incidentID }) => {
    const { api, call, isRetry } = context;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (isMistake(incident) && !isRetry) return { incident, changed: false };
    const before = {
      status: incident.status === 'resolved' ? ('resolved' as const) : ('active' as const),
      end: incident.incidentEnd,
    };
    return { incident: await markMistake(context, incident), changed: true, ...(isRetry ? {} : { before }) };
  },
  did: ({ incidentID, why }, { result, incident, line }) => {
    if (result && !result.changed && !line?.isUnsure) return { fact: mistakeAlready(incidentID) };
    const news = line && mistakeLine(line.by, toMrkdwn(why, 2000));
    return {
      ...{ sign: signs.undone, verb: 'mark', what: `${incident} as declared by mistake` },
      ...(news === undefined ? {} : { room: { words: news, isOwnMessage: true } }),
    };
  },
  mapTexts: (payload, change) => ({ ...payload, why: change(payload.why) }),
  stateChange: ({ incident, changed }, { why }, isUnsure) =>
    changed || isUnsure ? { status: 'resolved', ...leftOfMistake(incident, why) } : undefined,
  undo: ({ incident, before }, { incidentID }): Undo | undefined =>
    before &&
    toUndo(
      undoMistake,
      { incidentID, ...before, closedTime: incident.closedTime },
      { afterwards: '`/incident reopen` opens it again.' },
    ),
});

/** Takes that back: the incident is as it was before, unless a person has changed that since. */
export const undoMistake = defineIntent({
  kind: 'incident.mistake.undo',
  payload: Before.extend({ incidentID: z.string(), closedTime: z.string() }),
  result: z.object({ incident: Incident, changed: z.boolean() }),
  run: async (context, { incidentID, status, end, closedTime }) => {
    const { api, call, isRetry } = context;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (!isMistake(incident) && !isRetry) return { incident, changed: false };
    if (incident.status === 'resolved') refuseUnless(incident.closedTime, closedTime, 'a later end');
    await clearMistake(context, incident);
    if (status === 'active' && incident.status !== 'active') {
      await api.IncidentsService.UpdateStatus({ incidentID, status }, call);
      // An end that was set before it was over.
      const moment = { incidentID, activityItemKind: 'incidentEnd' as const, eventTime: end };
      if (end !== '') await api.IncidentsService.UpdateIncidentEventTime(moment, call);
    }
    return { ...(await api.IncidentsService.GetIncident({ incidentID }, call)), changed: true };
  },
  did: ({ incidentID }, { result, incident: name, line }) => {
    const { incident, changed } = result ?? {};
    const status = incident?.status ?? '';
    if (changed === false && !line?.isUnsure)
      return { fact: `${incidentLabel(incidentID, 'Incident')} is ${status} already.`, isUnchanged: true };
    return {
      ...{ sign: signs.undone, verb: 'take', what: `back that ${name} was declared by mistake` },
      more: incident ? `It is ${status} again: “${toMrkdwn(incident.title)}”.` : '',
    };
  },
  stateChange: ({ incident, changed }, { status }, isUnsure) =>
    changed || isUnsure ? { status, ...leftOfMistake(incident, '') } : undefined,
});
