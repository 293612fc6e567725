import type { Channel } from '../../../../playground/fake-slack/fake-slack.ts';
import type { Act } from '../people/acts.ts';
import { isOnDuty } from '../people/calls.ts';
import { type Asked, nameOfCall } from '../witness/unasked.ts';
import { isArchivedSince } from './archives.ts';
import { isTakenByPage } from './chains.ts';
import { type Complaint, type Evidence, tell } from './evidence.ts';
import { toMentions } from './lines.ts';

/** The line of a call as its room reads it at the end. */
interface ShownCall {
  readonly incidentID: string;
  readonly channel: Channel;
  /** What names the call, in its line and in its questions. */
  readonly name: string;
  readonly isTakenBack: boolean;
  readonly isEnded: boolean;
  /** Targets that were called, one after the other. */
  readonly targets: number;
  /** Those whom it names, and what it says of each: `…`, `✗`, `is here`, `in 5 min`. */
  readonly people: readonly { readonly userId: string; readonly says: string }[];
}

const ofCall = /📟 Called /u;
const named = /(…|✓|✗) <@(\w+)>(?: (in \d+ min|comes|is here))?/gu;
/** What somebody reads whose answer is stored. */
const stored = /knows that you (?:come in \d+ min|cannot come)/;

/**
 * Each person is asked once in a call, and the room reads what became of each: their answer, or that they are waited for, or that a chain
 * went on. A call that its caller was told of has one line. Where Slack refuses lines, and where a room is gone or shared, nothing is told.
 */
export function callsAnswered(evidence: Evidence): readonly Complaint[] {
  const { world } = evidence;
  const { asked } = world.witness.unasked;
  const calls = world.plan.refusals.length > 0 ? [] : shownCalls(evidence);
  return [
    ...askedTwice(evidence),
    ...calls.flatMap(call => peopleTrue(evidence, call)),
    ...calls.flatMap(call => chainGoesOn(evidence, call)),
    ...linesOnce(evidence, calls),
    ...(calls.length > 0 ? asked.flatMap(each => isShown(evidence, calls, each)) : []),
  ];
}

function shownCalls(evidence: Evidence): readonly ShownCall[] {
  return openRooms(evidence).flatMap(({ incidentID, channel }) =>
    channel.messages
      .filter(({ botId, ephemeralTo, deleted }) => botId !== undefined && ephemeralTo === undefined && !deleted)
      .map(({ text }) => toMentions(evidence, text).replace(/^Incident \d+: /, ''))
      .filter(text => ofCall.test(text))
      .map(text => ({
        ...{ incidentID, channel, name: nameOfCall(text), isTakenBack: text.startsWith(':leftwards_arrow_with_hook:') },
        ...{ isEnded: text.includes(' · nobody comes'), targets: text.split(' → ').length },
        people: [...text.matchAll(named)].map(([, sign = '', userId = '', when]) => ({
          userId,
          says: when ?? sign,
        })),
      })),
  );
}

/** The rooms that Muster tells things, with a card. */
function openRooms(evidence: Evidence): readonly { readonly incidentID: string; readonly channel: Channel }[] {
  const { world, rooms } = evidence;
  return rooms.flatMap(({ incident_id: incidentID, channel_id: id, card_ts }) => {
    const channel = world.slack.channels.find(each => each.id === id);
    const isGone = !channel || isArchivedSince(evidence, Number(incidentID), channel.id);
    return isGone || card_ts === '' || world.witness.readers.wasShared(channel.id) ? [] : [{ incidentID, channel }];
  });
}

function askedTwice({ world }: Evidence): readonly Complaint[] {
  const { slack, witness } = world;
  const twice = (names: readonly string[]) => [...new Set(names.filter((each, at) => names.indexOf(each) !== at))];
  const questions = slack.channels.flatMap(({ messages }) =>
    messages.flatMap(({ metadata }) => {
      const payload = JSON.stringify(metadata?.event_payload ?? {});
      return payload.includes('"call/') ? [payload] : [];
    }),
  );
  const asked = witness.unasked.asked.map(each => `${each.userId} in the call ${each.call}`);
  return [
    ...twice(asked).map(each => `Muster asked ${each} more than once`),
    ...twice(questions).map(each => `a question stands in Slack twice: ${each}`),
  ];
}

function isOf(call: ShownCall, asked: Asked): boolean {
  return call.name !== '' && asked.name === call.name && isOfIncident(call, asked);
}

/** Whether a question is about the incident of a call. */
function isOfIncident({ incidentID, channel }: ShownCall, asked: Asked): boolean {
  // A question that was sent before its incident had a number names it otherwise.
  const isNumbered = /^\d+$/.test(asked.incidentID);
  return isNumbered ? asked.incidentID === incidentID : `-${channel.name}`.includes(`-${asked.mark}-`);
}

