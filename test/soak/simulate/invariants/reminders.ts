import type { Channel } from '../../../../playground/fake-slack/fake-slack.ts';
import { type Act, bears } from '../people/acts.ts';
import type { Reminded } from '../witness/unasked.ts';
import { isArchivedSince } from './archives.ts';
import { type Complaint, type Evidence, incidentsOf, isOwnUser, tell } from './evidence.ts';
import { wasQuiet } from './quiet.ts';

/** How long after its time somebody may be reminded, in milliseconds: a lease, the rest after a failure, and Slack’s own time. */
export const bound = 90_000;
/** How long what was decided may be on its way, and an act in the journal, in milliseconds. */
const onItsWay = 15_000;
/** Slack shows whole seconds. */
export const rounding = 1500;
/** How long nobody may lead one of the gravest incidents, in milliseconds. */
export const leadAfter = 180_000;

type Row = Evidence['activity'][number];

/** An update that was promised, as the person typed it and as the timeline has it. */
export interface Promised {
  readonly act: Act;
  readonly incidentID: number;
  /** In milliseconds; of a promise that is not on the timeline, from the act. */
  readonly since: number;
  readonly due: number;
  readonly length: number;
  readonly row: Row | undefined;
}

/**
 * What is owed is reminded of at its time, once per step, to the person who owes it and then to the room, and never after it was done.
 * Where clocks step, nobody knows what time it is.
 */
export function owedInTime(evidence: Evidence): readonly Complaint[] {
  const { world } = evidence;
  if (!world.plan.arePromisesMade) return [];
  const promises = promisesOf(evidence);
  const { reminded } = world.witness.unasked;
  return [
    ...reminded.filter(({ kind }) => kind === 'update').flatMap(each => updateTrue(evidence, promises, each)),
    ...reminded.filter(({ kind }) => kind === 'lead').flatMap(each => leadTrue(evidence, each)),
    ...reminded.filter(({ kind }) => kind === 'news').flatMap(each => newsTrue(evidence, each)),
    ...tooOften(evidence),
    ...promises.flatMap(each => wasReminded(evidence, each)),
    ...leadersSought(evidence),
  ];
}

/** When an item was put on a timeline, in milliseconds since the epoch. */
export function timeOf(row: Row): number {
  return row.created_at / 1000;
}

/** The updates that people promised, each in its incident. */
export function promisesOf(evidence: Evidence): readonly Promised[] {
  const { acts, activity } = evidence;
  return acts
    .filter(({ kind }) => kind === 'promise')
    .flatMap(act =>
      incidentsOf(evidence, act.incident).map(({ id: incidentID }) => {
        const row = activity.find(each => each.kind === 'userNote' && bears(each.body, act.mark));
        const since = row ? row.event_at / 1000 : act.at;
        const length = Number(act.value) * 60_000;
        return { act, incidentID, since, due: since + length, length, row };
      }),
    );
}

/** The incident that a reminder is about. */
export function incidentOf({ rooms }: Evidence, { audience, to, incidentID }: Reminded): number {
  const room = rooms.find(each => each.channel_id === to);
  // In the place of a room that takes no posts, the readers of the announcement are told.
  return Number(audience === 'owner' ? incidentID : (room?.incident_id ?? incidentID));
}

function who({ at, to, kind }: Reminded, { world }: Evidence): string {
  return `the reminder of ${kind} to ${to} ${Math.round((at - world.began) / 1000)} s after the beginning`;
}

