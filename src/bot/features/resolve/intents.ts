import { z } from 'zod';
import { Incident, incidentStatuses } from '../../../contract/incidents.ts';
import { isMistake, mistakeLabel } from '../../../contract/mistakes.ts';
import { offerInvitations } from '../../dispatch/answers/receipts.ts';
import { defineMomentIntent } from '../../incident/acts/event-times.ts';
import {
  type AfterDoneContext,
  defineIntent,
  type IntentContext,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { clearMistake, leftOfMistake, markMistake, mistakeLine } from '../../incident/acts/mistake.ts';
import { refuseUnless } from '../../incident/acts/only-from.ts';
import { headlined } from '../../incident/lines/headline.ts';
import { toEnd } from '../../incident/lines/news.ts';
import { findTwinNote, findWritten, Note, Written, writeNote } from '../../incident/notes/notes.ts';
import { incidentLabel, incidentName } from '../../incident/state/incident-name.ts';
import { KeptMention, toMentioning } from '../../people/kept-mentions.ts';
import { sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { when } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { formatDuration, secondsAfter } from '../../text/times.ts';
import { cap, toLines } from '../../text/words.ts';
import { openTasksLine } from './open-tasks.ts';

/** How far the API's clock may be behind ours, in seconds. */
const clockSkew = 5;

const StatusChange = z.object({
  incidentID: z.string(),
  status: z.enum(incidentStatuses),
  /** The summary, or the reason of a reopening, in the channel's line; `""` for none. */
  summary: z.string(),
  /** Whom the summary names; empty for a reopening, which is no announcement. Absent in what an older version stored. */
  mentions: z.array(KeptMention).default([]),
  /** The end before the person set one with the resolution; absent when they set none. */
  endBefore: z.string().optional(),
});
/** A change of the status, as it is asked for. */
export type StatusChange = z.output<typeof StatusChange>;

/** The incident afterwards, whether this intent changed it, and the end that it had before (absent: not known). */
const Changed = z.object({
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
 * Takes a resolution or a reopening back: the status and the end are as they were before. Fails when somebody has resolved or reopened the
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
  room: {
    leaves: ({ changed, incident }, { status, isMistake }, isUnsure) => {
      if (!changed && !isUnsure) return undefined;
      const mistake = isMistake ? leftOfMistake(incident, '') : {};
      return status === 'resolved' ? { status, end: toEnd(incident, ''), ...mistake } : { status };
    },
    isMadeNow: ({ isSet = false }) => isSet,
    line: (_result, { status }, { by }) => {
      const what = status === 'active' ? 'Active again: the resolution' : 'Resolved again: the reopening';
      return { words: headlined({ sign: signs.undone, what: `${what} was taken back`, by }), isAlone: true };
    },
  },

  describe: ({ incidentID, status }) =>
    status === 'active'
      ? `take the resolution of ${incidentName(incidentID)} back`
      : `resolve ${incidentName(incidentID)} again`,

  answer: {
    receipt: ({ incident, changed }, { status }, repeated) => {
      const name = incidentLabel(incident.incidentID, 'Incident');
      const title = toMrkdwn(incident.title);
      const state = status === 'active' ? 'active again' : 'resolved, as before';
      return sentence(
        changed && !repeated
          ? `${signs.undone} ${name} is ${state}: “${title}”.`
          : `${name} is ${status} already. Nothing was changed.`,
      );
    },
  },
});

/** Resolves or reopens an incident. Resolving keeps an end that was set; reopening clears it (docs/api-rules.md A6). */
export const setStatus = defineIntent({
  kind: 'incident.status',
  payload: StatusChange,
  result: Changed,
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
  mapTexts: (change, toText) => ({ ...change, summary: toText(change.summary) }),
  room: {
    leaves: ({ changed, incident, wasMistake }, { status, summary }, isUnsure) => {
      if (!changed && !isUnsure) return undefined;
      if (status === 'resolved') return { status, end: toEnd(incident, summary) };
      return { status, ...(wasMistake ? leftOfMistake(incident, '') : {}) };
    },
    line: ({ incident }, change, { by }) => ({ words: statusLine(by, incident, change), isAlone: true }),
  },
  describe: ({ incidentID, status }) => `${status === 'resolved' ? 'resolve' : 'reopen'} ${incidentName(incidentID)}`,
  answer: {
    receipt: ({ incident, changed }, { status }, repeated) => {
      if (!changed || repeated) return alreadyWords(incident, status);
      const name = incidentLabel(incident.incidentID, 'Incident');
      return sentence(
        status === 'resolved'
          ? `${incidentSigns.resolved} ${name} is resolved after ${formatDuration(incident.durationSeconds)}: “${toMrkdwn(incident.title)}”.`
          : `${incidentSigns.reopened} ${name} is open again: “${toMrkdwn(incident.title)}”. Its end time is cleared.`,
      );
    },
    beside: ({ changed }, { status }) =>
      changed
        ? status === 'resolved'
          ? `${incidentSigns.resolved} Resolved.`
          : `${incidentSigns.reopened} Open again.`
        : undefined,
    afterDone: async (ctx, { incident, changed }, change) => {
      if (!changed || ctx.repeated) return { notes: [], troubles: [] };
      const { notes, ...offer } = await offerInvitations(ctx, change.incidentID, change.mentions);
      const open = change.status === 'resolved' ? openTasksLine(incident) : '';
      return { ...offer, notes: [...notes, ...(open && !(await isToldNext(ctx, change.incidentID)) ? [open] : [])] };
    },
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

/** Whether the room reads what comes next, with the tasks that are still open. */
async function isToldNext({ deps }: AfterDoneContext, incidentID: string): Promise<boolean> {
  const room = await deps.rooms.ofIncident(incidentID);
  return room !== undefined && room.channelId !== '' && (room.receipts || deps.settings.receipts) !== 'quiet';
}

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
): Promise<z.output<typeof Changed> | undefined> {
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
    .map(each => Changed.parse(each))
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
  mapTexts: (note, change) => ({ ...note, text: change(note.text) }),
  describe: ({ text, incidentID }) =>
    `put the summary “${cap(text, 200)}” on the timeline of ${incidentName(incidentID)}`,
  room: {
    update: ({ activityItemID }, { source, text, eventTime }) =>
      source === 'resolution'
        ? { kind: 'given', as: 'outcome', activityItemID, text, at: new Date(eventTime), nextAt: undefined }
        : undefined,
  },
  answer: {
    receipt: (_item, _note, repeated) => {
      const text = repeated
        ? 'The summary is on the timeline already.'
        : `${signs.note} The summary is on the timeline.`;
      return sentence(text);
    },
  },
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
  mapTexts: (payload, change) => ({ ...payload, why: change(payload.why) }),
  room: {
    leaves: ({ incident, changed }, { why }, isUnsure) =>
      changed || isUnsure ? { status: 'resolved', ...leftOfMistake(incident, why) } : undefined,
    line: (_result, { why }, { by }) => ({ words: mistakeLine(by, toMrkdwn(why, 2000)), isAlone: true }),
  },
  undo: ({ incident, before }, { incidentID }): Undo | undefined =>
    before &&
    toUndo(
      undoMistake,
      { incidentID, ...before, closedTime: incident.closedTime },
      { afterwards: '`/incident reopen` opens it again.' },
    ),
  describe: ({ incidentID }) => `mark ${incidentName(incidentID)} as declared by mistake`,
  answer: {
    receipt: ({ incident, changed }, _payload, repeated) => {
      const name = incidentLabel(incident.incidentID, 'Incident');
      return sentence(
        changed && !repeated
          ? `${signs.undone} ${name} was declared by mistake: “${toMrkdwn(incident.title)}”.`
          : mistakeAlready(incident.incidentID),
      );
    },
    beside: ({ changed }) => (changed ? `${signs.undone} Done.` : undefined),
  },
});

/** Takes that back: the incident is as it was before, unless somebody has changed that since. */
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
  room: {
    leaves: ({ incident, changed }, { status }, isUnsure) =>
      changed || isUnsure ? { status, ...leftOfMistake(incident, '') } : undefined,
    line: (_result, _payload, { by }) => `${signs.undone} ${by} took it back: it was not a mistake.`,
  },
  describe: ({ incidentID }) => `take back that ${incidentName(incidentID)} was declared by mistake`,
  answer: {
    receipt: ({ incident, changed }, _payload, repeated) => {
      const name = incidentLabel(incident.incidentID, 'Incident');
      return sentence(
        changed && !repeated
          ? `${signs.undone} ${name} is ${incident.status === 'resolved' ? 'resolved' : 'active'} again: “${toMrkdwn(incident.title)}”.`
          : `${name} is ${incident.status} already. Nothing was changed.`,
      );
    },
  },
});
