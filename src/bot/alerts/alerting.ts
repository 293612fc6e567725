import { randomUUID } from 'node:crypto';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { IncidentDeps } from '../incident/acts/intent-kind.ts';
import { type AlertNews, againNews, alertLine } from '../incident/lines/alert-line.ts';
import { readStored } from '../incident/lines/known-state.ts';
import { addLine, forReaders } from '../incident/lines/outbox.ts';
import type { AlertGroup } from '../incident/state/alert-group.ts';
import { alertsLock, offerMark, showOffer } from '../incident/state/alert-store.ts';
import { countChange } from '../incident/state/room-store.ts';
import { currentSubject, type JournalTables, laneLock } from '../journal/rows.ts';
import type { AlertOfferTable, AlertTable } from '../schema/alerts.ts';
import type { LineOffer } from '../schema/lines.ts';
import type { BotTables } from '../schema/tables.ts';
import type { Taken } from './hook-door.ts';
import { type AlertActs, OwedActs } from './owed.ts';
import type { AlertSource } from './read/source.ts';
import { type AlertRules, alertID, hearNotice, type Known, type Member, membersOf, type Notice } from './rules.ts';
import { isTouched } from './touched.ts';

/** The parts of Muster that taking alerts uses. */
interface AlertingDeps {
  readonly database: Database;
  readonly teamId: string;
  readonly rules: AlertRules;
  readonly acts: AlertActs;
  /** The rest of the bot. */
  readonly incidents: () => IncidentDeps;
  readonly clock: () => Date;
  readonly log: Logger;
  /** The team's severity for the words of a source. */
  readonly toSeverity: (source: AlertSource, said: string) => string;
  /** A row among the rooms is shown otherwise. */
  readonly refresh: (id: string, isUrgent: boolean) => void;
}

/** Takes alerts: stores them, and lets follow what the team wants to follow. */
export class Alerting {
  readonly #deps: AlertingDeps;
  readonly #ears: AlertEars;
  readonly #owed: OwedActs;
  #isStopped = false;

  constructor(deps: AlertingDeps) {
    this.#deps = deps;
    this.#ears = new AlertEars({ ...deps, owe: () => void this.look() });
    this.#owed = new OwedActs(deps);
  }

  /** Resolves when the group is stored, with all that follows from it; rejects with the database's error. */
  hear(source: AlertSource, group: AlertGroup): Promise<Taken> {
    return this.#ears.hear({ source, group, severity: this.#deps.toSeverity(source, group.severity) });
  }

