import { randomUUID } from 'node:crypto';
import { type Expression, type Kysely, sql } from 'kysely';
import type { Logger } from 'pino';
import type { AlertSource } from '../../config/alert-sources.ts';
import { isMistake } from '../../contract/mistakes.ts';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { isUnavailable } from '../../db/failure.ts';
import { definePrepared, definePreparedChange } from '../../db/prepared.ts';
import type { IncidentDeps } from '../incident/acts/intent-kind.ts';
import { type AlertNews, alertLine } from '../incident/lines/alert-lines.ts';
import { parseKnownState } from '../incident/lines/known-state.ts';
import { addLine } from '../incident/lines/outbox.ts';
import { type AlertGroup, possibleMoment } from '../incident/state/alert-group.ts';
import { alertsLock, offerMark, showOffer } from '../incident/state/alert-store.ts';
import { countChange } from '../incident/state/room-store.ts';
import { currentSubject, type JournalTables, laneLock } from '../journal/rows.ts';
import type { AlertOfferTable, AlertTable } from '../schema/alerts.ts';
import type { LineOffer } from '../schema/lines.ts';
import type { BotTables } from '../schema/tables.ts';
import type { StoredResult } from './hook-door.ts';
import { type AlertActs, PendingActs } from './pending-acts.ts';
import {
  type AlertRules,
  alertID,
  hasSeveral,
  hearNotice,
  type KnownAlerts,
  type KnownIncident,
  type Notice,
  printOf,
  toPrintKey,
} from './rules.ts';
import { isTouched } from './touched.ts';

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

/** Takes alerts: stores them, and begins the acts that the team wants then. */
export class Alerting {
  readonly #deps: AlertingDeps;
  readonly #receiver: AlertReceiver;
  readonly #owed: PendingActs;
  #isStopped = false;

  constructor(deps: AlertingDeps) {
    this.#deps = deps;
    this.#receiver = new AlertReceiver({ ...deps, owe: () => void this.look() });
    this.#owed = new PendingActs(deps);
  }

