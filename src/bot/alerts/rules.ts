import { createHash } from 'node:crypto';
import type { AlertNews } from '../incident/lines/alert-line.ts';
import type { AlertGroup } from '../incident/state/alert-group.ts';
import type { AlertOfferTable, AlertTable } from '../schema/alerts.ts';
import type { AlertSource } from './read/source.ts';

/*
 * The rules of alerts: from the known groups and offers and one more notice to the groups and offers afterwards. A notice that comes twice,
 * late or after its end changes a count at most. Moments of the tool are compared with each other alone, since its clock may be off.
 */

/** The choices of the team about alerts. Times are in milliseconds. */
export interface AlertRules {
  /** An incident that an alert declared ends with the alert, where nobody acted. */
  readonly endsAlone: boolean;
  /** A group that fires again within that time after its end is the same incident. */
  readonly againWithin: number;
  /** More new groups of a source than that, within that time, are one offer; undefined: each has its own. */
  readonly storm: { readonly more: number; readonly within: number } | undefined;
}

/** A notice about a group of alerts, as its source sent it. */
export interface Notice {
  readonly source: AlertSource;
  readonly group: AlertGroup;
  /** The team's. */
  readonly severity: string;
}

/** A group of an offer, as far as the rules need it where no notice is about it. */
export type Member = Pick<AlertTable, 'id' | 'offer' | 'state' | 'severity'>;

/** The known groups and offers that a notice may concern, by id. They are replaced, never changed. */
export interface Known {
  /** Those that a notice is about. */
  readonly groups: Map<string, AlertTable>;
  /** The others of these offers. */
  readonly others: Map<string, Member>;
  readonly offers: Map<string, AlertOfferTable>;
  /** The incidents of these offers that go on, and those on which a person acted. */
  readonly active: ReadonlySet<string>;
  readonly touched: ReadonlySet<string>;
}

/** The room reads at most so often that a group still fires, in milliseconds. */
const stillEvery = 30 * 60_000;

/** A notice that comes so long after the end is about a new beginning, whatever the tool's moments say. In milliseconds. */
const lateWithin = 3_600_000;

/** What a notice is decided with. */
interface Deciding {
  readonly known: Known;
  readonly notice: Notice;
  readonly rules: AlertRules;
  readonly now: number;
  newOffer(): string;
}

/** The id of a group: its key may be longer than an index takes. */
export function alertID(source: string, key: string): string {
  return createHash('sha256').update(`${source}\n${key}`).digest('hex');
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
  known.groups.set(group.id, group);
  // One whose mute is just over is offered anew with its offer.
  if (group.muted_until > now || offer?.state === 'muted') {
    // It ended while it was muted; when the mute is over, it is offered if it fires still.
    if (offer?.state === 'over' && goesOn) known.offers.set(offer.id, { ...offer, state: 'muted' });
    return [];
  }
  if (offer === undefined || !['open', 'taken', 'over'].includes(offer.state) || !goesOn)
    return joinOffer(deciding, group, offer?.incident_id ?? '');
  if (offer.state !== 'taken') {
    if (offer.state === 'over') known.offers.set(offer.id, { ...offer, state: 'open' });
    declareWhere(deciding, offer.id, group);
    return [];
  }
  const news = { offer: offer.id, group, more: 0, names: [] };
  if (!isSame) return [{ ...news, what: 'again' }];
  const told = JSON.parse(before.told) as AlertGroup;
  const more = notice.group.firing - told.firing;
  const grew = more > 0 && isOfNewest(notice.group, told, before.newest_start);
  if (!grew && now - (group.line_at || group.first_at) < stillEvery) return [];
  known.groups.set(group.id, { ...group, line_at: now });
  if (!grew) return [{ ...news, what: 'still' }];
  return [{ ...news, what: 'grew', more, names: newNames(told, notice.group) }];
}

function hearEnded({ known, notice, now }: Deciding, before: AlertTable | undefined): readonly AlertNews[] {
  const { group: told, source, severity } = notice;
  if (before === undefined) {
    // Its beginning comes late, or never came.
    const group = { ...emptyGroup(source.name, told.key), severity, newest_at: now, ended_at: now };
    const state = { told: JSON.stringify(told), newest_start: told.newestStartAt, ended: told.endedAt };
    known.groups.set(group.id, { ...group, ...state, state: 'ended' });
    return [];
  }
  if (before.state === 'ended') {
    if (told.endedAt > before.ended) known.groups.set(before.id, { ...before, ended: told.endedAt, newest_at: now });
    return [];
  }
  if (told.endedAt !== '' && isLate(told.endedAt, before.newest_start)) return [];
  const ended = { told: JSON.stringify(told), ended: told.endedAt, ended_at: now, newest_at: now, line_at: 0 };
  const group: AlertTable = { ...before, ...ended, state: 'ended' };
  known.groups.set(group.id, group);
  const offer = known.offers.get(group.offer);
  if (offer === undefined || membersOf(known, offer.id).some(each => each.state === 'firing')) return [];
  if (offer.state === 'taken') return [{ what: 'ended', offer: offer.id, group, more: 0, names: [] }];
  if (offer.state !== 'gone') known.offers.set(offer.id, { ...offer, state: 'over' });
  return [];
}