  /** Does what is owed; happens once a second. Never throws. */
  async look(): Promise<void> {
    if (!this.#isStopped) await this.#owed.look();
  }

  /** Resolves when nothing goes on. */
  async idle(): Promise<void> {
    await this.#ears.idle();
    await this.#owed.idle();
  }

  /** Begins nothing more on its own. */
  stop(): void {
    this.#isStopped = true;
  }
}

/* The rows of groups and offers, as the rules need them and leave them. */

/** The parts of Muster that reading them uses. */
interface KnownDeps {
  readonly rules: AlertRules;
  readonly clock: () => Date;
}

/** Groups of a storm or of a moment ago that a notice may concern, at most. */
const mostKnown = 2000;

/** The ids of the groups of notices. */
function idsOf(notices: readonly Notice[]): readonly string[] {
  return [...new Set(notices.map(({ source, group }) => alertID(source.name, group.key)))];
}

/**
 * The offers that notices may concern: those of their groups, and, unless all say once more that their groups fire, those of their sources
 * that a storm may take in.
 */
async function readOffersOf(
  db: Kysely<BotTables>,
  { rules, clock }: KnownDeps,
  notices: readonly Notice[],
  told: readonly Pick<AlertTable, 'offer' | 'state'>[],
): Promise<{ readonly offers: readonly AlertOfferTable[]; readonly isRepeated: boolean }> {
  const some = db.selectFrom('bot_alert_offer').selectAll().orderBy('joined_at', 'desc').limit(mostKnown);
  const own = await some.where('id', 'in', ['', ...told.map(each => each.offer)]).execute();
  const isRepeated =
    told.length === idsOf(notices).length &&
    told.every(each => each.state === 'firing' && each.offer !== '') &&
    notices.every(({ group }) => group.state === 'firing') &&
    own.every(({ state }) => state === 'open' || state === 'taken');
  if (isRepeated) return { offers: own, isRepeated };
  const since = clock().getTime() - (rules.storm?.within ?? 0);
  const sources = [...new Set(notices.map(each => each.source.name))];
  const lately = await some.where('source', 'in', sources).where('joined_at', '>=', since).execute();
  const offers = [...own, ...lately].toSorted((one, other) => one.joined_at - other.joined_at);
  return { offers, isRepeated };
}

/** The incidents of the offers that notices may concern. */
async function readIncidents(
  db: Kysely<BotTables>,
  deps: KnownDeps,
  notices: readonly Notice[],
): Promise<readonly string[]> {
  const told = await db.selectFrom('bot_alert').select(['offer', 'state']).where('id', 'in', idsOf(notices)).execute();
  return incidentsOf((await readOffersOf(db, deps, notices, told)).offers);
}

/** The incidents of some offers. */
function incidentsOf(offers: Iterable<AlertOfferTable>): readonly string[] {
  const ids = Array.from(offers, each => each.incident_id);
  return [...new Set(ids.filter(each => each !== ''))];
}

/** The groups and offers that notices may concern. What others of their offers do matters to a beginning and to an end alone. */
async function readKnown(db: Kysely<BotTables>, deps: KnownDeps, notices: readonly Notice[]): Promise<Known> {
  const told = await db.selectFrom('bot_alert').selectAll().where('id', 'in', idsOf(notices)).execute();
  const { offers, isRepeated } = await readOffersOf(db, deps, notices, told);
  const others = isRepeated
    ? []
    : await db
        .selectFrom('bot_alert')
        .select(['id', 'offer', 'state', 'severity'])
        .where('offer', 'in', ['', ...offers.map(each => each.id)])
        .where('offer', '!=', '')
        .execute();
  const active = new Set<string>();
  const touched = new Set<string>();
  for (const each of incidentsOf(offers)) {
    if ((await readStored(db, each))?.status === 'active') active.add(each);
    if (deps.rules.endsAlone && (await isTouched(db, each))) touched.add(each);
  }
  const byID = <T extends { readonly id: string }>(rows: readonly T[]) => new Map(rows.map(each => [each.id, each]));
  return { groups: byID(told), others: byID(others), offers: byID(offers), active, touched };
}

/** Stores groups and offers as they are now. Throws {@link Overtaken}. A mute is a person's alone. */
async function writeRows(
  plain: Kysely<NoTables>,
  groups: readonly AlertTable[],
  offers: readonly AlertOfferTable[],
  before: ReadonlyMap<string, AlertOfferTable>,
): Promise<void> {
  const db = plain.withTables<BotTables>();
  if (groups.length > 0) {
    const { muted_until: _, ...news } = newOnes(groups);
    await db
      .insertInto('bot_alert')
      .values(groups)
      .onConflict(conflict => conflict.column('id').doUpdateSet(news))
      .execute();
  }
  for (const offer of offers) {
    const known = before.get(offer.id);
    if (known === undefined) {
      await db.insertInto('bot_alert_offer').values(offer).execute();
      continue;
    }
    const { state, owes, joined_at } = offer;
    const change = db.updateTable('bot_alert_offer').set({ state, owes, joined_at }).where('id', '=', offer.id);
    const { numUpdatedRows } = await change
      .where('state', '=', known.state)
      .where('intent', '=', known.intent)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new Overtaken();
  }
}

/** A person took an offer while notices about it were stored. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Each column with its new value. */
function newOnes<T extends object>([first]: readonly T[]) {
  const names = Object.keys(first ?? {});
  const values = names.map(name => [name, sql`excluded.${sql.ref(name)}`]);
  return Object.fromEntries(values) as { [Name in keyof T]: RawBuilder<T[Name]> };
}

/** Groups that no notice is about belong to another offer now. */
async function moveGroups(plain: Kysely<NoTables>, offer: string, members: readonly Member[]): Promise<void> {
  const ids = members.map(each => each.id);
  await plain.withTables<BotTables>().updateTable('bot_alert').set({ offer }).where('id', 'in', ids).execute();
}

/** The parts of Muster that hearing alerts uses. */
interface HearDeps {
  readonly database: Database;
  readonly teamId: string;
  readonly rules: AlertRules;
  readonly clock: () => Date;
  /** Something is shown otherwise, by the id of its row among the rooms. */
  readonly refresh: (incidentID: string, isUrgent: boolean) => void;
  /** Muster owes an act. */
  readonly owe: () => void;
}

/** Notices that one transaction stores. */
const mostTogether = 200;

/** A notice that waits to be stored, and its sender. */
interface Waiting {
  readonly notice: Notice;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/**
 * Stores notices in the order in which they came. All that came while a transaction ran are stored by the next one, so that a storm costs
 * few. A sender hears that its notice is stored, and with it all that follows from it.
 */
export class AlertEars {
  readonly #deps: HearDeps;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(deps: HearDeps) {
    this.#deps = deps;
  }

