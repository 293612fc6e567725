import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { toFormed } from '../../../contract/note-forms.ts';
import { trimEnd } from '../../../trim-end.ts';
import { offerInvitations } from '../../dispatch/answers/receipts.ts';
import { askTimes, readTypedTime, type TypedTime, wantsToChange } from '../../dispatch/command/typed-times.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import type { Filled } from '../../dispatch/feature/drafts.ts';
import { resolveFace } from '../../dispatch/feature/faces.ts';
import { type Feature, pressable } from '../../dispatch/feature/feature.ts';
import { choiceField, defineModal, fieldValue, severityField, textField } from '../../dispatch/forms/modal.ts';
import { incidentButton, onCard } from '../../dispatch/surfaces/card-buttons.ts';
import { type Args, flagOn, flagText } from '../../grammar/grammar.ts';
import { writingVerbs } from '../../grammar/verb.ts';
import { withoutPolite } from '../../grammar/words.ts';
import { defineIntent, type IntentContext, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { refuseUnless } from '../../incident/acts/only-from.ts';
import { readKnown } from '../../incident/acts/read-incident.ts';
import { headlined, updateLine } from '../../incident/lines/headline.ts';
import { removeNote, undoNote } from '../../incident/notes/intents.ts';
import { findTwinNote, findWritten, Note, Written, wordsOf, writeNote } from '../../incident/notes/notes.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { findSeverity, unknownSeverity } from '../../incident/state/settings.ts';
import { nextLine } from '../../incident/state/update-store.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { KeptMention, toMentioning, withGroups } from '../../people/kept-mentions.ts';
import { slackLimits } from '../../slack/limits.ts';
import { callout, context, section, toMrkdwn } from '../../text/blocks.ts';
import { toSlackTime } from '../../text/shown-times.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { formatDuration, secondsAfter, timeLength } from '../../text/times.ts';
import { cap, endSentence, stripControls, toLines } from '../../text/words.ts';

/** An update: its words, and when the next one is due (RFC 3339, `""` for no promise). */
const UpdateNote = Note.extend({
  nextAt: z.string(),
  /** The people whom its words name. Absent in what an older version stored. */
  mentions: z.array(KeptMention).default([]),
  /** The severity that it sets, and the one of before as the person saw it; `""` for none. */
  severity: z.string().default(''),
  severityBefore: z.string().default(''),
});
type UpdateNote = z.output<typeof UpdateNote>;

const PostedUpdate = Written.extend({
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

/** Tells everybody how an incident is going: a note on its timeline, which card and announcement show. It may set the severity too. */
const postUpdate = defineIntent({
  kind: 'update.post',
  payload: UpdateNote,
  result: PostedUpdate,
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
        ? { room: { words: updateLine(line.settings.severities, { ...line, was, next, said }), isOwnMessage: true } }
        : {}),
    };
  },
  stateChange: ({ severityWas }, { severity }) =>
    severityWas === undefined ? undefined : { severity, appliedNow: true },
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

/** Takes an update back that set the severity: the note goes, and the severity is as it was. Fails when a person set another one since. */
const undoUpdate = defineIntent({
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
      ...(line ? { room: { words: headlined({ sign: signs.undone, what, by: line.by }), isOwnMessage: true } } : {}),
    };
  },
  stateChange: (_result, { severity }) => ({ severity }),
  update: (_result, { activityItemID }) => ({ kind: 'removed', activityItemID }),
});

/** The longest promise of a next update, in minutes: tomorrow at any time. */
const maxMinutes = 48 * 60;

/** Minutes without a unit. */
const minutesAlone = /^(?:in\s+)?(\d{1,3})$/i;

/** Mentions that a form carries at most: its state has 3,000 characters in all. */
const maxCarried = 20;

/** The form's choices for the next update, in minutes: the usual ones, and one that was typed or is how often updates are promised (0: none). */
function promisesWith(minutes: number): readonly number[] {
  return [...new Set([15, 30, 60, ...(minutes > 0 ? [minutes] : [])])].toSorted((one, other) => one - other);
}

/** An update as a person gives it; `nextAt` is when the next one is due, undefined for no promise. */
interface NewUpdate {
  readonly text: string;
  readonly nextAt: Date | undefined;
  /** The people whom Slack made mentions of in the text. */
  readonly mentions: readonly KeptMention[];
  /** The severity that it sets, and the one that the person saw; `""` for none. */
  readonly severity: string;
  readonly severityBefore: string;
}

function tooLong(length: number): string {
  return `An update has at most ${slackLimits.inputText} characters, and this one has ${length}. Put the rest in a note.`;
}

async function post(ctx: Context, incidentID: string, { nextAt, mentions, ...given }: NewUpdate): Promise<void> {
  const { text } = given;
  const update = {
    incidentID,
    ...given,
    eventTime: ctx.now.toISOString(),
    ...wordsOf(ctx.actor),
    source: 'update',
    nextAt: nextAt?.toISOString() ?? '',
    mentions: [...(await withGroups(ctx.deps.slack, text, mentions))],
  };
  await ctx.carryOut(postUpdate, update, { incidentID });
}

