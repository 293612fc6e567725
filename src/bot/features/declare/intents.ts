import { z } from 'zod';
import { Incident } from '../../../contract/incidents.ts';
import { addEvidence } from '../../alerts/evidence.ts';
import { openPageFace } from '../../dispatch/answers/way-in.ts';
import type { Context } from '../../dispatch/feature/context.ts';
import { pressable } from '../../dispatch/feature/feature.ts';
import { defineIntent, type IntentContext, toFollowUp, toUndo, type Undo } from '../../incident/acts/intent-kind.ts';
import { apiClockSkew } from '../../incident/api/clock.ts';
import { toClaimed } from '../../incident/notes/claim.ts';
import { addNote } from '../../incident/notes/intents.ts';
import { type Note, wordsOf } from '../../incident/notes/notes.ts';
import { quoteFollowUp, toMessagePayload } from '../../incident/notes/of-message.ts';
import { setSummary, summarySources } from '../../incident/notes/summary.ts';
import { furnishRoom } from '../../incident/room/furnish.ts';
import { makeRoom } from '../../incident/room/make.ts';
import { roomLane } from '../../incident/room/plan.ts';
import { asPrivate, hasPrivateRoom } from '../../incident/room/private-room.ts';
import { alreadyTaken } from '../../incident/state/alert-store.ts';
import { outsideAge } from '../../incident/state/channels.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import { roomMention } from '../../incident/state/room-mention.ts';
import { declaredSummary } from '../../incident/state/update-store.ts';
import type { FollowUp } from '../../journal/intent.ts';
import { provisionalID } from '../../journal/provisional-id.ts';
import { followUpKey } from '../../journal/store.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import type { SourceMessage } from '../../slack/source-message.ts';
import { sentence, toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { secondsAfter } from '../../text/times.ts';
import { type Circumstances, Declaration, type DeclarationWish, mapTexts } from './declaration.ts';
import { findDeclared } from './find-declared.ts';
import { setEnd, setStart, takeCommand } from './follow-ups.ts';
import { alertKey, withAlerts } from './of-alert.ts';
import { markSource, originLine, tellSource } from './origin.ts';
import { awaitRoom, hasRoom, roomStep, toRoomPlan } from './room-of.ts';
import { takeBack, takeBackMinutes } from './undo.ts';
import { noRoom, registeredWords, timesWords } from './words.ts';

/** Declares an incident. Its room, its start and its commander follow. */
export const declareIncident = defineIntent({
  kind: 'incident.declare',
  payload: Declaration,
  result: z.object({
    incident: Incident,
    /** Its room was made while it waited to be registered. */
    hadRoom: z.boolean().default(false),
  }),
  run: async ({ id, api, call, deps }, wish) => {
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
    return { incident, hadRoom: await hadRoom({ id, deps }) };
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
  mapTexts,
  describe: wish => `declare “${wish.title}”`,
  answer: {
    receipt: ({ incident }, _wish, repeated) => {
      const name = incidentLabel(incident.incidentID, 'Incident');
      const over = `${incidentSigns.resolved} ${name} is recorded as over: “${toMrkdwn(incident.title)}”, severity ${toMrkdwn(incident.severity, 60)}.`;
      const text = repeated
        ? `${name} is declared already: “${toMrkdwn(incident.title)}”. Nothing was declared twice.`
        : incident.status === 'resolved'
          ? over
          : `${incidentSigns.declared} ${name} is declared${incident.isDrill ? ' (a drill)' : ''}: “${toMrkdwn(incident.title)}”, severity ${toMrkdwn(incident.severity, 60)}.`;
      return sentence(text);
    },
    // A line below a message stands elsewhere, and there is none in a direct message, nor of a private incident.
    beside: ({ incident: { incidentID, status } }, wish) =>
      status === 'resolved' || wish.isPrivate || wish.quote || wish.channelId === ''
        ? undefined
        : `${incidentSigns.declared} ${incidentLabel(incidentID, 'Incident')} is declared.`,
    // The title as they typed it: others may have changed it since.
    ownReceipt: ({ incident: { incidentID } }, { title, isResolved }) =>
      `${incidentLabel(incidentID, 'Incident')} is ${isResolved ? 'recorded as over' : 'declared'}: “${toMrkdwn(title)}”. *Join* its channel to see more.`,
    whileQueued: async (ctx, wish) => {
      if (!hasRoom(wish)) return { notes: [], troubles: [] };
      return await awaitRoom(ctx, wish, provisionalID(ctx.id));
    },
    afterDone: async (ctx, { incident }, wish) => {
      const { incidentID } = incident;
      const buttons = ctx.deps.pageLink ? [pressable(openPageFace, { incidentID })] : [];
      const made = hasRoom(wish) && !ctx.repeated ? await awaitRoom(ctx, wish, incidentID) : undefined;
      const times = ctx.repeated ? '' : timesWords(await takenTimes(ctx, wish));
      const said = times === '' ? [] : [times];
      if (!hasRoom(wish)) {
        const troubles = await tellSource(ctx, incident, wish);
        return { notes: ctx.repeated ? [] : [...said, noRoom(incidentID)], troubles, buttons };
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
  },

  undo: ({ incident }, wish) => toTakeBack(incident, wish),
  ofAlert: ({ alert }) => alert,
  registers: ({ incident }) => incident.incidentID,
  room: {
    declares: ({ incident }) => incident,
    // The card shows it before its note is written.
    update: ({ incident: { incidentID } }, { summary }) =>
      summary && {
        kind: 'given',
        as: 'summary',
        ...{ activityItemID: declaredSummary(incidentID), text: summary.text, nextAt: undefined },
        at: new Date(summary.eventTime),
      },
    line: ({ incident }, wish, { settings }) => [
      // Only a declaration that was queued has a room already.
      { words: registeredWords(incident, settings.apiName), isAlone: true, of: 'channel' },
      // The message of an alert says it where it stands.
      ...(hasRoom(wish) && wish.alert === '' ? originLine(incident, wish) : []),
    ],
  },
  followUps: ({ incident: { incidentID, createdTime }, hadRoom }, wish) => [
    ...toStart(incidentID, createdTime, wish),
    ...(wish.summary ? [toFollowUp(setSummary, { ...wish.summary, incidentID }, 'summary')] : []),
    ...(wish.quote ? [quoteFollowUp(incidentID, wish.quote)] : []),
    ...(wish.takeCommand ? [toFollowUp(takeCommand, toCommander(incidentID, wish), 'commander')] : []),
    ...(wish.isResolved && wish.endedAt ? [toFollowUp(setEnd, { incidentID, endedAt: wish.endedAt }, 'end')] : []),
    ...(hasRoom(wish) ? [toFollowUp(makeRoom, toRoomPlan(wish, incidentID), roomStep, roomLane({ incidentID }))] : []),
    // A room that was made before gets what only a registered incident has. Who left it is not invited again.
    ...(hasRoom(wish) && hadRoom
      ? [toFollowUp(furnishRoom, { ...toRoomPlan(wish, incidentID), invite: [] }, 'page', roomLane({ incidentID }))]
      : []),
    // After the room, so that it reads them.
    ...(wish.details
      ? [
          toFollowUp(
            addNote,
            { ...wish.details, incidentID },
            'details',
            hasRoom(wish) ? roomLane({ incidentID }) : undefined,
          ),
        ]
      : []),
    ...(wish.evidence
      ? [
          toFollowUp(
            addEvidence,
            { ...wish.evidence, incidentID },
            'evidence',
            hasRoom(wish) ? roomLane({ incidentID }) : undefined,
          ),
        ]
      : []),
  ],
});

/** The times that were not refused: the room is made beside them, and takes longer. */
async function takenTimes({ deps, id }: Pick<IntentContext, 'deps' | 'id'>, { startedAt, endedAt }: Declaration) {
  const isRefused = async (step: string) => (await deps.journal.findByKey(followUpKey(id, step)))?.state === 'failed';
  return { startedAt: (await isRefused('start')) ? '' : startedAt, endedAt: (await isRefused('end')) ? '' : endedAt };
}

async function hadRoom({ id, deps }: Pick<IntentContext, 'id' | 'deps'>): Promise<boolean> {
  return (await deps.rooms.ofIncident(provisionalID(id))) !== undefined;
}

/** Whether an incident is not this declaration’s: it is another’s, or Muster shows it already, as one that began elsewhere. */
async function isRegistered({ deps }: IntentContext, incidentID: string): Promise<boolean> {
  if (await deps.rooms.ofIncident(incidentID)) return true;
  return await deps.journal.isRegistered(declareIncident, incidentID);
}

function toCommander(incidentID: string, { commanderID, claimed }: Declaration): z.output<typeof takeCommand.payload> {
  return { incidentID, userID: commanderID, ...(claimed ? { claimed } : {}) };
}

/** The write that takes a declaration back; undefined for an incident that was over already. */
function toTakeBack({ incidentID, title, severity }: Incident, wish: Declaration): Undo | undefined {
  if (wish.isResolved) return undefined;
  const { isDrill, declaredBy, commanderID, quote, details, summary } = wish;
  return toUndo(
    takeBack,
    {
      incidentID,
      wish: { title, severity, isDrill, declaredBy, commanderID },
      notes: (quote ? 1 : 0) + (details ? 1 : 0) + (summary ? 1 : 0),
      by: wish.declarerName,
    },
    { minutes: takeBackMinutes, afterwards: '`/incident resolve` ends it.' },
  );
}

/** The follow-up that sets the start: the declared one, or the time of the declaration when it was queued. */
function toStart(incidentID: string, createdTime: string, wish: Declaration): readonly FollowUp[] {
  const isLate = new Date(createdTime) > secondsAfter(new Date(wish.declaredAt), apiClockSkew);
  const startedAt = wish.startedAt || (isLate ? wish.declaredAt : '');
  return startedAt === '' ? [] : [toFollowUp(setStart, { incidentID, startedAt }, 'start')];
}

/** Declares an incident in the person's name, and answers. When it is declared from a `message`, that becomes its first note. */
export async function declareAs(ctx: Context, wish: DeclarationWish, message?: SourceMessage): Promise<void> {
  const named = await ctx.deps.people.toNamed(ctx.actor);
  // Nobody else would see an incident that lives in a direct message.
  const isAlone = isDirectMessage(ctx.location.channelId);
  const circumstances: Circumstances = {
    commanderID: named.userID,
    ...toClaimed(named, ctx.now),
    declaredAt: ctx.now.toISOString(),
    declaredBy: ctx.actor.userId,
    declarerName: ctx.actor.name,
    teamId: ctx.actor.teamId,
    workspaceId: ctx.location.workspaceId ?? '',
    channelId: isAlone ? '' : ctx.location.channelId,
    ...(message ? { quote: await toMessagePayload(ctx.deps, message, ctx.actor, '', ctx.key) } : {}),
  };
  const { details, summary, ...rest } = wish;
  const ofAlerts = await withAlerts(ctx.deps, wish);
  const makeChannel = wish.makeChannel || (isAlone && !wish.isResolved);
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

/** Every kind that declaring submits. */
export const declareIntents = [
  declareIncident,
  addEvidence,
  setStart,
  setEnd,
  takeCommand,
  makeRoom,
  furnishRoom,
  takeBack,
];