  /** Resolves when the notice is stored; rejects with the database's error when it is not. */
  hear(notice: Notice): Promise<Taken> {
    const { promise, resolve, reject } = Promise.withResolvers<Taken>();
    this.#waiting.push({ notice, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#store(this.#waiting.splice(0, mostTogether));
    this.#running = undefined;
  }

  async #store(some: readonly Waiting[]): Promise<void> {
    const notices = some.map(each => each.notice);
    const stored = await storeNotices(this.#deps, notices).catch((error: unknown) => ({ error }));
    if (!('error' in stored)) {
      for (const [index, each] of some.entries()) each.resolve(stored.taken[index] ?? 'stored');
      for (const [id, isUrgent] of stored.changed) this.#deps.refresh(id, isUrgent);
      if (stored.isOwed) this.#deps.owe();
    } else if (some.length === 1 || isUnavailable(stored.error)) {
      for (const each of some) each.reject(stored.error);
    } else {
      // One that cannot be stored holds up no other.
      for (const each of some) await this.#store([each]);
    }
  }
}

/** What follows from stored notices. */
interface Stored {
  /** What became of each. */
  readonly taken: readonly Taken[];
  /** The rows among the rooms that are shown otherwise, by their ids, and whether people must notice it. */
  readonly changed: ReadonlyMap<string, boolean>;
  /** Muster owes an act now. */
  readonly isOwed: boolean;
}

/** Stores notices in one transaction. */
async function storeNotices(deps: HearDeps, notices: readonly Notice[]): Promise<Stored> {
  const { database } = deps;
  const sources = [...new Set(notices.map(each => alertsLock(each.source.name)))];
  // Lines of a room are added under its lock.
  let incidents = await readIncidents(database.as<BotTables>(), deps, notices);
  for (;;) {
    const held = incidents;
    const storing = database.withLock<NoTables, Stored | undefined>(laneLock([...sources, ...held]), async plain => {
      const db = plain.withTables<BotTables>();
      const known = await readKnown(db, deps, notices);
      incidents = incidentsOf(known.offers.values());
      return incidents.every(each => held.includes(each)) ? await apply(plain, deps, notices, known) : undefined;
    });
    const stored = await storing.catch(passOvertaken);
    if (stored) return stored;
  }
}

/** Notices about an offer that a person took meanwhile are stored once more. */
function passOvertaken(error: unknown): undefined {
  if (!(error instanceof Overtaken)) throw error;
}

/** Applies the rules to each notice, and stores the difference. */
async function apply(
  plain: Kysely<NoTables>,
  deps: HearDeps,
  notices: readonly Notice[],
  known: Known,
): Promise<Stored> {
  const before = { groups: new Map(known.groups), others: new Map(known.others), offers: new Map(known.offers) };
  const now = deps.clock();
  const newOffer = () => `${offerMark}${randomUUID()}`;
  const news: AlertNews[] = [];
  const taken: Taken[] = [];
  for (const notice of notices) {
    const { source, group } = notice;
    const isKnown = known.groups.get(alertID(source.name, group.key))?.state === 'firing';
    taken.push(isKnown && group.state === 'firing' ? 'grouped' : 'stored');
    news.push(...hearNotice({ known, notice, rules: deps.rules, now: now.getTime(), newOffer }));
  }
  for (const each of news) owe(known, each, deps.rules);
  const groups = changedOf(before.groups, known.groups);
  const offers = changedOf(before.offers, known.offers);
  await writeRows(plain, groups, offers, before.offers);
  const moved = changedOf(before.others, known.others);
  for (const [offer = '', members = []] of Map.groupBy(moved, each => each.offer))
    await moveGroups(plain, offer, members);
  for (const each of news) await tell(plain, known, each, now);
  const changed = new Map<string, boolean>();
  for (const id of new Set([...groups.map(each => each.offer), ...offers.map(each => each.id)])) {
    const offer = known.offers.get(id);
    if (offer === undefined) continue;
    await showOffer(plain, offer, deps.teamId, now);
    changed.set(id, offer.state !== before.offers.get(id)?.state);
    if (offer.incident_id === '') continue;
    await countChange(plain, offer.incident_id);
    changed.set(offer.incident_id, false);
  }
  return { taken, changed, isOwed: offers.some(each => each.owes !== '') };
}

function changedOf<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): readonly T[] {
  return [...after].filter(([id, row]) => before.get(id) !== row).map(([, row]) => row);
}