const form = defineModal({
  id: 'incident.update',
  state: z.object({
    incidentID: z.string(),
    notice: z.string().default(''),
    mentions: z.array(KeptMention).max(maxCarried).default([]),
    /** The severity that the person saw; `""` where it was not known. */
    severity: z.string().default(''),
    /** In how many minutes the next update is promised unless the person says otherwise; 0 for no promise. */
    minutes: z.number().default(0),
    /** The promise that stands, as mrkdwn; `""` for none. */
    promise: z.string().default(''),
  }),
  view: ({ incidentID, notice, severity, minutes, promise }, filled, { settings }) => ({
    title: 'Post an update',
    submit: 'Post',
    blocks: [
      section(`It goes on the card of ${incidentLabel(incidentID)}, into its channel and under its announcement.`),
      ...(notice ? [callout('warning', notice)] : []),
      textField({ id: 'happened', label: 'What happened?', multiline: true }, filled),
      textField({ id: 'doing', label: 'What are we doing about it?', multiline: true, optional: true }, filled),
      severityField(
        { label: 'Severity', optional: true, ...(severity === '' ? { hint: 'Empty: it stays as it is' } : {}) },
        { severity, ...filled },
        settings,
      ),
      choiceField(
        {
          id: 'next',
          label: 'Next update',
          options: [
            { value: 'none', label: promise === '' ? 'Not set' : 'No further update is promised' },
            ...promisesWith(minutes).map(each => ({
              value: String(each),
              label: each > 60 ? `In ${formatDuration(each * 60)}` : `In ${each} minutes`,
            })),
          ],
        },
        { next: minutes > 0 ? String(minutes) : 'none', ...filled },
      ),
      ...(promise === '' ? [] : [context(promise)]),
    ],
  }),
  check: (filled, { severity: before, minutes }, { settings }) => {
    const part = (id: string) => stripControls(fieldValue(filled, id)).trim();
    const [happened, doing] = [part('happened'), part('doing')];
    // Most places show it on one line.
    const text = doing === '' ? happened : `${endSentence(happened)}\n${doing}`;
    if (happened === '') return { problems: { happened: 'Say in a sentence what happened.' } };
    if (text.length > slackLimits.inputText) return { problems: { happened: tooLong(text.length) } };
    const next = fieldValue(filled, 'next');
    const chosen = findSeverity(settings.severities, fieldValue(filled, 'severity')) ?? '';
    const severity = chosen === before ? '' : chosen;
    return { value: { text, minutes: promisesWith(minutes).find(each => String(each) === next) ?? 0, severity } };
  },
  submit: (ctx, { text, minutes, severity }, { incidentID, mentions, severity: severityBefore }) =>
    post(ctx, incidentID, {
      ...{ text, mentions, severity, severityBefore },
      nextAt: minutes === 0 ? undefined : secondsAfter(ctx.now, minutes * 60),
    }),
});

/** The beginning of an update on the stage before the end, which other tools have a command for. */
const mitigated = 'Mitigated:';

/** A word that asks for an act or for words, and says alone nothing of how it goes: `update undo`, `update when?`. */
const noStatement =
  /^(?:\S+\?|(?:undo|redo|delete|remove|edit|change|fix|cancel|stop|clear|show|see|list|help|again|on|off|who|what|when|where|why|how|me|us|all|everybody|everyone|it|this|that|yes|no|ok|okay|soon|later|now|tomorrow|asap)[.!]*)$/i;

/** The promise with which an update may end: “next update in 15 min”. */
const promise = /\bnext (?:update|one):? ((?:in|at|by) \S.{0,30})$/i;

async function runUpdate(ctx: Context, args: Args, incidentID: string): Promise<void> {
  const typedText = stripControls(args.text).trim();
  const isStage = /^\p{Lu}\p{L}+:$/u.test(typedText);
  const text = isStage && flagOn(args, 'now') ? typedText.replace(/:$/, '.') : typedText;
  const [, promised = ''] = promise.exec(text) ?? [];
  const within = promised === '' ? undefined : readNext(ctx, trimEnd(promised, /[.!]/).replace(/^by /i, 'at '));
  const typed = flagText(args, 'next') ?? (within && 'at' in within ? promised : undefined);
  const next = typed === promised ? within : typed === undefined ? undefined : readNext(ctx, typed);
  const mentions = args.mentions.slice(0, maxCarried);
  const { settings } = ctx.deps;
  const typedSeverity = flagText(args, 'severity') ?? '';
  const severity = findSeverity(settings.severities, typedSeverity) ?? '';
  const problems = [
    ...(next && 'problem' in next ? [next.problem] : []),
    ...(typedSeverity !== '' && severity === '' ? [toMrkdwn(unknownSeverity(settings, typedSeverity), 700)] : []),
    ...(text.length > slackLimits.inputText ? [tooLong(text.length)] : []),
  ];
  const isBegun =
    /^#?\d{1,9}$/.test(text) ||
    (typed === undefined && noStatement.test(text)) ||
    withoutPolite(text) === '' ||
    (text.endsWith(':') && isStage);
  const filled = { ...(text === '' ? {} : { happened: text }), ...(severity === '' ? {} : { severity }) };
  const open = () => openForm(ctx, incidentID, mentions, filled, minutesUntil(ctx, next));
  if (isBegun && problems.length === 0) return open();
  if (problems.length > 0) return ctx.reject(`${problems.join(' ')} Nothing was posted.`);
  if (wantsToChange(ctx)) return open();
  const time = next && 'at' in next ? next : undefined;
  if (time && (await askTimes(ctx, { times: [time], does: 'Post', incidentID }))) return;
  const severityBefore = severity === '' ? '' : severityOf(ctx, await readIncident(ctx, incidentID));
  await post(ctx, incidentID, { text, nextAt: time?.at, mentions: args.mentions, severity, severityBefore });
}

