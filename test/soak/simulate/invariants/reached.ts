import type { Channel } from '../../../../playground/fake-slack/fake-slack.ts';
import { mistakeLabel } from '../../../../src/contract/mistakes.ts';
import { heardWithin } from '../witness/readers.ts';
import { type Complaint, type Evidence, tell } from './evidence.ts';
import { isQuiet } from './quiet.ts';
import {
  activeSpan,
  bound,
  holders,
  incidentOf,
  leadAfter,
  leaders,
  mayBeTold,
  promisesOf,
  resolutions,
  rounding,
  timeOf,
} from './reminders.ts';

const minute = 60_000;
const aDay = 24 * 60 * minute;
/** How long after a channel opens everything in it is true, in milliseconds. */
const opening = 5 * minute;
/** Talk that comes so soon after other talk is not noted on its own, in milliseconds. */
const oneTalk = 30_000;

/** A room that is reminded, and its incident. */
interface Place {
  readonly id: number;
  readonly channel: Channel;
  /** Since when reminders are looked at, in milliseconds: the room is there, and days pass. */
  readonly since: number;
}

/**
 * A reminder that is due reaches somebody who can be reached, or the room, whoever left and whatever was closed meanwhile. Quiet hours put it
 * off, and nothing else. Where somebody said how the room is reminded, or put a reminder off, nothing is asked for.
 */
export function dueReached(evidence: Evidence): readonly Complaint[] {
  const { world } = evidence;
  const { areDaysLived, arePromisesMade, steps, refusals } = world.plan;
  if (!areDaysLived || !arePromisesMade || steps.length + refusals.length > 0) return [];
  return placesOf(evidence).flatMap(place => [
    ...updatesReached(evidence, place),
    ...leaderSought(evidence, place),
    ...silenceTold(evidence, place),
    ...reviewReached(evidence, place),
  ]);
}

function placesOf({ world, rooms, acts }: Evidence): readonly Place[] {
  return rooms.flatMap(({ incident_id, channel_id, card_ts, reminders }) => {
    const channel = world.slack.channels.find(each => each.id === channel_id);
    if (!channel || card_ts === '' || reminders !== '' || world.witness.readers.wasShared(channel.id)) return [];
    const isTurned = acts.some(
      ({ kind, what, incident }) =>
        (kind === 'snooze' || what.startsWith('/incident reminders')) &&
        (incident === '' || channel.name.includes(incident)),
    );
    const since = Math.max(world.witness.days.from, Number(channel.created) * 1000);
    return isTurned ? [] : [{ id: Number(incident_id), channel, since }];
  });
}

/** The first moment from one on at which the room takes something for as long as it may be on its way; undefined for never so far. */
function whenOpen({ world }: Evidence, { channel }: Place, from: number): number | undefined {
  const { presence } = world.witness;
  const opened = presence.absences(channel.id).flatMap(({ until }) => (until > from ? [until] : []));
  return [from, ...opened].find(at => presence.isThere(channel.id, at, at + opening) && !isFull(world, channel, at));
}

/** Whether a room has had almost as many messages as it gets within an hour. */
function isFull({ settings }: Evidence['world'], { messages }: Channel, at: number): boolean {
  const ofHour = messages.filter(
    each => each.botId !== undefined && Math.abs(Number(each.ts) * 1000 - at) < 60 * minute,
  );
  return ofHour.length >= settings.linesPerHour - 2;
}

/** When a person may be told: at a moment, or at the end of their quiet hours. */
function whenAwake({ world }: Evidence, userId: string, from: number): number {
  let at = from;
  while (isQuiet(world, userId, at)) at += minute;
  return at;
}

/** The reminders of a kind about an incident that reached somebody between two moments. */
function reached(evidence: Evidence, kind: string, { id }: Place, from: number, by: number) {
  const { presence, unasked } = evidence.world.witness;
  return unasked.reminded.filter(
    each =>
      each.kind === kind &&
      each.at >= from - rounding &&
      each.at <= by &&
      incidentOf(evidence, each) === id &&
      presence.isThere(each.to, each.at),
  );
}

function after({ world }: Evidence, at: number): string {
  return `${Math.round((at - world.began) / 1000)} s after the beginning`;
}

