import { hash } from 'node:crypto';
import { z } from 'zod';
import type { alertRules } from '../../config/alert-settings.ts';
import type { AlertSource } from '../../config/alert-sources.ts';
import type { ValuesOf } from '../../config/setting.ts';
import type { Pace } from '../../config/team-settings.ts';
import type { AlertNews } from '../incident/lines/alert-lines.ts';
import { AlertGroup, serviceOf, toolOf } from '../incident/state/alert-group.ts';
import { mostServices } from '../incident/state/alert-store.ts';
import type { AlertOfferTable, AlertTable } from '../schema/alerts.ts';
import { type AlertArrival, type AlertCell, type AlertState, alertLife } from './life.ts';

/*
 * The rules of alerts: from the known groups and offers and one more notice to the groups and offers afterwards, by the table of `life.ts`. A
 * notice that comes twice, late or after its end changes a count at most. Moments of the tool are compared with each other alone, since its
 * clock may be off.
 */

/** The settings by which a team decides about alerts. */
export type AlertRules = ValuesOf<typeof alertRules> &
  Pick<Pace, 'alertsAgain' | 'alertsStorm'> & {
    /** From mild to grave. */
    readonly severities: readonly string[];
  };

/** A notice about a group of alerts, as its source sent it. */
export interface Notice {
  readonly source: AlertSource;
  readonly group: AlertGroup;
  /** The team's. */
  readonly severity: string;
}

/** The groups of an offer that no notice is about; there may be thousands. */
interface Others {
  readonly fire: boolean;
  /** The severity of some of them; none where there are none. */
  readonly severities: readonly string[];
}

/** An incident of alerts, as far as Muster knows it. */
export interface KnownIncident {
  readonly state: 'active' | 'resolved' | 'mistaken';
  readonly severity: string;
  /** Its channel is archived or deleted. */
  readonly isClosed: boolean;
}

/** The known groups and offers that a notice may concern, by id. They are replaced, never changed. */
export interface KnownAlerts {
  /** The groups that a notice is about. */
  readonly groups: Map<string, AlertTable>;
  /** The others, by their offers; absent for none. */
  readonly others: Map<string, Others>;
  readonly offers: Map<string, AlertOfferTable>;
  /** The offers whose groups joined another one, and that one. */
  readonly moved: Map<string, string>;
  /** The incidents of these offers, and those on which a person acted. */
  readonly incidents: Map<string, KnownIncident>;
  readonly touched: Set<string>;
  /** Prints of alerts that fire in other groups of a source with an offer: `source print`, and those groups. */
  readonly prints: Map<string, readonly string[]>;
}

/** The room reads at most so often that a group still fires, in milliseconds. */
const stillEvery = 30 * 60_000;

/** A slow peer repeats what is over for so long, in milliseconds; a notice that comes later is about a new beginning, whatever its moments say. */
const lateWithin = 2 * 60_000;

/** A message that is so young is edited where its alert comes back, in milliseconds: an alert may flap. */
const noticedWithin = 10 * 60_000;

/** A storm takes in no more groups after so long, in milliseconds. */
const stormLength = 3_600_000;

/**
 * Groups of a storm that its room reads of by name. Of those that join it after them the room reads in the counts of its card: names of
 * thousands are no news.
 */
const mostNamed = 100;

/** Tools that tell of one key, at most, and for how long one is believed that tells nothing more, in milliseconds: tools repeat what fires. */
const mostTools = 4;
const otherToolWithin = 24 * 3_600_000;

/** The inputs to the decision about a notice. */
interface Deciding {
  readonly known: KnownAlerts;
  readonly notice: Notice;
  readonly rules: AlertRules;
  readonly now: number;
  newOffer(): string;
}

/** The id of a group: its key may be longer than an index takes. */
export function alertID(source: string, key: string): string {
  return hash('sha256', `${source}\n${key}`, 'hex');
}

