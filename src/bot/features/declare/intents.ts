import { z } from 'zod';
import { RpcError } from '../../../contract/errors.ts';
import { Incident, type IncidentPreview } from '../../../contract/incidents.ts';
import { addEvidence } from '../../alerts/evidence.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { openPageFace } from '../../dispatch/feature/faces.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import {
  type AfterDoneContext,
  defineIntent,
  type IntentContext,
  toConsequence,
  toUndo,
  type Undo,
} from '../../incident/acts/intent-kind.ts';
import { leftOfMistake, markMistake, mistakeLine } from '../../incident/acts/mistake.ts';
import { changedSince } from '../../incident/acts/only-from.ts';
import { apiClockSkew } from '../../incident/api/clock.ts';
import type { Did } from '../../incident/lines/did.ts';
import { Claimed, claimNotes, toClaimed } from '../../incident/notes/claim.ts';
import { addNote } from '../../incident/notes/intents.ts';
import { quoteConsequence, toMessagePayload } from '../../incident/notes/message-note.ts';
import { findWritten, listNotes, type Note, wordsOf, writeNote } from '../../incident/notes/notes.ts';
import { setSummary, summarySources } from '../../incident/notes/summary.ts';
import { makeRoom } from '../../incident/room/make.ts';
import { roomLane } from '../../incident/room/plan.ts';
import { asPrivate, hasPrivateRoom } from '../../incident/room/private-room.ts';
import { setUpRoom } from '../../incident/room/set-up.ts';
import { alreadyTaken } from '../../incident/state/alert-store.ts';
import { outsideAge } from '../../incident/state/channels.ts';
import { incidentLabel, roomMention } from '../../incident/state/incident-name.ts';
import { learnHolder, readCommander, roleAsHeld } from '../../incident/state/roles.ts';
import { mistakeName } from '../../incident/state/state-words.ts';
import { declaredSummary } from '../../incident/state/update-store.ts';
import type { Consequence } from '../../journal/intent.ts';
import { provisionalID } from '../../journal/provisional-id.ts';
import { consequenceKey } from '../../journal/store.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { secondsAfter, toSlackDate } from '../../text/times.ts';
import { alertKey, Declaration, type DeclarationWish, mapTexts, readAlertParts } from './declaration.ts';
import { awaitRoom, hasRoom, markSource, originLine, roomStep, tellSource, toRoomPlan } from './place.ts';