/** An update that is owed when it is due is asked for: in the room, once that is open; where only people are reminded, of one of them. */
function updatesReached(evidence: Evidence, place: Place): readonly Complaint[] {
  const { world } = evidence;
  const promises = promisesOf(evidence).filter(({ incidentID }) => incidentID === place.id);
  return promises.flatMap(({ act, due, length, row }) => {
    if (!row) return [];
    const { from, end } = activeSpan(evidence, place.id, row);
    const begun = Math.max(from, place.since, due);
    if (begun > world.witness.days.until) return [];
    const people = [act.userId, ...leaders(evidence, place.id, begun)].filter(each =>
      mayBeTold(evidence, place.id, each, begun),
    );
    const at =
      world.settings.reminders === 'on'
        ? whenOpen(evidence, place, begun)
        : people.map(each => whenAwake(evidence, each, begun))[0];
    if (at === undefined || at > due + aDay - opening) return [];
    const by = at + (at > begun ? opening : bound);
    if (end < by || by > world.witness.days.until) return [];
    const isTold = reached(evidence, 'update', place, due - length / 2, by).some(
      each => Math.abs(each.due * 1000 - due) < 5000,
    );
    return isTold
      ? []
      : [`nobody was reminded of ${tell(act)}, due ${after(evidence, due)}, by ${after(evidence, by)}`];
  });
}

/** Times in which an incident goes on. */
function spells(
  evidence: Evidence,
  { id, since }: Place,
): readonly { readonly from: number; readonly until: number }[] {
  const changes = resolutions(evidence, id);
  const begins = [0, ...changes.filter(each => each.fields.status !== 'resolved').map(timeOf)];
  const ends = [
    ...changes.filter(each => each.fields.status === 'resolved').map(timeOf),
    evidence.world.witness.days.until,
  ];
  return begins
    .map(from => ({ from: Math.max(from, since), until: Math.min(...ends.filter(end => end > from)) }))
    .filter(({ from, until }) => from < until);
}

/** When anything changed about who leads an incident, and whether they can be told. */
function turns({ activity, world }: Evidence, id: number): readonly number[] {
  const roles = activity.filter(each => each.incident_id === id && each.fields.role === 'commander');
  const people = new Set(roles.map(each => String(each.fields.userID).replace(/^slack:/, '')));
  const absences = [...people].flatMap(each => world.witness.presence.absences(each));
  return [...roles.map(timeOf), ...absences.flatMap(({ from, until }) => [from, until])];
}

/** The room reads that nobody leads the incident who can be told. */
function leaderSought(evidence: Evidence, place: Place): readonly Complaint[] {
  const { world, activity } = evidence;
  if (world.settings.reminders !== 'on') return [];
  const isGravest = evidence.shown.get(place.id)?.severity === 'critical';
  const isSame = !activity.some(each => each.incident_id === place.id && each.kind === 'incidentSeverityChanged');
  const wait = isGravest && isSame ? leadAfter : 10 * minute;
  return spells(evidence, place).flatMap(({ from, until }) => {
    const moments = [from, ...turns(evidence, place.id).filter(each => each > from && each < until)].toSorted(
      (one, other) => one - other,
    );
    return moments.flatMap((begun, index) => {
      const isLed = (at: number) =>
        holders(evidence, place.id, at + 1).some(each => world.witness.presence.isThere(each, at + 1));
      const isNew = index === 0 || isLed(moments[index - 1] ?? 0);
      if (isLed(begun) || !isNew) return [];
      const end = moments.slice(index).find(isLed) ?? until;
      const at = whenOpen(evidence, place, begun + wait);
      if (at === undefined) return [];
      // A room that was closed counts from its opening.
      const by = at + (at > begun + wait ? wait + opening : bound);
      if (end < by || by > world.witness.days.until) return [];
      return reached(evidence, 'lead', place, begun === place.since ? 0 : begun, by).length > 0
        ? []
        : [
            `#${place.channel.name} was not told by ${after(evidence, by)} that nobody leads it since ${after(evidence, begun)}`,
          ];
    });
  });
}