/** The incident; undefined where it is not known now. */
async function readIncident(ctx: Context, incidentID: string): Promise<Incident | undefined> {
  if (isProvisional(incidentID)) return undefined;
  try {
    return await readKnown(ctx.deps, incidentID);
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

/** The severity of an incident as the team calls it; `""` where it is not known. */
function severityOf({ deps }: Context, incident: Incident | undefined): string {
  return findSeverity(deps.settings.severities, incident?.severity ?? '') ?? '';
}

/** Opens the form. `typed`: in how many minutes the next update is due as the person typed it; undefined: as often as before, where it is promised. */
async function openForm(
  ctx: Context,
  incidentID: string,
  mentions: readonly KeptMention[] = [],
  filled: Filled = {},
  typed?: number,
): Promise<void> {
  const incident = await readIncident(ctx, incidentID);
  const isOver = incident?.status === 'resolved';
  const { update } = await ctx.deps.updates.latest(incident ?? { incidentID, status: '', summary: '' });
  const given = isOver || update?.nextAt === undefined ? undefined : update;
  const cadence = given?.nextAt ? Math.round((given.nextAt.getTime() - given.at.getTime()) / 60_000) : 0;
  const minutes = typed ?? Math.min(Math.max(cadence, 0), maxMinutes);
  const promise = given ? `An update ${given.isOverdue ? '' : 'is '}${nextLine(given)}.` : '';
  const severity = severityOf(ctx, incident);
  await ctx.openForm(form, { incidentID, notice: '', mentions: [...mentions], severity, minutes, promise }, filled);
}

/** Reads when the next update is due: `30` (minutes), `half an hour`, `14:30`. */
function readNext(ctx: Context, typed: string): TypedTime | { readonly problem: string } {
  const read = readTypedTime(ctx, 'next', typed.replace(minutesAlone, '$1m'), { isNext: true });
  const minutes = minutesUntil(ctx, read);
  if (minutes !== undefined && minutes >= 1 && minutes <= maxMinutes) return read;
  if ('problem' in read) return read;
  return { problem: `“${toMrkdwn(typed, 60)}” is not within two days. Say when the next update is due: 30m, 14:30.` };
}

function minutesUntil({ now }: Context, read: ReturnType<typeof readTypedTime> | undefined): number | undefined {
  return read && 'at' in read ? Math.round((read.at.getTime() - now.getTime()) / 60_000) : undefined;
}

const updateButton = incidentButton({ id: 'incident.update', label: 'Update' }, openForm);

/** Telling everybody how an incident is going. */
export const update: Feature = {
  verbs: [
    {
      noun: 'incident',
      verb: 'update',
      example: '`/incident update we roll back` tells everybody the news',
      grave: true,
      aliases: ['post', 'say'],
      shorthands: { mitigate: mitigated, mitigated, fixedwatching: 'Fixed, watching' },
      argumentKind: 'prose',
      asksBeforeVerbs: true,
      managed: { words: [...writingVerbs, 'update'], shownBy: 'timeline' },
      usage: '[what happened and what you do] [--next 30m] [--severity major]',
      summary: 'Post an update: on the card, in its channel and under the announcement; without words, in a form.',
      flags: {
        now: { kind: 'switch' },
        next: {
          kind: 'phrase',
          aliases: ['again'],
          length: words => timeLength(words) || Number(minutesAlone.test(words[0] ?? '')),
          hint: 'when the next update is due: 30m, half an hour, 14:30, tomorrow 9:00',
        },
        severity: { kind: 'text', aliases: ['sev'], hint: 'what the severity is now' },
      },
      run: runUpdate,
    },
  ],
  modals: [form],
  buttons: [updateButton],
  intents: [postUpdate, undoUpdate],
  onReminder: ({ kind, incidentID }) =>
    kind === 'update' || kind === 'news' ? [pressable(updateButton, { incidentID })] : [],
  onCard: ({ incidentID, status }) => (status === 'resolved' ? [] : [onCard('update', updateButton, { incidentID })]),
};