/** Declares an incident. Its room, its start and its commander follow. */
export const declareIncident = defineIntent({
  kind: 'incident.declare',
  payload: Declaration,
  result: z.object({
    incident: Incident,
    /** Its room was made while it waited to be registered. */
    hadRoom: z.boolean().default(false),
  }),
  run: async (context, wish) => {
    const { id, api, call, deps } = context;
    if (wish.alert !== '' && !(await deps.alerts.isFor(wish.alert, id))) throw alreadyTaken();
    // The room may have been made private while the declaration waited.
    const isPrivate = wish.isPrivate || (await hasPrivateRoom(deps, provisionalID(id), outsideAge));
    const { incident } = await api.IncidentsService.CreateIncident(
      {
        title: wish.title,
        severity: wish.severity,
        labels: wish.labels.map(label => ({ label })),
        roomPrefix: wish.roomPrefix,
        isDrill: wish.isDrill,
        status: wish.isResolved ? 'resolved' : 'active',
        attachCaption: wish.attachCaption,
        attachURL: wish.attachURL,
      },
      isPrivate ? asPrivate(call) : call,
    );
    return { incident, hadRoom: await hadRoom(context) };
  },
  reconcile: async (context, wish) => {
    const found = await findDeclared(context, wish, each => isRegistered(context, each));
    return found && { ...found, hadRoom: await hadRoom(context) };
  },
  findTwin: async (context, wish, { incident }) => {
    const isKnown = async (id: string) => id === incident.incidentID || (await isRegistered(context, id));
    const twin = await findDeclared(context, wish, isKnown);
    if (twin === undefined) return undefined;
    const name = incidentLabel(twin.incident.incidentID);
    return `${name} is this incident once more, since an answer came late. It has no channel: \`/incident cancel ${twin.incident.incidentID}\` ends it.`;
  },
  did: (wish, { result, incident: name, line }) => {
    if (!result) return { verb: 'declare', what: `“${toMrkdwn(wish.title)}”` };
    const { incident } = result;
    const what = `“${toMrkdwn(incident.title)}”, severity ${toMrkdwn(incident.severity, 60)}`;
    const drill = incident.isDrill ? ' (a drill)' : '';
    const declared: Did =
      incident.status === 'resolved'
        ? { sign: incidentSigns.resolved, verb: 'record', what: `${name} as over: ${what}` }
        : { sign: incidentSigns.declared, verb: 'declare', what: `${name}${drill}: ${what}` };
    if (!line) return declared;
    // Only a declaration that was queued has a room already.
    const registered = {
      words: `${signs.done} ${line.settings.apiName} answers again. This is ${incidentLabel(incident.incidentID)} now.`,
      isOwnMessage: true,
      of: 'channel',
    } as const;
    // The message of an alert says it in its own place.
    return {
      ...declared,
      room: [registered, ...(hasRoom(wish) && wish.alert === '' ? originLine(incident, wish) : [])],
    };
  },
  mapTexts,
  whileQueued: async (ctx, wish) => {
    if (!hasRoom(wish)) return { notes: [], troubles: [] };
    return await awaitRoom(ctx, wish, provisionalID(ctx.id));
  },
  afterDone: async (ctx, { incident }, wish) => {
    const { incidentID } = incident;
    const buttons = ctx.deps.pageLink ? [pressable(openPageFace, { incidentID })] : [];
    const made = hasRoom(wish) && !ctx.repeated ? await awaitRoom(ctx, wish, incidentID) : undefined;
    const times = ctx.repeated ? '' : await timesWords(ctx, wish);
    const said = times === '' ? [] : [times];
    if (!hasRoom(wish)) {
      const id = toMrkdwn(incidentID, 40);
      const troubles = await tellSource(ctx, incident, wish);
      return {
        notes: ctx.repeated
          ? []
          : [
              ...said,
              `It has no channel and is not announced. \`/incident status ${id}\` shows it, \`/note … --incident ${id}\` adds to its timeline.`,
            ],
        troubles,
        buttons,
      };
    }
    if (made === undefined) {
      const where = roomMention(await ctx.deps.rooms.ofIncident(incidentID));
      return { notes: where ? [`It is handled in ${where}.`] : [], troubles: [], buttons };
    }
    return {
      ...made,
      notes: [...said, ...made.notes],
      troubles: [...made.troubles, ...(await markSource(ctx, wish))],
      buttons,
    };
  },
  undo: ({ incident }, wish): Undo | undefined => {
    if (wish.isResolved) return undefined;
    const { incidentID, title, severity } = incident;
    const { isDrill, declaredBy, commanderID, declarerName: by } = wish;
    const notes = [wish.quote, wish.details, wish.summary].filter(each => each !== undefined).length;
    const payload = { incidentID, wish: { title, severity, isDrill, declaredBy, commanderID }, notes, by };
    return toUndo(takeBack, payload, { minutes: takeBackMinutes, afterwards: '`/incident resolve` ends it.' });
  },
  links: ({ alert: offer }) => ({ offer }),
  declares: {
    subject: ({ incident }) => incident.incidentID,
    incident: ({ incident }) => incident,
    // The title as they typed it: others may have changed it since.
    ownReceipt: ({ incident: { incidentID } }, { title, isResolved }) =>
      `${incidentLabel(incidentID, 'Incident')} is ${isResolved ? 'recorded as over' : 'declared'}: “${toMrkdwn(title)}”. *Join* its channel to see more.`,
  },
  // The card shows it before its note is written.
  update: ({ incident: { incidentID } }, { summary }) =>
    summary && {
      kind: 'given',
      as: 'summary',
      ...{ activityItemID: declaredSummary(incidentID), text: summary.text, nextAt: undefined },
      at: new Date(summary.eventTime),
    },
  consequences: ({ incident: { incidentID, createdTime }, hadRoom }, wish) => [
    ...toStart(incidentID, createdTime, wish),
    ...(wish.summary ? [toConsequence(setSummary, { ...wish.summary, incidentID }, 'summary')] : []),
    ...(wish.quote ? [quoteConsequence(incidentID, wish.quote)] : []),
    ...(wish.takeCommand
      ? [
          toConsequence(
            takeCommand,
            { incidentID, userID: wish.commanderID, ...(wish.claimed ? { claimed: wish.claimed } : {}) },
            'commander',
          ),
        ]
      : []),
    ...(wish.isResolved && wish.endedAt ? [toConsequence(setEnd, { incidentID, endedAt: wish.endedAt }, 'end')] : []),
    ...(hasRoom(wish)
      ? [toConsequence(makeRoom, toRoomPlan(wish, incidentID), roomStep, roomLane({ incidentID }))]
      : []),
    // A room that was made before gets what only a registered incident has. Who left it is not invited again.
    ...(hasRoom(wish) && hadRoom
      ? [toConsequence(setUpRoom, { ...toRoomPlan(wish, incidentID), invite: [] }, 'page', roomLane({ incidentID }))]
      : []),
    // After the room, so that it reads them.
    ...(wish.details
      ? [
          toConsequence(
            addNote,
            { ...wish.details, incidentID },
            'details',
            hasRoom(wish) ? roomLane({ incidentID }) : undefined,
          ),
        ]
      : []),
    ...(wish.evidence
      ? [
          toConsequence(
            addEvidence,
            { ...wish.evidence, incidentID },
            'evidence',
            hasRoom(wish) ? roomLane({ incidentID }) : undefined,
          ),
        ]
      : []),
  ],
});

