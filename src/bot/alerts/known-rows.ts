import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NoTables } from '../../db/engine.ts';
import { readStored } from '../incident/lines/known-state.ts';
import type { AlertOfferTable, AlertTable } from '../schema/alerts.ts';
import type { BotTables } from '../schema/tables.ts';
import { type AlertRules, alertID, type Known, type Member, type Notice } from './rules.ts';
import { isTouched } from './touched.ts';

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
export async function readIncidents(
  db: Kysely<BotTables>,
  deps: KnownDeps,
  notices: readonly Notice[],
): Promise<readonly string[]> {
  const told = await db.selectFrom('bot_alert').select(['offer', 'state']).where('id', 'in', idsOf(notices)).execute();
  return incidentsOf((await readOffersOf(db, deps, notices, told)).offers);
}

/** The incidents of some offers. */
export function incidentsOf(offers: Iterable<Pick<AlertOfferTable, 'incident_id'>>): readonly string[] {
  const ids = Array.from(offers, each => each.incident_id);
  return [...new Set(ids.filter(each => each !== ''))];
}

/** The groups and offers that notices may concern. What others of their offers do matters to a beginning and to an end alone. */
export async function readKnown(db: Kysely<BotTables>, deps: KnownDeps, notices: readonly Notice[]): Promise<Known> {
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
export async function writeRows(
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
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** Each column with its new value. */
function newOnes<T extends object>([first]: readonly T[]) {
  const names = Object.keys(first ?? {});
  const values = names.map(name => [name, sql`excluded.${sql.ref(name)}`]);
  return Object.fromEntries(values) as { [Name in keyof T]: RawBuilder<T[Name]> };
}

/** Groups that no notice is about belong to another offer now. */
export async function moveGroups(plain: Kysely<NoTables>, offer: string, members: readonly Member[]): Promise<void> {
  const ids = members.map(each => each.id);
  await plain.withTables<BotTables>().updateTable('bot_alert').set({ offer }).where('id', 'in', ids).execute();
}