function updateTrue(evidence: Evidence, promises: readonly Promised[], reminder: Reminded): Complaint[] {
  const { world } = evidence;
  const { at, due, audience, to, isAgain } = reminder;
  const incidentID = incidentOf(evidence, reminder);
  const hasClocks = world.plan.steps.length > 0;
  const isOf = (each: Promised) => {
    const latest = Math.max(each.act.at, ...each.act.arrivals.map(({ at: arrived }) => arrived)) + each.length + 20_000;
    return each.incidentID === incidentID && due * 1000 > each.act.at + each.length - rounding && due * 1000 < latest;
  };
  const own = promises.filter(isOf);
  const name = who(reminder, evidence);
  if (own.length === 0) return hasClocks ? [] : [`${name} is about an update that nobody promised`];
  // Of what cannot be told to who promised it, who leads is told.
  const isNext = ({ act }: Promised) =>
    !mayBeTold(evidence, incidentID, act.userId, at) && leaders(evidence, incidentID, at).includes(to);
  const right = own.filter(
    each => audience === 'room' || world.plan.departures.length > 0 || each.act.userId === to || isNext(each),
  );
  if (right.length === 0)
    return [`${name} is to the wrong person: ${own.map(({ act }) => tell(act)).join()} promised it`];
  if (hasClocks) return [];
  const early = ({ due: dueAt, length }: Promised) => {
    const step = audience === 'owner' ? dueAt - length / 2 : isAgain ? dueAt + length / 2 : dueAt;
    return at < step - rounding;
  };
  if (right.every(early)) return [`${name} comes before its time`];
  const isKept = ({ row }: Promised) => row !== undefined && givenAt(evidence, incidentID, row) < at - onItsWay;
  return right.every(isKept) || isOver(evidence, incidentID, at)
    ? [`${name} comes after the update was given, or the incident was over`]
    : [];
}

/** When the update after a promise was given, in milliseconds: one that is in the journal still is not. */
function givenAt({ activity, intents }: Evidence, incidentID: number, promise: Row): number {
  const isNext = ({ incident_id, seq, kind, fields }: Row) =>
    incident_id === incidentID && seq > promise.seq && kind === 'userNote' && fields.source === 'update';
  const next = activity.find(isNext);
  if (!next) return Number.POSITIVE_INFINITY;
  const word = /\bm\d+\b/.exec(next.body)?.[0] ?? '';
  const intent = intents.find(each => each.kind === 'update.post' && bears(each.payload, word));
  return Math.max(timeOf(next), intent ? Date.parse(intent.changed_at) : 0);
}

/** When an incident ended and was opened again. */
export function resolutions({ activity }: Evidence, incidentID: number): readonly Row[] {
  return activity.filter(each => each.incident_id === incidentID && each.kind === 'incidentStatusChanged');
}

/**
 * Whether an incident had been over for a while at a moment, and Muster could know: while the API tells of no end that another client made, it
 * reminds by what it knows. One that is open again owes again what was promised.
 */
function isOver(evidence: Evidence, incidentID: number, at: number): boolean {
  const changes = resolutions(evidence, incidentID).filter(each => timeOf(each) <= at);
  const last = changes.at(-1);
  if (last?.fields.status !== 'resolved') return false;
  const ended = timeOf(last);
  const { reads } = evidence.world.witness;
  const read = reads.find(each => each.incidentID === String(incidentID) && each.at >= ended)?.at;
  const known = isOwnUser(evidence, last.user_id) ? ended : read;
  return known !== undefined && known < at - onItsWay;
}

/**
 * When an incident first goes on with a promise open, and when that ends, in milliseconds. An update may be promised of an incident that is
 * over: then it is owed from its reopening on.
 */
export function activeSpan(
  evidence: Evidence,
  incidentID: number,
  promise: Row,
): { readonly from: number; readonly end: number } {
  const changes = resolutions(evidence, incidentID);
  const before = changes.findLast(each => each.seq < promise.seq);
  const later = changes.filter(each => each.seq > promise.seq);
  const reopening = later.find(each => each.fields.status !== 'resolved');
  const begun = before?.fields.status === 'resolved' ? reopening : promise;
  if (!begun) return { from: Number.POSITIVE_INFINITY, end: 0 };
  const over = later.filter(each => each.seq > begun.seq && each.fields.status === 'resolved');
  return { from: timeOf(begun), end: Math.min(givenAt(evidence, incidentID, promise), ...over.map(timeOf)) };
}

/** The Slack ids of those who led an incident at a moment: they were given the role, and had not lost it. */
export function holders({ activity }: Evidence, incidentID: number, at: number): readonly string[] {
  const led = new Set<string>();
  for (const { kind, fields, incident_id, ...row } of activity) {
    if (incident_id !== incidentID || fields.role !== 'commander' || row.created_at / 1000 > at) continue;
    const user = String(fields.userID).replace(/^slack:/, '');
    if (kind === 'roleAssigned') led.add(user);
    if (kind === 'roleUnassigned') led.delete(user);
  }
  return [...led];
}