  /** Resolves when the group is stored, with all that follows from it; rejects with the database's error. */
  hear(source: AlertSource, told: AlertGroup): Promise<StoredResult> {
    const group = withPossibleTimes(told, this.#deps.clock());
    return this.#receiver.hear({ source, group, severity: this.#deps.toSeverity(source, group.severity) });
  }

  /** Does the acts that are pending; happens once a second. Never throws. */
  async look(): Promise<void> {
    if (!this.#isStopped) await this.#owed.look();
  }

  /** Resolves when nothing goes on. */
  async idle(): Promise<void> {
    await this.#receiver.idle();
    await this.#owed.idle();
  }

  /** Begins nothing more on its own. */
  stop(): void {
    this.#isStopped = true;
  }
}

/** A group without beginnings that cannot be: people would read that it began in three years. */
function withPossibleTimes(group: AlertGroup, now: Date): AlertGroup {
  const possible = (moment: string) => possibleMoment(moment, now.getTime());
  const alerts = group.alerts.map(each => ({ ...each, startedAt: possible(each.startedAt) }));
  return { ...group, alerts, startedAt: possible(group.startedAt) };
}

/*
 * The rows of groups and offers, as the rules need them and leave them. An offer may have thousands of groups: of those that no notice is about
 * two are looked at, one that fires and any.
 */

/** Offers of the moment that a notice may concern, at most. */
const mostKnown = 2000;

/** The ids of the groups of notices. */
function idsOf(notices: readonly Notice[]): readonly string[] {
  return [...new Set(notices.map(({ source, group }) => alertID(source.name, group.key)))];
}

function sourcesOf(notices: readonly Notice[]): readonly string[] {
  return [...new Set(notices.map(each => each.source.name))];
}

/** An offer, and the severities of one of its other groups that fires, and of any other one; null for none. */
type OfferRow = AlertOfferTable & { readonly firing_severity: string | null; readonly other_severity: string | null };

/** Offers with their other groups: those that are not `told` of. In order of an index, the first one is found without a look at the others. */
function selectOffers(db: Kysely<BotTables>, told: Expression<string>) {
  const others = (offer: Expression<string>) =>
    db
      .selectFrom('bot_alert')
      .select('severity')
      .where('bot_alert.offer', '=', offer)
      .where('bot_alert.id', 'not in', told)
      .orderBy('bot_alert.state')
      .orderBy('bot_alert.severity')
      .orderBy('bot_alert.first_at')
      .limit(sql.lit(1));
  return db
    .selectFrom('bot_alert_offer as offer')
    .selectAll()
    .select(({ ref }) => [
      others(ref('offer.id')).where('bot_alert.state', '=', sql.lit('firing')).as('firing_severity'),
      others(ref('offer.id')).as('other_severity'),
    ]);
}

const groupsByID = definePrepared<BotTables, { told: readonly string[] }, AlertTable>((db, { told }) =>
  db.selectFrom('bot_alert').selectAll().where('id', 'in', told),
);

const offersByID = definePrepared<BotTables, { offers: readonly string[]; told: readonly string[] }, OfferRow>(
  (db, { offers, told }) => selectOffers(db, told).where('offer.id', 'in', offers),
);

/** The offers that a storm may take in, and the storms that go on. */
const offersLately = definePrepared<
  BotTables,
  { sources: readonly string[]; since: number; told: readonly string[] },
  OfferRow
>((db, { sources, since, told }) =>
  selectOffers(db, told)
    .where('offer.source', 'in', sources)
    .where('offer.joined_at', '>=', since)
    .where('offer.state', '!=', sql.lit('gone'))
    .orderBy('offer.joined_at')
    .limit(sql.lit(mostKnown)),
);

/** The incidents of groups, and those of the storms that go on. */
const incidentsAbout = definePrepared<
  BotTables,
  { told: readonly string[]; sources: readonly string[]; since: number },
  { readonly incident_id: string }
>((db, { told, sources, since }) =>
  db
    .selectFrom('bot_alert')
    .innerJoin('bot_alert_offer as offer', 'offer.id', 'bot_alert.offer')
    .select('offer.incident_id')
    .where('bot_alert.id', 'in', told)
    .union(
      db
        .selectFrom('bot_alert_offer')
        .select('incident_id')
        .where('source', 'in', sources)
        .where('joined_at', '>=', since)
        .where('is_storm', '=', sql.lit(1))
        .where('state', '=', sql.lit('taken')),
    ),
);

/** Incidents with the state that their readers know, and whether their channel is archived or deleted. */
const incidentsByID = definePrepared<
  BotTables,
  { ids: readonly string[] },
  { incident_id: string; state: string; is_archived: number | null; is_deleted: number | null }
>((db, { ids }) =>
  db
    .selectFrom('bot_known_state as known')
    .leftJoin('bot_room as room', 'room.incident_id', 'known.incident_id')
    .leftJoin('bot_channel as channel', join =>
      join.onRef('channel.team_id', '=', 'room.team_id').onRef('channel.channel_id', '=', 'room.channel_id'),
    )
    .select(['known.incident_id', 'known.state', 'channel.is_archived', 'channel.is_deleted'])
    .where('known.incident_id', 'in', ids),
);

async function readIncidentsByID(
  db: Kysely<BotTables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownIncident>> {
  const rows = ids.length === 0 ? [] : await incidentsByID(db, { ids });
  const found = new Map<string, KnownIncident>();
  for (const { incident_id, state, is_archived, is_deleted } of rows) {
    const known = parseKnownState(state);
    if (known === undefined) continue;
    const over = isMistake(known) ? 'mistaken' : 'resolved';
    found.set(incident_id, {
      state: known.status === 'resolved' ? over : 'active',
      severity: known.severity,
      isClosed: is_archived === 1 || is_deleted === 1,
    });
  }
  return found;
}

/** Groups of sources with these alerts that fire, and their offers. */
const groupsByPrint = definePrepared<
  BotTables,
  { sources: readonly string[]; prints: readonly string[] },
  { id: string; source: string; print: string; state: AlertOfferTable['state']; incident_id: string }
>((db, { sources, prints }) =>
  db
    .selectFrom('bot_alert as group')
    .innerJoin('bot_alert_offer as offer', 'offer.id', 'group.offer')
    .select(['group.id', 'group.source', 'group.print', 'offer.state', 'offer.incident_id'])
    .where('group.source', 'in', sources)
    .where('group.print', 'in', prints)
    .where('group.print', '<>', sql.lit(''))
    .limit(sql.lit(mostKnown)),
);

/** The groups of alerts that fire and that people read of at present, by {@link toPrintKey}. */
async function readPrints(
  db: Kysely<BotTables>,
  notices: readonly Notice[],
  groups: readonly AlertTable[],
): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const offered = new Set(groups.filter(each => each.offer !== '').map(each => each.id));
  // Only a group without an offer may be told of by another route.
  const prints = notices
    .filter(({ source, group }) => !offered.has(alertID(source.name, group.key)))
    .map(({ group }) => printOf(group))
    .filter(each => each !== '');
  const rows = prints.length === 0 ? [] : await groupsByPrint(db, { sources: sourcesOf(notices), prints });
  const taken = rows.filter(each => each.state === 'taken').map(each => each.incident_id);
  const incidents = await readIncidentsByID(db, taken);
  for (const { id, source, print, state, incident_id } of rows) {
    const incident = incidents.get(incident_id) ?? { state: 'active', isClosed: false };
    const isRead = state === 'taken' ? incident.state === 'active' && !incident.isClosed : state !== 'over';
    const key = toPrintKey(source, print);
    if (isRead && state !== 'gone') found.set(key, [...(found.get(key) ?? []), id]);
  }
  return found;
}

/** The incidents about which notices may tell something: those of their groups, and those of the storms that they may join. */
async function readIncidents(
  db: Kysely<BotTables>,
  { rules, clock }: ReceiverDeps,
  notices: readonly Notice[],
): Promise<readonly string[]> {
  const since = clock().getTime() - (rules.alertsStorm?.within ?? 0);
  const rows = await incidentsAbout(db, { told: idsOf(notices), sources: sourcesOf(notices), since });
  return rows.map(each => each.incident_id).filter(each => each !== '');
}

/** The groups and offers that notices may concern, and the incidents about which they may tell something. */
async function readKnown(
  db: Kysely<BotTables>,
  { rules, clock }: ReceiverDeps,
  notices: readonly Notice[],
): Promise<{ readonly known: KnownAlerts; readonly incidents: readonly string[] }> {
  const told = idsOf(notices);
  const groups = await groupsByID(db, { told });
  const own = [...new Set(groups.map(each => each.offer).filter(each => each !== ''))];
  const rows = own.length === 0 ? [] : await offersByID(db, { offers: own, told });
  // They say once more that their groups fire.
  const isRepeated =
    groups.length === told.length &&
    groups.every(each => each.state === 'firing' && each.offer !== '') &&
    notices.every(({ group }) => group.state === 'firing') &&
    rows.every(({ state }) => state === 'open' || state === 'taken');
  if (!isRepeated && rules.alertsStorm) {
    const since = clock().getTime() - rules.alertsStorm.within;
    rows.push(...(await offersLately(db, { sources: sourcesOf(notices), since, told })));
  }
  const known: KnownAlerts = {
    groups: new Map(groups.map(each => [each.id, each])),
    ...{ others: new Map(), offers: new Map(), moved: new Map(), incidents: new Map(), touched: new Set() },
    prints: await readPrints(db, notices, groups),
  };
  const incidents = new Set<string>();
  for (const { firing_severity, other_severity, ...offer } of rows.toSorted((a, b) => a.joined_at - b.joined_at)) {
    known.offers.set(offer.id, offer);
    if (other_severity !== null)
      known.others.set(offer.id, { fire: firing_severity !== null, severities: [firing_severity ?? other_severity] });
    const isAbout = own.includes(offer.id) || (offer.is_storm === 1 && offer.state === 'taken');
    if (isAbout && offer.incident_id !== '') incidents.add(offer.incident_id);
  }
  for (const [id, incident] of await readIncidentsByID(db, [...incidents])) known.incidents.set(id, incident);
  for (const each of rules.alertsEnd === 'auto' ? incidents : []) {
    // What fires as before asks for an act of Muster only where the incident is over.
    const isAsked = !isRepeated || known.incidents.get(each)?.state === 'resolved';
    if (isAsked && (await isTouched(db, each))) known.touched.add(each);
  }
  return { known, incidents: [...incidents] };
}

const columns = [
  ...(['id', 'source', 'offer', 'state', 'severity', 'first_at', 'told', 'newest_at', 'times'] as const),
  ...(['newest_start', 'ended', 'ended_at', 'line_at', 'muted_until', 'is_counted'] as const),
  ...(['gravest', 'print', 'others'] as const),
];

/** Columns that change seldom; some are in an index. A notice that repeats another one leaves them alone. */
const lasting: readonly (keyof AlertTable)[] = [
  ...(['offer', 'state', 'severity', 'first_at', 'is_counted'] as const),
  ...(['gravest', 'print', 'others', 'muted_until'] as const),
];
const telling: readonly (keyof AlertTable)[] = columns.filter(each => !['id', 'source', ...lasting].includes(each));

/** So many groups are stored by one statement. */
const sizes = [64, 16, 4, 1];

const puts = new Map<string, ReturnType<typeof preparePut>>();

/** A statement that stores so many groups; of those that are known, the columns of `changed`. */
function preparePut(size: number, changed: readonly (keyof AlertTable)[]) {
  return definePreparedChange<BotTables, Readonly<Record<string, string | number>>>((db, blanks) => {
    const rows = Array.from({ length: size }, (_, at) =>
      Object.fromEntries(columns.map(column => [column, blanks[`${at} ${column}`]])),
    );
    const news = Object.fromEntries(changed.map(column => [column, sql.ref(`excluded.${column}`)]));
    return db
      .insertInto('bot_alert')
      .values(rows as unknown as readonly AlertTable[])
      .onConflict(conflict => conflict.column('id').doUpdateSet(news));
  });
}

async function putGroups(db: Kysely<BotTables>, groups: readonly AlertTable[], isRepeated: boolean): Promise<void> {
  for (let at = 0; at < groups.length; ) {
    const size = sizes.find(each => each <= groups.length - at) ?? 1;
    const key = `${size} ${isRepeated}`;
    const put = puts.get(key) ?? preparePut(size, isRepeated ? telling : [...telling, ...lasting]);
    puts.set(key, put);
    const some = groups.slice(at, at + size);
    const values = some.flatMap((group, place) => columns.map(column => [`${place} ${column}`, group[column]]));
    await put(db, Object.fromEntries(values));
    at += size;
  }
}

/** Stores groups and offers as they are now. Throws {@link Overtaken}. */
async function writeRows(
  db: Kysely<BotTables>,
  groups: readonly AlertTable[],
  offers: readonly AlertOfferTable[],
  before: KnownAlerts,
): Promise<void> {
  const isRepeated = (group: AlertTable) => {
    const known = before.groups.get(group.id);
    return known !== undefined && lasting.every(column => known[column] === group[column]);
  };
  const { repeated = [], others = [] } = Object.groupBy(groups, each => (isRepeated(each) ? 'repeated' : 'others'));
  await putGroups(db, repeated, true);
  await putGroups(db, others, false);
  for (const offer of offers) {
    const known = before.offers.get(offer.id);
    if (known === undefined) await db.insertInto('bot_alert_offer').values(offer).execute();
    else if ((await changeOffer(db, { ...offer, known_state: known.state, known_intent: known.intent })) === 0)
      throw new Overtaken();
  }
}

/** Changes what notices change of an offer, unless a person took it meanwhile. */
const changeOffer = definePreparedChange<
  BotTables,
  AlertOfferTable & { readonly known_state: AlertOfferTable['state']; readonly known_intent: string }
>((db, { id, known_state, known_intent, ...offer }) => {
  const { state, owes, joined_at, group_count, firing_count, first_firing, changed_at, services } = offer;
  const { gravest, moved_to } = offer;
  return db
    .updateTable('bot_alert_offer')
    .set({ state, owes, joined_at, group_count, firing_count, first_firing, changed_at, services, gravest, moved_to })
    .where('id', '=', id)
    .where('state', '=', known_state)
    .where('intent', '=', known_intent);
});

/** A person took an offer while notices about it were stored. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** The groups of an offer belong to another one now, those too that no notice is about. */
const moveGroups = definePreparedChange<BotTables, { from: string; to: string }>((db, { from, to }) =>
  db.updateTable('bot_alert').set({ offer: to }).where('offer', '=', from),
);

interface ReceiverDeps {
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
interface WaitingNotice {
  readonly notice: Notice;
  resolve(taken: StoredResult): void;
  reject(error: unknown): void;
}

/**
 * Stores notices in the order in which they came. All that came while a transaction ran are stored by the next one, so that a storm costs
 * few. A sender hears that its notice is stored, and with it all that follows from it.
 */
export class AlertReceiver {
  readonly #deps: ReceiverDeps;
  #waiting: WaitingNotice[] = [];
  #running: Promise<void> | undefined;

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
  }

  /** Resolves when the notice is stored; rejects with the database's error when it is not. */
  hear(notice: Notice): Promise<StoredResult> {
    const { promise, resolve, reject } = Promise.withResolvers<StoredResult>();
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

  async #store(some: readonly WaitingNotice[]): Promise<void> {
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

/** The effects of stored notices. */
interface StoredNotices {
  /** The result of each. */
  readonly taken: readonly StoredResult[];
  /** The rows among the rooms that are shown otherwise, by their ids, and whether people must notice it. */
  readonly changed: ReadonlyMap<string, boolean>;
  /** Muster owes an act now. */
  readonly isOwed: boolean;
}

/** Stores notices in one transaction. */
async function storeNotices(deps: ReceiverDeps, notices: readonly Notice[]): Promise<StoredNotices> {
  const { database } = deps;
  const sources = sourcesOf(notices).map(alertsLock);
  // Lines of a room are added under its lock.
  let held = await readIncidents(database.as<BotTables>(), deps, notices);
  for (;;) {
    const storing = database.withLock<NoTables, StoredNotices | undefined>(
      laneLock([...sources, ...held]),
      async plain => {
        const { known, incidents } = await readKnown(plain.withTables<BotTables>(), deps, notices);
        if (incidents.every(each => held.includes(each))) return await apply(plain, deps, notices, known);
        held = incidents;
        return undefined;
      },
    );
    const stored = await storing.catch((error: unknown) => {
      // A person took an offer meanwhile: its notices are stored once more.
      if (!(error instanceof Overtaken)) throw error;
    });
    if (stored) return stored;
  }
}

/** Applies the rules to each notice, and stores the difference. */
async function apply(
  plain: Kysely<NoTables>,
  deps: ReceiverDeps,
  notices: readonly Notice[],
  known: KnownAlerts,
): Promise<StoredNotices> {
  const db = plain.withTables<BotTables>();
  const before: KnownAlerts = { ...known, groups: new Map(known.groups), offers: new Map(known.offers) };
  const now = deps.clock();
  const newOffer = () => `${offerMark}${randomUUID()}`;
  const news: AlertNews[] = [];
  const taken: StoredResult[] = [];
  for (const notice of notices) {
    const { source, group } = notice;
    const isKnown = known.groups.get(alertID(source.name, group.key))?.state === 'firing';
    taken.push(isKnown && group.state === 'firing' ? 'grouped' : 'stored');
    news.push(...hearNotice({ known, notice, rules: deps.rules, now: now.getTime(), newOffer }));
  }
  const groups = changedOf(before.groups, known.groups);
  const offers = changedOf(before.offers, known.offers);
  await writeRows(db, groups, offers, before);
  for (const [from, to] of known.moved) await moveGroups(db, { from, to });
  for (const each of news) await tell(plain, known, each, now);
  const changed = new Map<string, boolean>();
  for (const id of new Set([...groups.map(each => each.offer), ...offers.map(each => each.id)])) {
    const offer = known.offers.get(id);
    if (offer === undefined) continue;
    const isOtherwise = offer.state !== before.offers.get(id)?.state;
    if (isOtherwise) await showOffer(plain, offer, deps.teamId, now);
    else await countChange(plain, id);
    changed.set(id, isOtherwise);
    if (offer.incident_id === '') continue;
    await countChange(plain, offer.incident_id);
    changed.set(offer.incident_id, false);
  }
  return { taken, changed, isOwed: offers.some(each => each.owes !== '') };
}

function changedOf<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): readonly T[] {
  return [...after].filter(([id, row]) => before.get(id) !== row).map(([, row]) => row);
}

/** The room reads the news. */
async function tell(plain: Kysely<NoTables>, known: KnownAlerts, news: AlertNews, now: Date): Promise<void> {
  const offer = known.offers.get(news.offer);
  if (offer === undefined || offer.incident_id === '') return;
  const incidentID = await currentSubject(plain.withTables<JournalTables>(), offer.incident_id);
  const state = known.incidents.get(offer.incident_id)?.state ?? 'active';
  const since = hasSeveral(known, offer.id) ? offer.begun_at : undefined;
  await addLine(plain, alertLine(incidentID, news, { now, offers: offeredBy(news, offer, state), since }));
}

/** The act that a line offers: none that Muster owes. */
function offeredBy(
  { what, isAbove = false }: AlertNews,
  { owes }: AlertOfferTable,
  state: KnownIncident['state'],
): LineOffer {
  if (owes !== '') return '';
  if (what === 'ended') return state === 'active' ? 'resolve' : '';
  if (state === 'active') return isAbove ? 'raise' : '';
  return (what === 'again' || what === 'burns') && state === 'resolved' ? 'reopen' : '';
}