async function hadRoom({ id, deps }: IntentContext): Promise<boolean> {
  return (await deps.rooms.ofIncident(provisionalID(id))) !== undefined;
}

/** Whether an incident is not this declaration’s: it is another’s, or Muster shows it already, as one that began elsewhere. */
async function isRegistered({ deps }: IntentContext, incidentID: string): Promise<boolean> {
  if (await deps.rooms.ofIncident(incidentID)) return true;
  return await deps.journal.isRegistered(declareIncident, incidentID);
}

/** The consequence that sets the start: the declared one, or the time of the declaration when it was queued. */
function toStart(incidentID: string, createdTime: string, wish: Declaration): readonly Consequence[] {
  const isLate = new Date(createdTime) > secondsAfter(new Date(wish.declaredAt), apiClockSkew);
  const startedAt = wish.startedAt || (isLate ? wish.declaredAt : '');
  return startedAt === '' ? [] : [toConsequence(setStart, { incidentID, startedAt }, 'start')];
}

/** Declares an incident in the person's name, and answers. When it is declared from a `message`, that becomes its first note. */
export async function declareAs(ctx: Context, wish: DeclarationWish, message?: SourceMessage): Promise<void> {
  const named = await ctx.deps.people.toNamed(ctx.actor);
  // Only its author would see an incident in a direct message.
  const isDirect = isDirectMessage(ctx.location.channelId);
  const circumstances = {
    commanderID: named.userID,
    ...toClaimed(named, ctx.now),
    declaredAt: ctx.now.toISOString(),
    declaredBy: ctx.actor.userId,
    declarerName: ctx.actor.name,
    teamId: ctx.actor.teamId,
    workspaceId: ctx.location.workspaceId ?? '',
    channelId: isDirect ? '' : ctx.location.channelId,
    ...(message ? { quote: await toMessagePayload(ctx.deps, message, ctx.actor, '', ctx.key) } : {}),
  };
  const { details, summary, ...rest } = wish;
  const ofAlerts = await readAlertParts(ctx.deps, wish);
  const makeChannel = wish.makeChannel || (isDirect && !wish.isResolved);
  const noted = {
    ...(details === '' ? {} : { details: toWords(ctx, details, 'note') }),
    ...(summary === '' ? {} : { summary: toWords(ctx, summary, summarySources.declared) }),
  };
  const declared = { ...rest, ...circumstances, ...noted, ...ofAlerts, makeChannel };
  // Two people who press the button of one alert declare one incident.
  await ctx.carryOut(declareIncident, declared, wish.alert === '' ? {} : { key: alertKey(wish.alert) });
}

function toWords({ actor, now }: Context, text: string, source: string): Note {
  return { incidentID: '', text, eventTime: now.toISOString(), ...wordsOf(actor), source };
}

