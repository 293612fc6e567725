import { hash } from 'node:crypto';
import type { alertRules } from '../../config/alert-settings.ts';
import type { AlertSource } from '../../config/alert-sources.ts';
import type { ValuesOf } from '../../config/setting.ts';
import type { Pace } from '../../config/team-settings.ts';
import type { AlertNews } from '../incident/lines/alert-lines.ts';
import { type AlertGroup, serviceOf } from '../incident/state/alert-group.ts';
import { mostServices } from '../incident/state/alert-store.ts';
import type { AlertOfferTable, AlertTable } from '../schema/alerts.ts';

/*
 * The rules of alerts: from the known groups and offers and one more notice to the groups and offers afterwards. A notice that comes twice,
 * late or after its end changes a count at most. Moments of the tool are compared with each other alone, since its clock may be off.
 */

/** The settings by which a team decides about alerts. */
export type AlertRules = ValuesOf<typeof alertRules> & Pick<Pace, 'alertsAgain' | 'alertsStorm'>;

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

/** The known groups and offers that a notice may concern, by id. They are replaced, never changed. */
export interface KnownAlerts {
  /** The groups that a notice is about. */
  readonly groups: Map<string, AlertTable>;
  /** The others, by their offers; absent for none. */
  readonly others: Map<string, Others>;
  readonly offers: Map<string, AlertOfferTable>;
  /** The offers whose groups joined another one, and that one. */
  readonly moved: Map<string, string>;
  /** The incidents of these offers that go on, and those on which a person acted. */
  readonly active: Set<string>;
  readonly touched: Set<string>;
}

/** The room reads at most so often that a group still fires, in milliseconds. */
const stillEvery = 30 * 60_000;

/** A notice that comes so long after the end is about a new beginning, whatever the tool's moments say. In milliseconds. */
const lateWithin = 3_600_000;

/**
 * Groups of a storm that its room reads of by name. Of those that join it after them the room reads in the counts of its card: names of
 * thousands are no news.
 */
const mostNamed = 100;

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

/** Applies a notice: replaces what it changes in `known`, and returns the news for people. `newOffer` makes ids. */
export function hearNotice(deciding: Deciding): readonly AlertNews[] {
  const { known, notice } = deciding;
  const before = known.groups.get(alertID(notice.source.name, notice.group.key));
  return notice.group.state === 'firing' ? hearFiring(deciding, before) : hearEnded(deciding, before);
}

function hearFiring(deciding: Deciding, before: AlertTable | undefined): readonly AlertNews[] {
  const { known, notice, now } = deciding;
  const isRecent = before?.state === 'ended' && now - before.ended_at <= lateWithin;
  if (isRecent && isLate(notice.group.newestStartAt, before.ended)) return [];
  const offer = before && known.offers.get(before.offer);
  const isSame = before?.state === 'firing';
  const goesOn = isSame || isAgain(deciding, before, offer);
  const group = toFiring(deciding, before, goesOn);
  // A group whose mute is just over is offered again with its offer.
  if (group.muted_until > now || offer?.state === 'muted') {
    put(deciding, group);
    // It ended while it was muted; when the mute is over, it is offered if it fires still.
    if (offer?.state === 'over' && goesOn) change(known, offer.id, { state: 'muted' });
    return [];
  }
  if (offer === undefined || !['open', 'taken', 'over'].includes(offer.state) || !goesOn)
    return joinOffer(deciding, group, offer?.incident_id ?? '');
  const isFirst = !fires(known, offer.id);
  put(deciding, group);
  if (offer.state !== 'taken') {
    if (offer.state === 'over') change(known, offer.id, { state: 'open' });
    declareWhere(deciding, offer.id, group.severity);
    return [];
  }
  if (group.is_counted === 1 && !isFirst) return [];
  const news = { offer: offer.id, group, more: 0, names: [] };
  if (!isSame) return [{ ...news, what: 'again' }];
  const told = JSON.parse(before.told) as AlertGroup;
  const more = notice.group.firing - told.firing;
  // It tells of a newer alert than any before it, or of as new ones as the last one did, which was not a late one then.
  const [newest, last] = [notice.group.newestStartAt, before.newest_start];
  const isNewest = newest > last || (newest === last && told.newestStartAt === newest);
  const grew = more > 0 && isNewest;
  if (!grew && now - (group.line_at || group.first_at) < stillEvery) return [];
  known.groups.set(group.id, { ...group, line_at: now });
  if (!grew) return [{ ...news, what: 'still' }];
  return [{ ...news, what: 'grew', more, names: newNames(told, notice.group) }];
}

function hearEnded(deciding: Deciding, before: AlertTable | undefined): readonly AlertNews[] {
  const { known, notice, now } = deciding;
  const { group: told, source, severity } = notice;
  if (before === undefined) {
    // Its beginning comes late, or never came.
    const group = { ...emptyGroup(source.name, told.key), severity, newest_at: now, ended_at: now };
    const state = { told: JSON.stringify(told), newest_start: told.newestStartAt, ended: told.endedAt };
    put(deciding, { ...group, ...state, state: 'ended' });
    return [];
  }
  if (before.state === 'ended') {
    if (told.endedAt > before.ended) known.groups.set(before.id, { ...before, ended: told.endedAt, newest_at: now });
    return [];
  }
  if (told.endedAt !== '' && isLate(told.endedAt, before.newest_start)) return [];
  const ended = { told: JSON.stringify(told), ended: told.endedAt, ended_at: now, newest_at: now, line_at: 0 };
  const group: AlertTable = { ...before, ...ended, state: 'ended' };
  put(deciding, group);
  const offer = known.offers.get(group.offer);
  if (offer === undefined || fires(known, offer.id)) return [];
  if (offer.state === 'taken') return [{ what: 'ended', offer: offer.id, group, more: 0, names: [] }];
  if (offer.state !== 'gone') change(known, offer.id, { state: 'over' });
  return [];
}