/** Names the alerts of a group that fire, in whatever group they come; `""` where some are not known. */
export function printOf({ firing, prints }: AlertGroup): string {
  return prints.length === 0 || prints.length !== firing ? '' : hash('sha256', prints.toSorted().join('\n'), 'hex');
}

/** Applies a notice: replaces what it changes in `known`, and returns the news for people. `newOffer` makes ids. */
export function hearNotice(deciding: Deciding): readonly AlertNews[] {
  const { known, notice } = deciding;
  const before = known.groups.get(alertID(notice.source.name, notice.group.key));
  const offer = before && known.offers.get(before.offer);
  const arrival = arrivalOf(deciding, before, offer);
  const cell = alertLife[stateOf(deciding, before, offer)][arrival];
  if (arrival === 'late' || arrival === 'otherTool') return hearNothing(deciding, before, arrival);
  const heard = { before, offer, arrival, cell };
  return notice.group.state === 'firing' ? hearFiring(deciding, heard) : hearEnded(deciding, heard);
}

/** The state of a group before a notice. */
function stateOf(deciding: Deciding, before: AlertTable | undefined, offer: AlertOfferTable | undefined): AlertState {
  const { known, now } = deciding;
  if (before === undefined || offer === undefined || offer.state === 'gone') return 'unknown';
  if (before.muted_until > now || offer.state === 'muted') return 'muted';
  if (offer.state === 'over') return 'over';
  if (offer.state === 'open') return offer.is_storm === 1 ? 'storm' : 'offered';
  // One that is not registered goes on.
  const incident = known.incidents.get(offer.incident_id);
  if (incident === undefined) return 'taken';
  if (incident.state === 'mistaken') return 'mistaken';
  if (incident.state === 'active') return incident.isClosed ? 'closed' : 'taken';
  return isLeftToMuster(deciding, offer) ? 'resolvedByEnd' : 'resolved';
}

/** Whether Muster ends and reopens the incident of an offer: a setting wants it, and no person acted. */
function isLeftToMuster({ known, rules }: Deciding, { actor, incident_id }: AlertOfferTable): boolean {
  return rules.alertsEnd === 'auto' && actor === '' && !known.touched.has(incident_id);
}

function arrivalOf(
  { known, notice, rules, now }: Deciding,
  before: AlertTable | undefined,
  offer: AlertOfferTable | undefined,
): AlertArrival {
  const { group } = notice;
  if (group.state === 'resolved') {
    if (before === undefined) return 'ends';
    if (before.state === 'ended' || isLate(group.endedAt, before.newest_start)) return 'late';
    return isOfOtherTool(parse(before.told), group) ? 'otherTool' : 'ends';
  }
  const print = printOf(group);
  const own = alertID(notice.source.name, group.key);
  const twins = print === '' ? [] : (known.prints.get(toPrintKey(notice.source.name, print)) ?? []);
  const isShown = twins.some(each => each !== own && known.groups.get(each)?.state !== 'ended');
  if (offer === undefined && isShown) return 'otherRoute';
  if (before === undefined) return 'fires';
  if (before.state === 'ended') {
    if (now - before.ended_at <= lateWithin && isLate(group.newestStartAt, before.ended)) return 'late';
    if (before.muted_until > now && isGraver(rules, notice.severity, before.gravest || before.severity))
      return 'graver';
    if (now - before.ended_at > rules.alertsAgain * 60_000) return 'returnsLater';
    return isLate(before.newest_start, group.newestStartAt) ? 'returnsNew' : 'returnsOld';
  }
  const told = parse(before.told);
  if (isGraver(rules, notice.severity, before.gravest || before.severity)) return 'graver';
  if (group.firing > told.firing && isNewest(before, told, group)) return 'grows';
  if (group.firing <= told.firing && isNewest(before, told, group) && newPrints(told, group).length > 0)
    return 'others';
  return group.firing < told.firing ? 'shrinks' : 'fires';
}

/** The key of alerts in {@link KnownAlerts}.prints. */
export function toPrintKey(source: string, print: string): string {
  return `${source} ${print}`;
}