/** The moments that were declared and not refused, as a sentence of mrkdwn; `""` for none. The room takes longer than they do. */
async function timesWords({ deps, id }: AfterDoneContext, { startedAt, endedAt }: Declaration): Promise<string> {
  const isTaken = async (step: string) => (await deps.journal.findByKey(consequenceKey(id, step)))?.state !== 'failed';
  const times = [
    ...(startedAt && (await isTaken('start')) ? [`began ${toSlackDate(new Date(startedAt))}`] : []),
    ...(endedAt && (await isTaken('end')) ? [`ended ${toSlackDate(new Date(endedAt))}`] : []),
  ];
  return times.length === 0 ? '' : `It ${times.join(' and ')}.`;
}

async function setMoment({ api, call }: IntentContext, incidentID: string, kind: 'Start' | 'End', eventTime: string) {
  const activityItemKind = `incident${kind}` as const;
  await api.IncidentsService.UpdateIncidentEventTime({ incidentID, activityItemKind, eventTime }, call);
  return {};
}

const setStart = defineIntent({
  kind: 'declare.start',
  payload: z.object({ incidentID: z.string(), startedAt: z.string() }),
  result: z.object({}),
  run: (context, { incidentID, startedAt }) => setMoment(context, incidentID, 'Start', startedAt),
  did: (_wish, { incident }) => ({ verb: 'set', what: `the start time of ${incident}`, room: [] }),
});

const setEnd = defineIntent({
  kind: 'declare.end',
  payload: z.object({ incidentID: z.string(), endedAt: z.string() }),
  result: z.object({}),
  run: (context, { incidentID, endedAt }) => setMoment(context, incidentID, 'End', endedAt),
  did: (_wish, { incident }) => ({ verb: 'set', what: `the end time of ${incident}`, room: [] }),
});

/** Gives the person who declared the role that leads an incident. */
const takeCommand = defineIntent({
  kind: 'declare.commander',
  payload: z.object({ incidentID: z.string(), userID: z.string(), claimed: Claimed.optional() }),
  /** An older version stored no role. */
  result: z.object({ role: z.string().default('commander'), userID: z.string().optional() }),
  run: async (context, { incidentID, userID: declarer }) => {
    const { api, call, deps } = context;
    const role = await readCommander(deps);
    if (role === '') {
      const why =
        'no role leads an incident: none is called as COMMANDER_ROLE says, and none is mandatory or important';
      throw new RpcError('failed_precondition', why, { maybeApplied: false });
    }
    const sent = await deps.people.resolveUserID(declarer, context);
    const { incident } = await api.IncidentsService.AssignRole({ incidentID, userID: sent, role }, call);
    return { role, userID: await learnHolder(deps.people, sent, role, [], incident) };
  },
  did: (_wish, { result, incident }) =>
    result
      ? { sign: signs.person, verb: 'take', what: roleAsHeld(result.role) }
      : { verb: 'make', what: `you commander of ${incident}` },
  // They may have held it before.
  stateChange: ({ role, userID }, wish) => ({
    roles: [{ role, userID: userID ?? wish.userID, isHeld: true }],
    appliedNow: false,
  }),
  consequences: (_result, { incidentID, claimed }) => claimNotes(incidentID, claimed),
});

/** How long a declaration can be taken back, in minutes: then others work on it. */
const takeBackMinutes = 2;

const TakeBack = z.object({
  incidentID: z.string(),
  wish: Declaration.pick({ title: true, severity: true, isDrill: true, declaredBy: true, commanderID: true }),
  /** The notes that came with the declaration. */
  notes: z.number(),
  /** Name of the person who declared it. */
  by: z.string(),
});
type TakeBack = z.output<typeof TakeBack>;

/**
 * Takes a declaration back that was a mistake. The API deletes no incident: it is marked as one by mistake, and its timeline says so. Fails
 * when a person has built on it since.
 */
const takeBack = defineIntent({
  kind: 'incident.declare.undo',
  payload: TakeBack,
  result: z.object({
    /** Absent in what an older version stored. */
    incident: Incident.optional(),
  }),
  run: async (context, wanted) => {
    const { api, call, deps, isRetry } = context;
    const { incidentID, wish } = wanted;
    const { incident } = await api.IncidentsService.GetIncident({ incidentID }, call);
    const said = { eventTime: context.askedAt.toISOString(), saidBy: '', addedBy: wanted.by, permalink: '' };
    const note = { incidentID, text: mistakeName, ...said, source: 'resolution' };
    const written = isRetry ? await findWritten(context, note) : undefined;
    if (written === undefined) {
      const declarer = await deps.people.resolveUserID(wish.commanderID, context);
      refuseBuiltUpon(incident, wish, { declarer, hasNotes: await hasNotes(context, wanted) });
      await writeNote(context, note);
    }
    return { incident: await markMistake(context, incident) };
  },
  did: ({ wish: { title } }, { incident, line }) => ({
    ...{ sign: signs.undone, verb: 'take', what: `back the declaration of ${incident}: “${toMrkdwn(title)}”` },
    more: '`/incident reopen` opens it again.',
    ...(line ? { room: { words: mistakeLine(line.by, ''), isOwnMessage: true } } : {}),
  }),
  stateChange: ({ incident }) => ({ status: 'resolved', ...(incident ? leftOfMistake(incident, '') : {}) }),
});