/** When somebody last acted on an incident, or talked in its room. */
function signsOfLife({ intents, lines }: Evidence, { id, channel }: Place): readonly number[] {
  return [
    ...intents
      .filter(each => each.subject === String(id) && !each.owner.endsWith('/'))
      .map(each => Date.parse(each.created_at)),
    ...lines
      .filter(each => each.incident_id === String(id) && each.id.startsWith('elsewhere/'))
      .map(each => each.done_at),
    ...channel.messages
      .filter(each => each.botId === undefined && each.subtype === undefined)
      .map(each => Number(each.ts) * 1000),
  ];
}

/** Somebody who leads is told that nobody has said anything. */
function silenceTold(evidence: Evidence, place: Place): readonly Complaint[] {
  const { world, activity, shown } = evidence;
  const { newsAfter } = world.settings;
  const severity = shown.get(place.id)?.severity;
  const isSame = !activity.some(each => each.incident_id === place.id && each.kind === 'incidentSeverityChanged');
  if (!newsAfter || !isSame || !severity || severity === world.settings.severities[0]) return [];
  const isGravest = severity === 'critical';
  const wait = (isGravest ? newsAfter.gravest : newsAfter.below) * minute;
  const promises = promisesOf(evidence).filter(({ incidentID }) => incidentID === place.id);
  const signs = signsOfLife(evidence, place).toSorted((one, other) => one - other);
  return spells(evidence, place).flatMap(({ from, until }) => {
    const moments = [from, ...signs.filter(each => each > from && each < until), until];
    return moments.flatMap((begun, index) => {
      // What was said before days passed is not known here.
      if (begun === world.witness.days.from) return [];
      const end = moments[index + 1] ?? begun;
      const at = whenOpen(evidence, place, begun + wait);
      if (at === undefined || promises.some(each => each.act.at < at + opening && each.due + aDay > begun)) return [];
      const people = leaders(evidence, place.id, at).filter(each =>
        leaders(evidence, place.id, at + opening).includes(each),
      );
      const awake = people.map(each => (isGravest ? at : whenAwake(evidence, each, at)));
      const by = Math.max(...awake) + (at > begun + wait ? opening : bound);
      if (people.length === 0 || end < by || by > world.witness.days.until) return [];
      return reached(evidence, 'news', place, begun + wait - oneTalk, by).length > 0
        ? []
        : [
            `nobody who leads #${place.channel.name} was told by ${after(evidence, by)} of the silence since ${after(evidence, begun)}`,
          ];
    });
  });
}

/** A day after the end, somebody who led is asked to look back. */
function reviewReached(evidence: Evidence, place: Place): readonly Complaint[] {
  const { world, shown, activity } = evidence;
  const ended = resolutions(evidence, place.id).at(-1);
  const isMistake = activity.some(each => each.incident_id === place.id && each.fields.label === mistakeLabel);
  if (!ended || shown.get(place.id)?.status !== 'resolved' || isMistake) return [];
  const at = timeOf(ended) + aDay;
  if (at < place.since) return [];
  const people = leaders(evidence, place.id, at).filter(each => leaders(evidence, place.id, at + bound).includes(each));
  const by = Math.max(...people.map(each => whenAwake(evidence, each, at))) + bound;
  if (people.length === 0 || by > world.witness.days.until) return [];
  return reached(evidence, 'review', place, at, by).length > 0
    ? []
    : [`nobody who led #${place.channel.name} was asked by ${after(evidence, by)} to look back`];
}

/**
 * Nobody is asked or reminded who left or became a guest longer ago than it may take until every process has heard of it: it would pass for
 * told.
 */
export function nobodyInVain({ world }: Evidence): readonly Complaint[] {
  const { presence, unasked } = world.witness;
  const asked = unasked.asked.map(({ at, userId: to }) => ({ at, to, what: 'asked to come' }));
  const reminded = unasked.reminded.map(({ at, to, kind }) => ({ at, to, what: `reminded of ${kind}` }));
  return [...asked, ...reminded].flatMap(({ at, to, what }) => {
    const absence = presence.absences(to).find(each => at > each.from + heardWithin && at < each.until);
    return absence
      ? [`${to} was ${what}, and could not be reached for ${Math.round((at - absence.from) / 1000)} s`]
      : [];
  });
}