/** Whether a moment of the tool lies before another one of it; of unknown moments nothing is late. */
function isLate(moment: string, other: string): boolean {
  return moment !== '' && other !== '' && Date.parse(moment) < Date.parse(other);
}

/** Whether a group that ended is the same incident still. */
function isAgain(
  { known, rules, now }: Deciding,
  before: AlertTable | undefined,
  offer: AlertOfferTable | undefined,
): boolean {
  if (before?.state !== 'ended') return false;
  return now - before.ended_at <= rules.alertsAgain * 60_000 || known.active.has(offer?.incident_id ?? '');
}

/** The group after a notice that it fires; `goesOn`: it belongs to the same incident as before. */
function toFiring({ notice, now }: Deciding, before: AlertTable | undefined, goesOn: boolean): AlertTable {
  const { group: told, source, severity } = notice;
  const state = {
    told: JSON.stringify(told),
    severity,
    state: 'firing',
    newest_at: now,
    ended: '',
    ended_at: 0,
  } as const;
  const base = before ?? emptyGroup(source.name, told.key);
  const isSame = before?.state === 'firing';
  const newest = isSame && before.newest_start > told.newestStartAt ? before.newest_start : told.newestStartAt;
  const times = goesOn ? base.times + 1 : 1;
  const rest = isSame ? { times } : { times, first_at: now, line_at: 0 };
  return { ...base, ...state, ...rest, newest_start: newest };
}

function emptyGroup(source: string, key: string): AlertTable {
  return {
    ...{ id: alertID(source, key), source, offer: '', state: 'firing', told: '', severity: '' },
    ...{ first_at: 0, newest_at: 0, times: 0, newest_start: '', ended: '', ended_at: 0, line_at: 0, muted_until: 0 },
    is_counted: 0,
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
  if (!joins && more === 0 && services === offer.services) return;
  change(known, offer.id, {
    group_count: offer.group_count + (joins ? 1 : 0),
    firing_count: Math.max(0, offer.firing_count + more),
    changed_at: joins || more !== 0 ? now : offer.changed_at,
    services,
  });
}

function firingIn(group: AlertTable | undefined): number {
  return group?.state === 'firing' ? 1 : 0;
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

/** Gives a group the offer that it belongs to: a storm that goes on, a storm that begins with it, or one of its own. */
function joinOffer(deciding: Deciding, group: AlertTable, after: string): readonly AlertNews[] {
  const { known, notice, rules, now } = deciding;
  const { name, channel } = notice.source;
  const { alertsStorm: storm } = rules;
  const lately = storm
    ? [...known.offers.values()].filter(each => each.source === name && now - each.joined_at <= storm.within)
    : [];
  const going = lately.find(each => each.is_storm === 1 && (each.state === 'open' || each.state === 'taken'));
  if (going) {
    const isCounted = going.group_count >= mostNamed;
    change(known, going.id, { joined_at: now });
    put(deciding, { ...group, offer: going.id, is_counted: isCounted ? 1 : 0 });
    declareWhere(deciding, going.id, group.severity);
    if (going.state !== 'taken' || isCounted) return [];
    const what = going.group_count + 1 < mostNamed ? 'joined' : 'crowded';
    return [{ what, offer: going.id, group, more: 0, names: [] }];
  }
  const alone = lately.filter(each => each.is_storm === 0 && each.state !== 'gone');
  const isStorm = storm !== undefined && alone.length >= storm.more;
  const offer: AlertOfferTable = {
    ...{ id: deciding.newOffer(), source: name, channel, begun_at: now, joined_at: now, state: 'open' },
    ...{ is_storm: isStorm ? 1 : 0, owes: '', incident_id: '', intent: '', actor: '', muted_until: 0, after },
    ...{ group_count: 0, firing_count: 0, changed_at: now, services: '' },
  };
  known.offers.set(offer.id, offer);
  put(deciding, { ...group, offer: offer.id, is_counted: 0 });
  if (isStorm) for (const each of alone) if (each.state === 'open') moveGroups(known, each, offer.id);
  const groups = groupsOf(known, offer.id).map(each => each.severity);
  for (const each of [...groups, ...(known.others.get(offer.id)?.severities ?? [])])
    declareWhere(deciding, offer.id, each);
  return [];
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

/** The alerts that fire and did not before, by their names. */
function newNames(before: AlertGroup, after: AlertGroup): readonly string[] {
  const firing = ({ alerts }: AlertGroup) => alerts.filter(each => each.state === 'firing').map(each => each.name);
  const known = firing(before);
  // A group of one alert is named otherwise than one of several.
  const fresh = firing(after).filter(each => !known.includes(each));
  return fresh.slice(Math.max(0, fresh.length - (after.firing - before.firing)));
}