/** Whether a note was added since. */
async function hasNotes({ api, call }: IntentContext, { incidentID, notes }: TakeBack): Promise<boolean> {
  let left = notes;
  for await (const { fieldValues } of listNotes(api, incidentID, call)) {
    // That note comes with each person whom the API does not know.
    if (fieldValues.source === 'claim') continue;
    if (left === 0) return true;
    left -= 1;
  }
  return false;
}

/** Throws an RpcError that says how other work builds on it, when any does. */
function refuseBuiltUpon(
  incident: Incident,
  wish: TakeBack['wish'],
  found: { readonly declarer: string; readonly hasNotes: boolean },
): void {
  const { assignments } = incident.incidentMembership;
  const signs: readonly (readonly [boolean, string])[] = [
    [incident.status === 'resolved', 'it is resolved'],
    [incident.taskList.tasks.some(each => !each.immutable), 'it has tasks'],
    [found.hasNotes, 'it has notes on its timeline'],
    [assignments.some(({ user }) => user.userID !== found.declarer), 'somebody else has a role'],
    [incident.title !== wish.title, 'it was renamed'],
    [incident.severity.toLowerCase() !== wish.severity.toLowerCase(), 'its severity was changed'],
  ];
  const [, why] = signs.find(([isThere]) => isThere) ?? [];
  if (why === undefined) return;
  throw new RpcError('failed_precondition', `${why}, so somebody is working on it`, {
    reason: changedSince,
    maybeApplied: false,
  });
}

/** Newest incidents searched for one whose answer was lost. */
const maxSearched = 100;

/**
 * The incident of an earlier attempt whose answer was lost: declared with that title since it was asked for, and not registered for
 * another declaration. Of several, the oldest of that severity is preferred. One that was renamed since is looked for where none has
 * the title. Throws the RpcError.
 */
async function findDeclared(
  context: IntentContext,
  wish: Declaration,
  isRegistered: (incidentID: string) => Promise<boolean>,
): Promise<{ readonly incident: Incident } | undefined> {
  const { api, call, askedAt } = context;
  const { incidentPreviews } = await api.IncidentsService.QueryIncidentPreviews(
    { query: { limit: maxSearched, orderField: 'createdTime', orderDirection: 'DESC' } },
    call,
  );
  const since = secondsAfter(askedAt, -apiClockSkew);
  const strays = ({ title, severityLabel }: IncidentPreview) =>
    (title === wish.title ? 0 : 2) + (severityLabel === wish.severity ? 0 : 1);
  const oldestFirst = incidentPreviews.filter(each => new Date(each.createdTime) >= since).reverse();
  for (const { incidentID, title } of oldestFirst.sort((one, other) => strays(one) - strays(other))) {
    if (await isRegistered(incidentID)) continue;
    if (title !== wish.title && (await firstTitle(context, incidentID)) !== wish.title) continue;
    return await api.IncidentsService.GetIncident({ incidentID }, call);
  }
  return undefined;
}

/** The title with which an incident was declared, as its timeline keeps it (docs/api-rules.md A4). */
async function firstTitle({ api, call }: IntentContext, incidentID: string): Promise<unknown> {
  const query = { incidentID, activityKind: ['incidentCreated' as const], orderDirection: 'ASC' as const, limit: 1 };
  const { activityItems } = await api.ActivityService.QueryActivity({ query }, call);
  return activityItems[0]?.fieldValues.title;
}

/** Every kind that declaring submits. */
export const declareIntents = [
  declareIncident,
  addEvidence,
  setStart,
  setEnd,
  takeCommand,
  makeRoom,
  setUpRoom,
  takeBack,
];