function isShown(evidence: Evidence, calls: readonly ShownCall[], asked: Asked): Complaint[] {
  const isOpen = openRooms(evidence).some(each => each.incidentID === asked.incidentID);
  const isNamed = calls.some(call => isOf(call, asked) && call.people.some(each => each.userId === asked.userId));
  return isNamed || !isOpen ? [] : [`${asked.userId} was asked in the call ${asked.name}, and no line names them`];
}

/**
 * The line says of each person the last answer that was stored, or what may have become of a later press. An answer counts for each call of the
 * incident that reached the person.
 */
function peopleTrue(evidence: Evidence, call: ShownCall): Complaint[] {
  const { world } = evidence;
  if (call.isTakenBack) return [];
  return call.people.flatMap(({ userId, says }) => {
    const asked = world.witness.unasked.asked.filter(each => each.userId === userId && isOfIncident(call, each));
    const who = `#${call.channel.name} says “${says}” of ${userId} in the call ${call.name}`;
    const isExcused = world.plan.departures.length > 0 || world.plan.areDaysLived || call.channel.isPrivate;
    // A chain knows the answer that somebody gave to another call.
    if (asked.length === 0) return says === '…' && !isExcused ? [`${who}, who was never asked`] : [];
    const acts = evidence.acts.filter(
      ({ kind, userId: by, value }) =>
        kind === 'answer' && by === userId && asked.some(each => value.startsWith(`${each.call} `)),
    );
    const last = acts.findLastIndex(each => each.answers.some(({ text }) => stored.test(text)));
    const allowed = acts.slice(Math.max(0, last)).map(toState);
    // This call asked the person once more.
    const newest = Math.max(...asked.filter(each => isOf(call, each)).map(each => each.at));
    if (last < 0 || (acts[last]?.at ?? 0) < newest) allowed.push('…');
    if (says === 'is here' && (last < 0 || mayBeHere(evidence, call, userId))) return [];
    return allowed.includes(says) ? [] : [`${who}, who said ${allowed.join(' or ')}`];
  });
}

function toState({ value }: Act): string {
  return value.endsWith('Cannot') ? '✗' : (/in \d+ min$/i.exec(value)?.[0].toLowerCase() ?? '');
}

/** Whether a person came on their own, or spoke in the room: then they are there, whatever they said before. */
function mayBeHere({ world }: Evidence, { channel }: ShownCall, userId: string): boolean {
  const spoke = world.witness.talks.all.some(
    ({ authorId, message }) => authorId === userId && message.channel === channel.id,
  );
  return spoke || !isOnDuty(world.slack.person(userId));
}

/** A chain to which nobody answers, in Slack or at a pager, has called its last target, and says so, unless its incident is over, a drill or private. */
function chainGoesOn(evidence: Evidence, call: ShownCall): Complaint[] {
  const { world, activity, shown } = evidence;
  const incident = shown.get(Number(call.incidentID));
  if (!call.name.startsWith('because') || !incident || incident.isDrill || call.channel.isPrivate) return [];
  const changes = activity.filter(each => String(each.incident_id) === call.incidentID);
  const isCalledOff = changes.some(({ kind }) => /^incident(Status|IsDrill)Changed$/.test(kind));
  const comes = call.people.some(({ says }) => says !== '…' && says !== '✗');
  const isTaken = comes || isTakenByPage(evidence, call.incidentID);
  if (call.isEnded || isCalledOff || isTaken || world.plan.steps.length > 0) return [];
  return [`#${call.channel.name} reads of a chain that stands still: ${call.name}, after ${call.targets} targets`];
}

/** Whoever was told that they called people finds the line of their call, once; a chain that is to begin has begun. */
function linesOnce(evidence: Evidence, calls: readonly ShownCall[]): readonly Complaint[] {
  const rooms = openRooms(evidence);
  const isOpen = ({ incident }: Act) => rooms.some(({ channel }) => new RegExp(`(^|-)${incident}-`).test(channel.name));
  return evidence.acts
    .filter(({ kind }) => kind === 'call')
    .flatMap(act => {
      const lines = calls.filter(({ name }) => name === act.mark).length;
      const isCalled = act.answers.some(({ text }) => /📟 I called <@/u.test(text));
      if (lines > 1) return [`${tell(act)} has ${lines} lines`];
      return isCalled && lines === 0 && isOpen(act) && evidence.world.plan.refusals.length === 0
        ? [`${tell(act)} called people, and no line says so`]
        : [];
    });
}