function isGraver({ severities }: AlertRules, severity: string, than: string): boolean {
  return severities.indexOf(severity) > severities.indexOf(than);
}

/** Whether it tells of a newer alert than any before it, or of as new ones as the last one did, which was not a late one then. */
function isNewest(
  { newest_start: last }: AlertTable,
  told: AlertGroup,
  { newestStartAt: newest }: AlertGroup,
): boolean {
  return newest > last || (newest === last && told.newestStartAt === newest);
}

/** A notice that tells people nothing: it changes what is known of its group at most. */
function hearNothing(
  { known, notice: { group }, now }: Deciding,
  before: AlertTable | undefined,
  arrival: 'late' | 'otherTool',
): readonly AlertNews[] {
  if (before === undefined) return [];
  if (arrival === 'otherTool') {
    const others = toldByOthers(before, now).filter(each => isOfOtherTool(each.group, group));
    known.groups.set(before.id, { ...before, others: toOthers(others), newest_at: now });
  } else if (group.state === 'resolved' && before.state === 'ended' && group.endedAt > before.ended)
    known.groups.set(before.id, { ...before, ended: group.endedAt, newest_at: now });
  return [];
}

/** A group, its offer and its cell in the table. */
interface Heard {
  readonly before: AlertTable | undefined;
  readonly offer: AlertOfferTable | undefined;
  readonly arrival: AlertArrival;
  readonly cell: AlertCell;
}

function hearFiring(deciding: Deciding, heard: Heard): readonly AlertNews[] {
  const { known, now } = deciding;
  const { before, offer, arrival, cell } = heard;
  const group = toFiring(deciding, heard);
  if (arrival === 'otherRoute') {
    known.groups.set(group.id, group);
    return [];
  }
  const isFirst = offer !== undefined && !fires(known, offer.id);
  const news = newsOf(deciding, heard, group, isFirst);
  if (cell.channel === 'posted' && offer?.state === 'over' && now - offer.begun_at <= noticedWithin) {
    put(deciding, group);
    change(known, offer.id, { state: 'open' });
    declareWhere(deciding, offer.id, group.severity);
  } else if (cell.channel === 'posted') {
    const after = offer?.state === 'taken' ? offer.incident_id : (offer?.after ?? '');
    const how = { after, isAlone: arrival === 'graver', mayDeclare: cell.act === 'declare' };
    const joined = joinOffer(deciding, { ...group, muted_until: 0, line_at: 0 }, how);
    if (before && offer) leave(deciding, before, offer, arrival !== 'returnsLater');
    return [...news, ...joined];
  } else {
    put(deciding, news.length > 0 && offer?.state === 'taken' ? { ...group, line_at: now } : group);
    // It ended while it was muted; when the mute is over, it is offered if it fires still.
    if (offer?.state === 'over') change(known, offer.id, { state: 'muted' });
  }
  if (cell.act === 'raise' && offer) raiseWhere(deciding, offer.id, group);
  if (cell.act === 'reopen' && offer && offer.owes !== 'declare') change(known, offer.id, { owes: 'reopen' });
  return news;
}

/** Where the team wants an incident for such a severity at once, the incident of the offer gets it. */
function raiseWhere(deciding: Deciding, id: string, group: AlertTable): void {
  const { known, notice } = deciding;
  const offer = known.offers.get(id);
  if (offer?.owes === '' && notice.source.declares.includes(group.severity) && isAbove(deciding, offer, group))
    change(known, id, { owes: 'raise' });
}

/** Whether a group is graver than the incident of its offer. */
function isAbove({ known, rules }: Deciding, offer: AlertOfferTable, group: AlertTable): boolean {
  const incident = known.incidents.get(offer.incident_id);
  return incident !== undefined && isGraver(rules, group.severity, incident.severity);
}