/** What the news asks of Muster, where a setting wants it: the end of an incident that nobody touched, or its return. */
function owe(known: Known, { what, offer: id }: AlertNews, { endsAlone }: AlertRules): void {
  const offer = known.offers.get(id);
  if (!endsAlone || offer === undefined || offer.actor !== '' || known.touched.has(offer.incident_id)) return;
  // One that is being declared ends once it is.
  if (offer.owes === 'declare') return;
  if (what === 'ended') known.offers.set(id, { ...offer, owes: 'resolve' });
  if (what === 'again' && !known.active.has(offer.incident_id)) known.offers.set(id, { ...offer, owes: 'reopen' });
}

/** The room reads the news, and the readers of the announcement that the alert of an incident that is over fires again. */
async function tell(plain: Kysely<NoTables>, known: Known, news: AlertNews, now: Date): Promise<void> {
  const offer = known.offers.get(news.offer);
  if (offer === undefined || offer.incident_id === '') return;
  const incidentID = await currentSubject(plain.withTables<JournalTables>(), offer.incident_id);
  const isOver = !known.active.has(incidentID);
  const since = membersOf(known, offer.id).length > 1 ? offer.begun_at : undefined;
  const line = alertLine(incidentID, news, { now, offers: offeredBy(news, offer, isOver), since });
  await addLine(plain, line);
  if (news.what === 'again' && isOver)
    await addLine(plain, {
      ...line,
      ...forReaders,
      id: `${line.id}/news`,
      words: againNews(incidentID, news.group),
      offers: '',
    });
}

/** The act that a line offers: none that Muster owes. */
function offeredBy({ what }: AlertNews, { owes }: AlertOfferTable, isOver: boolean): LineOffer {
  if (owes !== '') return '';
  if (what === 'ended') return isOver ? '' : 'resolve';
  return what === 'again' && isOver ? 'reopen' : '';
}
