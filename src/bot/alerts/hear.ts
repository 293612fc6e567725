import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { NoTables } from '../../db/engine.ts';
import { alertLine } from '../incident/lines/alert-line.ts';
import { readStored } from '../incident/lines/known-state.ts';
import { addLine, forReaders } from '../incident/lines/outbox.ts';
import { offerMark, showOffer } from '../incident/state/alert-store.ts';
import { countChange } from '../incident/state/room-store.ts';
import { currentSubject, type JournalTables, laneLock } from '../journal/rows.ts';
import type { AlertOfferTable, AlertTable } from '../schema/alerts.ts';
import type { LineOffer } from '../schema/lines.ts';
import type { BotTables } from '../schema/tables.ts';
import { type AlertNews, type AlertRules, alertID, hearNotice, type Known, type Notice } from './rules.ts';
import { isTouched } from './touched.ts';

/** The parts of Muster that hearing alerts uses. */
export interface HearDeps {
  readonly database: Database;
  readonly teamId: string;
  readonly rules: AlertRules;
  readonly clock: () => Date;
  /** Something is shown otherwise, by the id of its row among the rooms. */
  readonly refresh: (incidentID: string) => void;
}

/** Notices that one transaction stores. */
const mostTogether = 200;

/** Groups of a storm or of a moment ago that a notice may concern, at most. */
const mostKnown = 2000;

/** A notice that waits to be stored, and its sender. */
interface Waiting {
  readonly notice: Notice;
  resolve(): void;
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
  hear(notice: Notice): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ notice, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, mostTogether);
      try {
        const changed = await storeNotices(
          this.#deps,
          some.map(each => each.notice),
        );
        for (const each of some) each.resolve();
        for (const id of changed) this.#deps.refresh(id);
      } catch (error) {
        for (const each of some) each.reject(error);
      }
    }
    this.#running = undefined;
  }
}

/** Stores notices in one transaction; returns the ids of the rows among the rooms that show them. */
async function storeNotices(deps: HearDeps, notices: readonly Notice[]): Promise<readonly string[]> {
  const { database } = deps;
  const sources = [...new Set(notices.map(each => `alerts/${each.source.name}`))];
  // Lines of a room are added under its lock.
  let incidents = (await read(database.as<BotTables>(), deps, notices)).incidents;
  for (;;) {
    const held = incidents;
    const stored = await database.withLock<NoTables, readonly string[] | undefined>(
      laneLock([...sources, ...held]),
      async plain => {
        const found = await read(plain.withTables<BotTables>(), deps, notices);
        ({ incidents } = found);
        return incidents.every(each => held.includes(each)) ? apply(plain, deps, notices, found.known) : undefined;
      },
    );
    if (stored) return stored;
  }
}

/** The groups and offers that notices may concern, and the incidents of these. */
async function read(
  db: Kysely<BotTables>,
  { rules, clock }: HearDeps,
  notices: readonly Notice[],
): Promise<{ readonly known: Known; readonly incidents: readonly string[] }> {
  const ids = [...new Set(notices.map(({ source, group }) => alertID(source.name, group.key)))];
  const told = await db.selectFrom('bot_alert').selectAll().where('id', 'in', ids).execute();
  const since = clock().getTime() - (rules.storm?.within ?? 0);
  const offers = await db
    .selectFrom('bot_alert_offer')
    .selectAll()
    .where(({ or, and, eb }) =>
      or([
        eb('id', 'in', ['', ...told.map(each => each.offer)]),
        and([eb('source', 'in', [...new Set(notices.map(each => each.source.name))]), eb('joined_at', '>=', since)]),
      ]),
    )
    .orderBy('joined_at')
    .limit(mostKnown)
    .execute();
  const others = await db
    .selectFrom('bot_alert')
    .selectAll()
    .where('offer', 'in', ['', ...offers.map(each => each.id)])
    .where('offer', '!=', '')
    .limit(mostKnown)
    .execute();
  const incidents = [...new Set(offers.map(each => each.incident_id).filter(each => each !== ''))];
  const active = new Set<string>();
  const touched = new Set<string>();
  for (const each of incidents) {
    if ((await readStored(db, each))?.status === 'active') active.add(each);
    if (rules.endsAlone && (await isTouched(db.withTables<JournalTables>(), each))) touched.add(each);
  }
  const groups = new Map([...others, ...told].map(each => [each.id, each]));
  return { known: { groups, offers: new Map(offers.map(each => [each.id, each])), active, touched }, incidents };
}