/** The news of a notice that a group fires, for the room of its incident. */
function newsOf(
  deciding: Deciding,
  { before, offer, cell }: Heard,
  group: AlertTable,
  isFirst: boolean,
): readonly AlertNews[] {
  const { notice, now } = deciding;
  if (typeof cell.room !== 'string' || before === undefined || offer === undefined) return [];
  const news = { what: cell.room, offer: offer.id, group, more: 0, names: [] } as const;
  // The card counts a group that joined a storm so late.
  const isCounted = group.is_counted === 1 && !isFirst && cell.room !== 'graver';
  if (isCounted) return [];
  if (cell.room === 'still') return now - (before.line_at || before.first_at) < stillEvery ? [] : [news];
  if (cell.room === 'graver' || cell.room === 'again') return [{ ...news, isAbove: isAbove(deciding, offer, group) }];
  if (cell.room !== 'grew' && cell.room !== 'others') return [news];
  const told = parse(before.told);
  const grown = notice.group.firing - told.firing;
  return [
    cell.room === 'grew'
      ? { ...news, more: grown, names: newNames(told, notice.group, grown) }
      : { ...news, more: newPrints(told, notice.group).length, names: newNames(told, notice.group) },
  ];
}

function hearEnded(deciding: Deciding, { before, offer, cell }: Heard): readonly AlertNews[] {
  const { known, notice, now } = deciding;
  const { group: told, source, severity } = notice;
  const ended = { ended: told.endedAt, ended_at: now, newest_at: now, line_at: 0, print: '', others: '' };
  if (before === undefined) {
    // Its beginning comes late, or never came.
    const group = { ...emptyGroup(source.name, told.key), severity, told: JSON.stringify(told) };
    put(deciding, { ...group, ...ended, newest_start: told.newestStartAt, state: 'ended' });
    return [];
  }
  const [other, ...others] = toldByOthers(before, now).filter(each => isOfOtherTool(each.group, told));
  if (other) {
    // Its alerts fire still where another tool looks.
    put(deciding, {
      ...before,
      told: JSON.stringify(other.group),
      others: toOthers(others),
      print: '',
      newest_at: now,
    });
    return [];
  }
  const group: AlertTable = { ...before, ...ended, told: JSON.stringify(told), state: 'ended' };
  put(deciding, group);
  if (offer === undefined || fires(known, offer.id)) return [];
  // One that is being declared ends once it is.
  if (cell.act === 'resolve' && isLeftToMuster(deciding, offer) && offer.owes !== 'declare')
    change(known, offer.id, { owes: 'resolve' });
  if (typeof cell.room === 'string') return [{ what: 'ended', offer: offer.id, group, more: 0, names: [] }];
  if (typeof cell.channel === 'string' && offer.state !== 'gone') change(known, offer.id, { state: 'over' });
  return [];
}

function parse(told: string): AlertGroup {
  return AlertGroup.parse(JSON.parse(told));
}

/** A group as another tool told of it, and when. */
const ToldByOther = z.object({ at: z.number(), group: AlertGroup });
type ToldByOther = z.output<typeof ToldByOther>;

/** The groups of this key that other tools told of, and that fire as far as is known. */
function toldByOthers({ others }: AlertTable, now: number): readonly ToldByOther[] {
  const all = others === '' ? [] : ToldByOther.array().parse(JSON.parse(others));
  return all.filter(each => now - each.at <= otherToolWithin);
}

function toOthers(groups: readonly ToldByOther[]): string {
  return groups.length === 0 ? '' : JSON.stringify(groups.slice(0, mostTools));
}

/** Whether another tool tells of other alerts under the key: replicas of one tool have addresses of their own, and tell of one alert. */
function isOfOtherTool(one: AlertGroup, other: AlertGroup): boolean {
  const [own, theirs] = [toolOf(one), toolOf(other)];
  if (own === '' || theirs === '' || own === theirs || !hasAllPrints(one) || !hasAllPrints(other)) return false;
  const named = new Set([...one.prints, ...one.endedPrints]);
  return ![...other.prints, ...other.endedPrints].some(each => named.has(each));
}