/** Those of them who could be told of it. */
export function leaders(evidence: Evidence, incidentID: number, at: number): readonly string[] {
  return holders(evidence, incidentID, at).filter(each => mayBeTold(evidence, incidentID, each, at));
}

/** Whether a person was neither gone nor a guest at a moment, and is in the room where that is private. */
export function mayBeTold({ world, rooms }: Evidence, incidentID: number, userId: string, at: number): boolean {
  const { slack, witness } = world;
  const row = rooms.find(each => each.incident_id === String(incidentID));
  const room = slack.channels.find(each => each.id === row?.channel_id);
  return witness.presence.isThere(userId, at) && (!room?.isPrivate || room.members.has(userId));
}

function leadTrue(evidence: Evidence, reminder: Reminded): Complaint[] {
  const { world, incidents } = evidence;
  const incidentID = incidentOf(evidence, reminder);
  const incident = incidents.find(each => each.id === incidentID);
  const { at, audience } = reminder;
  const name = who(reminder, evidence);
  if (audience === 'owner') return [`${name} is to one person`];
  if (!incident || world.plan.steps.length > 0) return [];
  if (at < incident.created_at / 1000 + leadAfter - rounding) return [`${name} comes before its time`];
  const moments = [at - onItsWay, at];
  return moments.every(moment => leaders(evidence, incidentID, moment).length > 0) &&
    !changedRole(evidence, incidentID, at)
    ? [`${name} comes although somebody leads it`]
    : [];
}

/** Whether who leads changed within the time that a reminder may be on its way. */
function changedRole({ activity }: Evidence, incidentID: number, at: number): boolean {
  return activity.some(
    each =>
      each.incident_id === incidentID &&
      /^role(Una|A)ssigned$/.test(each.kind) &&
      timeOf(each) > at - onItsWay &&
      timeOf(each) <= at,
  );
}

function newsTrue(evidence: Evidence, reminder: Reminded): Complaint[] {
  const incidentID = incidentOf(evidence, reminder);
  const moments = [reminder.at - onItsWay, reminder.at];
  const isLed = moments.some(moment => holders(evidence, incidentID, moment).includes(reminder.to));
  const isNext = reminder.audience === 'room' && leaders(evidence, incidentID, reminder.at).length === 0;
  return isLed || isNext ? [] : [`${who(reminder, evidence)} is to somebody who does not lead incident ${incidentID}`];
}

/** How often an incident had been reopened at a moment. */
function reopenings(evidence: Evidence, incidentID: number, at: number): number {
  const isReopening = (each: Row) => each.fields.status !== 'resolved' && timeOf(each) <= at;
  return resolutions(evidence, incidentID).filter(isReopening).length;
}

/**
 * One reminder for each step, and one more for each time that somebody put it off. An incident that is open again owes again what was
 * promised.
 */
function tooOften(evidence: Evidence): readonly Complaint[] {
  const { world, acts } = evidence;
  const { reminded } = world.witness.unasked;
  const groups = Map.groupBy(
    reminded.filter(({ kind }) => kind === 'update'),
    each => {
      const incidentID = incidentOf(evidence, each);
      const opened = reopenings(evidence, incidentID, each.at);
      return `the update due at ${each.due} of incident ${incidentID} to ${each.to}, reopened ${opened} times`;
    },
  );
  const often = [...groups].flatMap(([name, all]) => {
    const [{ to, audience } = { to: '', audience: 'room' }] = all;
    const isPutOff = (act: Act) =>
      act.kind === 'snooze' && (audience === 'room' ? act.value === to : act.userId === to);
    // Whoever was away is reminded once they are back.
    const returns = audience === 'room' ? 0 : world.witness.presence.absences(to).length + world.plan.departures.length;
    const most = (audience === 'room' ? 2 : 1) + acts.filter(isPutOff).length + returns;
    // Several people may promise the same within a second.
    return all.length > most && world.plan.steps.length === 0 ? [`Muster reminded ${all.length} times of ${name}`] : [];
  });
  return [...often, ...standTwice(evidence)];
}