/** Whether a moment of the tool lies before another one of it; of unknown moments nothing is late. */
function isLate(moment: string, other: string): boolean {
  return moment !== '' && other !== '' && Date.parse(moment) < Date.parse(other);
}

/** Whether a notice tells of a newer alert than any before it, or of as new ones as the last one did, which was not a late one then. */
function isOfNewest({ newestStartAt }: AlertGroup, last: AlertGroup, newest: string): boolean {
  return newestStartAt > newest || (newestStartAt === newest && last.newestStartAt === newest);
}

/** Whether a group that ended is the same incident still. */
function isAgain(
  { known, rules, now }: Deciding,
  before: AlertTable | undefined,
  offer: AlertOfferTable | undefined,
): boolean {
  if (before?.state !== 'ended') return false;
  return now - before.ended_at <= rules.againWithin || known.active.has(offer?.incident_id ?? '');
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
  };
}

/** Gives a group the offer that it belongs to: a storm that goes on, a storm that begins with it, or one of its own. */
function joinOffer(deciding: Deciding, group: AlertTable, after: string): readonly AlertNews[] {
  const { known, notice, rules, now } = deciding;
  const { name, channel } = notice.source;
  const { storm } = rules;
  const lately = storm
    ? [...known.offers.values()].filter(each => each.source === name && now - each.joined_at <= storm.within)
    : [];
  const going = lately.find(each => each.is_storm === 1 && (each.state === 'open' || each.state === 'taken'));
  if (going) {
    known.offers.set(going.id, { ...going, joined_at: now });
    known.groups.set(group.id, { ...group, offer: going.id });
    if (going.state === 'taken') return [{ what: 'joined', offer: going.id, group, more: 0, names: [] }];
    declareWhere(deciding, going.id, group);
    return [];
  }
  const alone = lately.filter(each => each.is_storm === 0 && each.state !== 'gone');
  const isStorm = storm !== undefined && alone.length >= storm.more;
  const offer: AlertOfferTable = {
    ...{ id: deciding.newOffer(), source: name, channel, begun_at: now, joined_at: now, state: 'open' },
    ...{ is_storm: isStorm ? 1 : 0, owes: '', incident_id: '', intent: '', actor: '', muted_until: 0, after },
  };
  known.offers.set(offer.id, offer);
  known.groups.set(group.id, { ...group, offer: offer.id });
  if (isStorm) for (const each of alone) if (each.state === 'open') moveGroups(known, each, offer.id);
  for (const each of membersOf(known, offer.id)) declareWhere(deciding, offer.id, each);
  return [];
}

/** Moves the groups of an offer into another one. */
function moveGroups(known: Known, from: AlertOfferTable, to: string): void {
  known.offers.set(from.id, { ...from, state: 'gone' });
  for (const { id } of membersOf(known, from.id)) {
    const [group, other] = [known.groups.get(id), known.others.get(id)];
    if (group) known.groups.set(id, { ...group, offer: to });
    else if (other) known.others.set(id, { ...other, offer: to });
  }
}

/** Where the team wants an incident for such a severity at once, the offer owes one. */
function declareWhere({ known, notice }: Deciding, id: string, group: Member): void {
  const offer = known.offers.get(id);
  if (offer?.state !== 'open' || !notice.source.declares.includes(group.severity)) return;
  known.offers.set(id, { ...offer, state: 'taken', owes: 'declare' });
}

/** The groups of an offer. */
export function membersOf({ groups, others }: Known, offer: string): readonly Member[] {
  const rest = [...others.values()].filter(each => !groups.has(each.id));
  return [...groups.values(), ...rest].filter(each => each.offer === offer);
}

/** The alerts that fire and did not before, by their names. */
function newNames(before: AlertGroup, after: AlertGroup): readonly string[] {
  const firing = ({ alerts }: AlertGroup) => alerts.filter(each => each.state === 'firing').map(each => each.name);
  const known = firing(before);
  // A group of one alert is named otherwise than one of several.
  const fresh = firing(after).filter(each => !known.includes(each));
  return fresh.slice(Math.max(0, fresh.length - (after.firing - before.firing)));
}