/** Whether all alerts of a group are known by their prints: of a large one the first are, whose end may name others. */
function hasAllPrints({ firing, resolved, prints }: AlertGroup): boolean {
  return prints.length > 0 && prints.length === (firing || resolved);
}

/** Whether a moment of the tool lies before another one of it; of unknown moments nothing is late. */
function isLate(moment: string, other: string): boolean {
  return moment !== '' && other !== '' && Date.parse(moment) < Date.parse(other);
}

/** The group after a notice that it fires. */
function toFiring({ notice, now }: Deciding, { before, offer, arrival, cell }: Heard): AlertTable {
  const { group: told, source, severity } = notice;
  const base = before ?? emptyGroup(source.name, told.key);
  const isSame = before?.state === 'firing';
  const goesOn = offer !== undefined && arrival !== 'returnsLater';
  const earlier = isSame ? [{ at: before.newest_at, group: parse(before.told) }, ...toldByOthers(before, now)] : [];
  const others = earlier.filter(each => isOfOtherTool(each.group, told));
  const newest = isSame && before.newest_start > told.newestStartAt ? before.newest_start : told.newestStartAt;
  // One that is opened again is raised by the next notice.
  const isTold =
    (!isSame && cell.act !== 'reopen') || arrival === 'graver' || cell.channel === 'posted' || base.gravest === '';
  return {
    ...base,
    ...{ told: JSON.stringify(told), severity, state: 'firing', newest_at: now, ended: '', ended_at: 0 },
    ...{ times: goesOn ? base.times + 1 : 1, newest_start: newest, print: printOf(told), others: toOthers(others) },
    ...(isSame ? {} : { first_at: now, line_at: 0 }),
    gravest: isTold ? severity : base.gravest,
  };
}

function emptyGroup(source: string, key: string): AlertTable {
  return {
    ...{ id: alertID(source, key), source, offer: '', state: 'firing', told: '', severity: '' },
    ...{ first_at: 0, newest_at: 0, times: 0, newest_start: '', ended: '', ended_at: 0, line_at: 0, muted_until: 0 },
    ...{ is_counted: 0, gravest: '', print: '', others: '' },
  };
}

/** Stores a group as it is now, and counts it in its offer. */
function put({ known, notice, now }: Deciding, group: AlertTable): void {
  const before = known.groups.get(group.id);
  known.groups.set(group.id, group);
  const offer = known.offers.get(group.offer);
  if (offer === undefined) return;
  const services = withService(offer.services, serviceOf(notice.group));
  const joins = before?.offer !== group.offer;
  const more = firingIn(group) - (joins ? 0 : firingIn(before));
  const firsts = firstIn(group, offer) - (joins ? 0 : firstIn(before, offer));
  if (group.print !== '') {
    const key = toPrintKey(group.source, group.print);
    known.prints.set(key, [...(known.prints.get(key) ?? []), group.id]);
  }
  if (!joins && more === 0 && firsts === 0 && services === offer.services) return;
  change(known, offer.id, {
    group_count: offer.group_count + (joins ? 1 : 0),
    firing_count: Math.max(0, offer.firing_count + more),
    first_firing: Math.max(0, offer.first_firing + firsts),
    changed_at: joins || more !== 0 ? now : offer.changed_at,
    services,
  });
}

function firingIn(group: AlertTable | undefined): number {
  return group?.state === 'firing' ? 1 : 0;
}

/** Whether a group fires that was there when its offer began. */
function firstIn(group: AlertTable | undefined, { begun_at }: AlertOfferTable): number {
  return group?.state === 'firing' && group.first_at <= begun_at ? 1 : 0;
}

function change(known: KnownAlerts, id: string, columns: Partial<AlertOfferTable>): void {
  const offer = known.offers.get(id);
  if (offer) known.offers.set(id, { ...offer, ...columns });
}

