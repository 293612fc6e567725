import type { Message } from '../../../../playground/fake-slack/fake-slack.ts';
import { isLine } from '../../../../src/bot/incident/lines/mark.ts';
import type { Reminded } from '../witness/unasked.ts';
import type { World } from '../world.ts';
import type { Complaint, Evidence } from './evidence.ts';

/** How long what was decided may be on its way, in milliseconds. */
const onItsWay = 15_000;
const anHour = 3_600_000;

/** Nobody is reminded alone in their quiet hours, but of one of the gravest incidents; and the budget of each room holds. */
export function peaceKept(evidence: Evidence): readonly Complaint[] {
  const { reminded } = evidence.world.witness.unasked;
  return [
    ...reminded.filter(({ audience }) => audience === 'owner').flatMap(each => inQuietHours(evidence, each)),
    ...reminded.filter(({ to }) => isRoom(evidence, to)).flatMap(each => beyondBudget(evidence, each)),
  ];
}

function isRoom({ rooms }: Evidence, channel: string): boolean {
  return rooms.some(each => each.channel_id === channel);
}

/** Whether a person's quiet hours cover a part of a time. */
export function wasQuiet(world: World, userId: string, from: number, until: number): boolean {
  for (let at = from; at < until; at += 10_000) if (isQuiet(world, userId, at)) return true;
  return isQuiet(world, userId, until);
}

/** Whether it is one of a person's quiet hours, told by another way than Muster tells it. */
export function isQuiet({ settings, slack }: World, userId: string, at: number): boolean {
  const { quietHours } = settings;
  if (!quietHours) return false;
  const { tz } = slack.person(userId).record;
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: tz, hour: '2-digit', minute: '2-digit' }).format(at);
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const minute = hours * 60 + minutes;
  const { from, to } = quietHours;
  return from <= to ? from <= minute && minute < to : minute >= from || minute < to;
}

function inQuietHours(
  { world, activity, incidents }: Evidence,
  { at, clock, to, kind, incidentID }: Reminded,
): Complaint[] {
  const moments = [at - onItsWay, at, clock];
  if (!moments.every(moment => isQuiet(world, to, moment))) return [];
  const own = activity.filter(each => String(each.incident_id) === incidentID);
  const wasGravest = own.some(
    ({ kind: change, fields, created_at }) =>
      change === 'incidentSeverityChanged' && fields.severity === 'critical' && created_at / 1000 <= at,
  );
  const isGravest = incidents.find(each => String(each.id) === incidentID)?.severity === 'critical';
  // What it was at first is known where nobody has changed it.
  const isUnknown = own.some(each => each.kind === 'incidentSeverityChanged');
  if (wasGravest || isGravest || isUnknown) return [];
  return [
    `${to} was reminded of ${kind} in their quiet hours, ${Math.round((at - world.began) / 1000)} s after the beginning`,
  ];
}

/** A reminder is not among the messages that a room gets beyond its budget. What waits for Slack is counted late. */
function beyondBudget({ world }: Evidence, { at, to, kind }: Reminded): Complaint[] {
  const { plan, slack, settings } = world;
  if (plan.slack.length + plan.steps.length + plan.kills.length + plan.standstills.length > 0) return [];
  const isOfHour = ({ ts }: Message) => Number(ts) * 1000 > at - anHour && Number(ts) * 1000 < at - onItsWay;
  const lines = slack
    .channel(to)
    .messages.filter(each => isOfHour(each) && isLine(each) && each.threadTs === undefined);
  return lines.length >= settings.linesPerHour
    ? [`#${slack.channel(to).name} was reminded of ${kind} after ${lines.length} lines within an hour`]
    : [];
}