/** A message to a person stands once. Of lines in rooms, another invariant tells. */
function standTwice({ world }: Evidence): readonly Complaint[] {
  const names = world.slack.channels.flatMap(({ isIm, messages }) =>
    messages.flatMap(({ metadata, text }) => {
      const payload = JSON.stringify(metadata?.event_payload ?? {});
      const isReminder = payload.includes('"reminder"') || /^:alarm_clock:/.test(text);
      return isIm && isReminder ? [payload] : [];
    }),
  );
  const twice = new Set(names.filter((each, at) => names.indexOf(each) !== at));
  return [...twice].map(each => `a reminder stands in Slack twice: ${each}`);
}

/** The room of an incident in which reminders can be read and nobody said anything of reminders; undefined for none. */
function plainRoom(evidence: Evidence, incidentID: number): Channel | undefined {
  const { world, rooms, acts } = evidence;
  const row = rooms.find(each => each.incident_id === String(incidentID));
  const channel = world.slack.channels.find(each => each.id === row?.channel_id);
  if (!row || !channel || row.card_ts === '' || row.reminders !== '' || channel.isPrivate) return undefined;
  if (isArchivedSince(evidence, incidentID, channel.id) || world.witness.readers.wasShared(channel.id))
    return undefined;
  const isSpoken = ({ what }: Act) => what.startsWith('/incident reminders');
  const isPutOff = acts.some(each => each.kind === 'snooze' && each.value === channel.id);
  const isFull = channel.messages.filter(each => each.botId !== undefined).length >= world.settings.linesPerHour - 2;
  return isPutOff || isFull || acts.some(isSpoken) ? undefined : channel;
}

/** Whether everything that could keep a reminder back is absent from a world. */
function isPlain({ world: { plan } }: Evidence): boolean {
  return plan.steps.length + plan.refusals.length + plan.departures.length === 0 && !plan.areDaysLived;
}

/** A promise that stayed open long enough was reminded of, to its owner and to the room. */
function wasReminded(evidence: Evidence, promise: Promised): Complaint[] {
  const { world } = evidence;
  const { act, incidentID, due, length, row } = promise;
  const channel = plainRoom(evidence, incidentID);
  if (!row || !channel || !isPlain(evidence)) return [];
  const { from, end } = activeSpan(evidence, incidentID, row);
  const start = Math.max(from, world.calm, Number(channel.created) * 1000);
  const isSent = (to: string, by: number) =>
    world.witness.unasked.reminded.some(
      each => each.kind === 'update' && each.to === to && Math.abs(each.due * 1000 - due) < 5000 && each.at <= by,
    );
  const missing = (to: string, step: number) => {
    const by = Math.max(start, step) + bound;
    const isOver = end < by || by > world.time.now();
    return isOver || isSent(to, by)
      ? []
      : [`${to} was not reminded of ${tell(act)} by ${Math.round(by - step) / 1000} s`];
  };
  const step = due - length / 2;
  const isQuiet = wasQuiet(world, act.userId, step, Math.max(start, step) + bound);
  const isPutOff = evidence.acts.some(each => each.kind === 'snooze' && each.userId === act.userId);
  const isInRoom = world.settings.reminders === 'on';
  // Where both are due by then, the room alone is reminded, and names who promised it.
  const isNamed = isInRoom && start + onItsWay > due;
  return [
    ...(isQuiet || isPutOff || isNamed ? [] : missing(act.userId, step)),
    ...(isInRoom ? missing(channel.id, due) : []),
  ];
}

/** The room of one of the gravest incidents that nobody has ever led reads of that. */
function leadersSought(evidence: Evidence): readonly Complaint[] {
  const { world, incidents, activity, shown } = evidence;
  if (!isPlain(evidence) || world.settings.reminders !== 'on') return [];
  return incidents.flatMap(({ id, created_at }) => {
    const channel = plainRoom(evidence, id);
    const { status, severity } = shown.get(id) ?? {};
    const changes = activity.filter(each => each.incident_id === id);
    const isChanged = changes.some(({ kind }) => /^(incident(Status|Severity)Changed|roleAssigned)$/.test(kind));
    if (!channel || isChanged || status === 'resolved' || severity !== 'critical') return [];
    const begun = Math.max(created_at / 1000, Number(channel.created) * 1000, world.calm);
    const by = begun + leadAfter + bound;
    const isSent = world.witness.unasked.reminded.some(({ kind, to }) => kind === 'lead' && to === channel.id);
    return isSent || by > world.time.now() ? [] : [`#${channel.name} was not told that nobody leads incident ${id}`];
  });
}