/** The services of an offer, and one more of them. */
function withService(services: string, service: string): string {
  // In a list of texts as JSON, such a text is always a member.
  if (service === '' || services.includes(JSON.stringify(service))) return services;
  const known: readonly string[] = JSON.parse(services || '[]');
  return known.length <= mostServices ? JSON.stringify([...known, service]) : services;
}

/** A group leaves its offer for another one. `isAnew`: the message of the new one takes the place of the old one's. */
function leave({ known }: Deciding, before: AlertTable, { id }: AlertOfferTable, isAnew: boolean): void {
  const offer = known.offers.get(id);
  // Its storm took it in again.
  if (offer === undefined || known.groups.get(before.id)?.offer === id) return;
  change(known, id, {
    firing_count: Math.max(0, offer.firing_count - firingIn(before)),
    first_firing: Math.max(0, offer.first_firing - firstIn(before, offer)),
  });
  if (offer.state === 'taken' || !isAnew) return;
  const isEmpty = groupsOf(known, id).length === 0 && !known.others.has(id);
  const next = known.offers.get(known.groups.get(before.id)?.offer ?? '');
  // A person may have opened the form of the old message.
  if (isEmpty) change(known, id, { state: 'gone', moved_to: next && next.is_storm === 0 ? next.id : '' });
  else if (offer.state === 'open' && !fires(known, id)) change(known, id, { state: 'over' });
}

/** How a group is offered. */
interface Joining {
  /** The incident that it had before; `""` for none. */
  readonly after: string;
  /** It speaks out of each storm. */
  readonly isAlone: boolean;
  readonly mayDeclare: boolean;
}

/** Gives a group the offer that it belongs to: a storm that goes on, a storm that begins with it, or one of its own. */
function joinOffer(
  deciding: Deciding,
  group: AlertTable,
  { after, isAlone, mayDeclare }: Joining,
): readonly AlertNews[] {
  const { known, notice, rules, now } = deciding;
  const { name, channel } = notice.source;
  const { alertsStorm: storm } = rules;
  const lately = storm
    ? [...known.offers.values()].filter(each => each.source === name && now - each.joined_at <= storm.within)
    : [];
  const going = lately.find(each => each.is_storm === 1 && goesOn(deciding, each));
  const speaks = isAlone || (going !== undefined && isGraver(rules, group.severity, gravestOf(deciding, going)));
  if (going && speaks) change(known, going.id, { gravest: group.severity });
  if (going && !(speaks && going.state === 'open')) {
    const isCounted = going.group_count >= mostNamed;
    change(known, going.id, { joined_at: now });
    put(deciding, { ...group, offer: going.id, is_counted: isCounted ? 1 : 0 });
    if (mayDeclare) declareWhere(deciding, going.id, group.severity);
    if (speaks) raiseWhere(deciding, going.id, group);
    if (going.state !== 'taken' || (isCounted && !speaks)) return [];
    const what = speaks ? 'graver' : going.group_count + 1 < mostNamed ? 'joined' : 'crowded';
    const offer = known.offers.get(going.id) ?? going;
    return [{ what, offer: going.id, group, more: 0, names: [], isAbove: speaks && isAbove(deciding, offer, group) }];
  }
  const alone = lately.filter(each => each.is_storm === 0 && each.state !== 'gone');
  const isStorm = storm !== undefined && !speaks && alone.length >= storm.more;
  const offer: AlertOfferTable = {
    ...{ id: deciding.newOffer(), source: name, channel, begun_at: now, joined_at: now, state: 'open' },
    ...{ is_storm: isStorm ? 1 : 0, owes: '', incident_id: '', intent: '', actor: '', muted_until: 0, after },
    ...{ group_count: 0, firing_count: 0, first_firing: 0, changed_at: now, services: '' },
    ...{ moved_to: '', gravest: group.severity },
  };
  known.offers.set(offer.id, offer);
  put(deciding, { ...group, offer: offer.id, is_counted: 0 });
  if (isStorm) {
    for (const each of alone) if (each.state === 'open') moveGroups(known, each, offer.id);
    const own = known.offers.get(offer.id) ?? offer;
    change(known, offer.id, { gravest: gravestOf(deciding, { ...own, gravest: '' }) });
  }
  if (mayDeclare) for (const each of severitiesOf(known, offer.id)) declareWhere(deciding, offer.id, each);
  return [];
}

