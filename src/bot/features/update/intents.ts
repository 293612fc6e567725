import { z } from 'zod';
import { toFormed } from '../../../contract/note-forms.ts';
import { offerInvitations } from '../../dispatch/answers/receipts.ts';
import { resolveFace } from '../../dispatch/feature/faces.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { refuseUnless } from '../../incident/acts/only-from.ts';
import { headlined, updateLine } from '../../incident/lines/headline.ts';
import { removeNote, undoNote } from '../../incident/notes/intents.ts';
import { findTwinNote, findWritten, Note, Written, writeNote } from '../../incident/notes/notes.ts';
import { KeptMention, toMentioning } from '../../people/kept-mentions.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { toSlackTime } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { cap, toLines } from '../../text/words.ts';

/** An update: its words, and when the next one is due (RFC 3339, `""` for no promise). */
const UpdateNote = Note.extend({
  nextAt: z.string(),
  /** Whom its words name. Absent in what an older version stored. */
  mentions: z.array(KeptMention).default([]),
  /** The severity that it sets, and the one of before as the person saw it; `""` for none. */
  severity: z.string().default(''),
  severityBefore: z.string().default(''),
});
type UpdateNote = z.output<typeof UpdateNote>;

const Posted = Written.extend({
  /** The severity of before, when the update changed it. */
  severityWas: z.string().optional(),
});

/** The note as the timeline has it. */
function toNote(update: UpdateNote): Note {
  return { ...update, text: toFormed('update', update.text) };
}

/** How an update on the stage before the end begins: the end may be next. */
const stage = /^(?:mitigated|stable|stabili[sz]ed|fixed,? watching|monitoring)\b/iu;

function nextWords({ nextAt, eventTime }: UpdateNote): string {
  if (nextAt === '') return '';
  return `next by ${toSlackTime(new Date(nextAt), new Date(eventTime))}`;
}

/** Sets the severity that comes with an update. It is set before the note is written, so an attempt that finds the note has set it. */
async function setSeverity({ api, call, isRetry }: IntentContext, update: UpdateNote) {
  const { incidentID, severity } = update;
  if (severity === '') return {};
  const before = await api.IncidentsService.GetIncident({ incidentID }, call);
  const was = before.incident.severity;
  // An earlier attempt may have set it.
  if (isSame(was, severity)) return isRetry ? wasBefore(update) : {};
  await api.IncidentsService.UpdateSeverity({ incidentID, severity }, call);
  return { severityWas: was };
}

function wasBefore({ severity, severityBefore }: UpdateNote) {
  return severityBefore === '' || isSame(severity, severityBefore) ? {} : { severityWas: severityBefore };
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Tells everybody how an incident stands: a note on its timeline, which card and announcement show. It may set the severity too. */
export const postUpdate = defineIntent({
  kind: 'update.post',
  payload: UpdateNote,
  result: Posted,
  run: async (context, update) => {
    const severity = await setSeverity(context, update);
    return { ...(await writeNote(context, toNote(update))), ...severity };
  },
  reconcile: async (context, update) => {
    const found = await findWritten(context, toNote(update));
    return found && { ...found, ...(update.severity === '' ? {} : wasBefore(update)) };
  },
  findTwin: (context, update, written) => findTwinNote(context, toNote(update), written),
  did: (update, { result, incident, line }) => {
    const quote = toMrkdwn(toLines(update.text), 300);
    if (!result) return { verb: 'post', what: `“${quote}” as the update of ${incident}` };
    const { severityWas: was } = result;
    const next = nextWords(update);
    const more = [...(was === undefined ? [] : [`severity *${toMrkdwn(update.severity, 60)}*`]), next];
    const said = toMentioning(toLines(update.text), update.mentions, 2000);
    const rest = more.filter(each => each !== '').join(', ');
    return {
      ...{ sign: incidentSigns.update, verb: 'post' },
      what: `the update of ${incident}: “${quote}”${rest === '' ? '' : ` (${rest})`}`,
      ...(line
        ? { room: { words: updateLine(line.settings.severities, { ...line, was, next, said }), isAlone: true } }
        : {}),
    };
  },
  leaves: ({ severityWas }, { severity }) => (severityWas === undefined ? undefined : { severity, isMadeNow: true }),
  mapTexts: (update, change) => ({ ...update, text: change(update.text) }),
  update: ({ activityItemID, severityWas }, { text, eventTime, nextAt, severity }) => ({
    kind: 'given',
    as: 'update',
    ...{ activityItemID, text, at: new Date(eventTime), nextAt: nextAt === '' ? undefined : new Date(nextAt) },
    ...(severityWas === undefined ? {} : { severity }),
  }),
  undo: ({ activityItemID, severityWas }, { incidentID, text, severity: only }): Undo =>
    severityWas === undefined
      ? undoNote({ incidentID, activityItemID }, text)
      : toUndo(undoUpdate, { incidentID, activityItemID, text: cap(text, 300), severity: severityWas, only }),
  afterDone: async (ctx, _item, { incidentID, mentions, text }) => {
    const offer = await offerInvitations(ctx, incidentID, mentions);
    if (!stage.test(text) || (await ctx.deps.snapshots.get(incidentID))?.summary.status === 'resolved') return offer;
    return { ...offer, buttons: [...offer.buttons, pressable(resolveFace, { incidentID })] };
  },
});

/** Takes an update back that set the severity: the note goes, and the severity is as it was. Fails when somebody set another one since. */
export const undoUpdate = defineIntent({
  kind: 'update.undo',
  payload: z.object({
    incidentID: z.string(),
    activityItemID: z.string(),
    text: z.string(),
    /** The severity to have again. */
    severity: z.string(),
    only: z.string(),
  }),
  result: z.object({}),
  run: async (context, { incidentID, activityItemID, text, severity, only }) => {
    const { api, call } = context;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    if (!isSame(incident.severity, severity)) {
      if (!isSame(incident.severity, only)) refuseUnless(incident.severity, only);
      await api.IncidentsService.UpdateSeverity({ incidentID, severity }, call);
    }
    await removeNote.run(context, { incidentID, activityItemID, text });
    return {};
  },
  did: ({ text, severity }, { incident, line }) => {
    const what = `Update taken back: the severity is ${toMrkdwn(severity, 60)} again`;
    return {
      ...{ sign: signs.undone, verb: 'take', what: `the update “${toMrkdwn(toLines(text), 200)}” of ${incident} back` },
      more: `Its severity is *${toMrkdwn(severity, 60)}* again.`,
      ...(line ? { room: { words: headlined({ sign: signs.undone, what, by: line.by }), isAlone: true } } : {}),
    };
  },
  leaves: (_result, { severity }) => ({ severity }),
  update: (_result, { activityItemID }) => ({ kind: 'removed', activityItemID }),
});