/** Applies the rules to each notice, and stores the difference. */
async function apply(
  plain: Kysely<NoTables>,
  deps: HearDeps,
  notices: readonly Notice[],
  known: Known,
): Promise<readonly string[]> {
  const before = { groups: new Map(known.groups), offers: new Map(known.offers) };
  const now = deps.clock();
  const newOffer = () => `${offerMark}${randomUUID()}`;
  const news: AlertNews[] = [];
  for (const notice of notices)
    news.push(...hearNotice({ known, notice, rules: deps.rules, now: now.getTime(), newOffer }));
  for (const each of news) owe(known, each, deps.rules);
  const shown = new Set<string>();
  for (const group of changedOf(before.groups, known.groups)) {
    await write(plain, 'bot_alert', group);
    shown.add(group.offer);
  }
  for (const offer of changedOf(before.offers, known.offers)) {
    await write(plain, 'bot_alert_offer', offer);
    shown.add(offer.id);
  }
  for (const each of news) await tell(plain, known, each, now);
  const changed = new Set<string>();
  for (const id of shown) {
    const offer = known.offers.get(id);
    if (offer === undefined) continue;
    await showOffer(plain, offer, deps.teamId, now);
    changed.add(id);
    if (offer.incident_id === '') continue;
    await countChange(plain, offer.incident_id);
    changed.add(offer.incident_id);
  }
  return [...changed];
}

function changedOf<T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): readonly T[] {
  return [...after].filter(([id, row]) => before.get(id) !== row).map(([, row]) => row);
}

/** What the news asks of Muster, where a setting wants it: the end of an incident that nobody touched, or its return. */
function owe(known: Known, { what, offer: id }: AlertNews, { endsAlone }: AlertRules): void {
  const offer = known.offers.get(id);
  if (!endsAlone || offer === undefined || offer.actor !== '' || known.touched.has(offer.incident_id)) return;
  if (what === 'ended') known.offers.set(id, { ...offer, owes: 'resolve' });
  if (what === 'again' && !known.active.has(offer.incident_id)) known.offers.set(id, { ...offer, owes: 'reopen' });
}

/** The room reads the news, and the readers of the announcement that the alert of an incident that is over fires again. */
async function tell(plain: Kysely<NoTables>, known: Known, news: AlertNews, now: Date): Promise<void> {
  const offer = known.offers.get(news.offer);
  if (offer === undefined || offer.incident_id === '') return;
  const incidentID = await currentSubject(plain.withTables<JournalTables>(), offer.incident_id);
  const isOver = !known.active.has(incidentID);
  const groups = [...known.groups.values()].filter(each => each.offer === offer.id);
  const since = groups.length > 1 ? offer.begun_at : undefined;
  const line = alertLine(incidentID, news, { now, offers: offeredBy(news, offer, isOver), since });
  await addLine(plain, line);
  if (news.what === 'again' && isOver)
    await addLine(plain, { ...line, ...forReaders, id: `${line.id}/news`, offers: '' });
}

/** The act that a line offers: none that Muster owes. */
function offeredBy({ what }: AlertNews, { owes }: AlertOfferTable, isOver: boolean): LineOffer {
  if (owes !== '') return '';
  if (what === 'ended') return isOver ? '' : 'resolve';
  return what === 'again' && isOver ? 'reopen' : '';
}

/** Stores a group or an offer as it is now. */
async function write(
  plain: Kysely<NoTables>,
  ...[table, row]: ['bot_alert', AlertTable] | ['bot_alert_offer', AlertOfferTable]
): Promise<void> {
  await plain
    .withTables<BotTables>()
    .insertInto(table)
    .values(row)
    .onConflict(conflict => conflict.column('id').doUpdateSet(row))
    .execute();
}