/** Whether a storm takes in the groups of its source that follow: it is young, and one of its first groups fires. */
function goesOn({ now }: Deciding, { state, begun_at, first_firing }: AlertOfferTable): boolean {
  return (state === 'open' || state === 'taken') && now - begun_at <= stormLength && first_firing > 0;
}

function severitiesOf(known: KnownAlerts, offer: string): readonly string[] {
  return [...groupsOf(known, offer).map(each => each.severity), ...(known.others.get(offer)?.severities ?? [])];
}

/** The gravest severity that an offer told. */
function gravestOf({ known, rules: { severities } }: Deciding, { id, gravest }: AlertOfferTable): string {
  if (gravest !== '') return gravest;
  const ranks = severitiesOf(known, id).map(each => severities.indexOf(each));
  return severities[Math.max(0, ...ranks)] ?? '';
}

function moveGroups(known: KnownAlerts, from: AlertOfferTable, to: string): void {
  change(known, from.id, { state: 'gone' });
  known.moved.set(from.id, to);
  for (const each of groupsOf(known, from.id)) known.groups.set(each.id, { ...each, offer: to });
  const [ours, theirs] = [known.others.get(to), known.others.get(from.id)];
  known.others.delete(from.id);
  const severities = [...(ours?.severities ?? []), ...(theirs?.severities ?? [])];
  known.others.set(to, { fire: Boolean(ours?.fire || theirs?.fire), severities });
  const into = known.offers.get(to);
  if (into === undefined) return;
  const services: readonly string[] = JSON.parse(from.services || '[]');
  change(known, to, {
    group_count: into.group_count + from.group_count,
    firing_count: into.firing_count + from.firing_count,
    first_firing: into.first_firing + from.firing_count,
    services: services.reduce(withService, into.services),
  });
}

/** Where the team wants an incident for such a severity at once, the offer owes one. */
function declareWhere({ known, notice }: Deciding, id: string, severity: string): void {
  if (known.offers.get(id)?.state !== 'open' || !notice.source.declares.includes(severity)) return;
  change(known, id, { state: 'taken', owes: 'declare' });
}

function groupsOf({ groups }: KnownAlerts, offer: string): readonly AlertTable[] {
  return [...groups.values()].filter(each => each.offer === offer);
}

function fires(known: KnownAlerts, offer: string): boolean {
  return groupsOf(known, offer).some(each => each.state === 'firing') || known.others.get(offer)?.fire === true;
}

/** Whether an offer has several groups. */
export function hasSeveral(known: KnownAlerts, offer: string): boolean {
  return groupsOf(known, offer).length + (known.others.get(offer)?.severities.length ?? 0) > 1;
}

/** The names of alerts that fire and did not before, `most` at most. */
function newNames(before: AlertGroup, after: AlertGroup, most = Number.POSITIVE_INFINITY): readonly string[] {
  const firing = ({ alerts }: AlertGroup) => alerts.filter(each => each.state === 'firing').map(each => each.name);
  const fresh = newPrints(before, after);
  if (fresh.length > 0) return firing(after).filter((_, index) => fresh.includes(after.prints[index] ?? ''));
  const known = firing(before);
  // A group of one alert is named otherwise than one of several.
  const others = firing(after).filter(each => !known.includes(each));
  return others.slice(Math.max(0, others.length - most));
}

/** The prints of alerts that fire and did not before; none where some are not known. */
function newPrints(before: AlertGroup, after: AlertGroup): readonly string[] {
  if (before.state === 'resolved' || printOf(before) === '' || after.state === 'resolved') return [];
  return after.prints.filter(each => !before.prints.includes(each));
}
