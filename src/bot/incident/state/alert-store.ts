import type { Kysely } from 'kysely';
import { RpcError } from '../../../contract/errors.ts';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { definePrepared } from '../../../db/prepared.ts';
import { laneLock } from '../../journal/rows.ts';
import { keepFor } from '../../keep-for.ts';
import type { AlertOfferTable, AlertTable } from '../../schema/alerts.ts';
import type { IsFirst } from '../../schema/deliveries.ts';
import type { BotTables } from '../../schema/tables.ts';
import { AlertGroup, serviceOf } from './alert-group.ts';
import { makeBoardRow } from './burst-store.ts';
import { countChange } from './room-store.ts';

/*
 * Groups of alerts and their offers. An offer is one message in a channel, or one incident: a person takes it, mutes it, or it ends. Its
 * message is a row among the rooms too, so that the loop that shows cards shows it.
 */

/** How the id of an offer begins. */
export const offerMark = 'alert/';

/** Whether a row among the rooms is the message of an offer. */
export function isOffer(incidentID: string): boolean {
  return incidentID.startsWith(offerMark);
}

/** A group of alerts with the words of its tool. */
export type StoredAlert = Omit<AlertTable, 'told'> & { readonly told: AlertGroup };

/** An offer with its groups; it may have thousands. Times are epoch milliseconds by our clock. */
export interface Offered {
  readonly offer: AlertOfferTable;
  /** Its groups: those that fire before the others, oldest first; of more than {@link mostRead} the worst. */
  readonly alerts: readonly StoredAlert[];
  /** How many there are, how many of them fire, and the services that they are about. */
  readonly total: number;
  readonly firing: number;
  /** One more than {@link mostServices} at most, of a large storm. */
  readonly services: readonly string[];
  /** When one of them began to fire or ended last; 0 without groups. */
  readonly changedAt: number;
  /** When the newest notice came; of more than {@link mostRead} the newest about those that are read. */
  readonly newestAt: number;
}

/** Groups of an offer that are read; the others are counted. */
const mostRead = 50;

/** Services of an offer that are counted. */
export const mostServices = 200;

/** The intent that gives an offer an incident. */
interface OfferTaking {
  readonly offer: string;
  readonly intent: string;
  /** Its incident, by its provisional id until it is registered. */
  readonly incidentID: string;
  /** Slack id of the person who acts; `""` for none. */
  readonly actor: string;
}

/** The lock under which the groups of a source change. */
export function alertsLock(source: string): string {
  return `alerts/${source}`;
}

/** Runs `work` under the lock of an offer's source. */
export async function lockOffer<T>(
  database: Database,
  id: string,
  work: (plain: Kysely<NoTables>) => Promise<T>,
): Promise<T> {
  const db = database.as<BotTables>();
  const row = await db.selectFrom('bot_alert_offer').select('source').where('id', '=', id).executeTakeFirst();
  return await database.withLock<NoTables, T>(laneLock([alertsLock(row?.source ?? '')]), work);
}

/** Another intent gave the offer its incident. */
export function alreadyTaken(): RpcError {
  return new RpcError('failed_precondition', 'somebody has taken this alert up already', { maybeApplied: false });
}

/** Offers and groups deleted together. */
const purgedTogether = 500;

/** The offers of alerts, for the features and the board. */
export type Alerts = ReturnType<typeof openAlerts>;

/** Opens the store in the bot's database. */
export function openAlerts({
  database,
  teamId,
  severities,
  clock,
}: {
  readonly database: Database;
  readonly teamId: string;
  /** The team's severities, from mild to grave. */
  readonly severities: readonly string[];
  readonly clock: () => Date;
}) {
  const db = database.as<BotTables>();
  return {
    /** An offer; undefined when there is none of that id. */
    read: async (id: string): Promise<Offered | undefined> =>
      (await readOffers(db, severities, of => of.where('id', '=', id)))[0],
    /** The offer, or the one whose newer message took its place; undefined when there is none of that id. */
    readNewest: async (id: string): Promise<Offered | undefined> => {
      const newest = await followOffer(db, id);
      return newest && (await readOffers(db, severities, of => of.where('id', '=', newest.id)))[0];
    },
    /** The offers that an incident took, oldest first. */
    ofIncident: (incidentID: string) => readOffers(db, severities, of => of.where('incident_id', '=', incidentID)),
    /** The offers whose messages may name an incident, with their channels: it took them, or they are of the time after it. */
    naming: (incidentID: string) =>
      db
        .selectFrom('bot_alert_offer')
        .select(['id', 'channel'])
        .where(({ or, eb }) => or([eb('incident_id', '=', incidentID), eb('after', '=', incidentID)]))
        .where('channel', '!=', '')
        .execute(),
    /** Whether an intent may still give the offer its incident: no other one did. */
    isFor: async (id: string, intent: string) => {
      const row = await followOffer(db, id);
      return row === undefined || row.intent === '' || row.intent === intent;
    },
    /**
     * Mutes the groups of an offer until then; undefined: no more. Yields whether they are muted now; undefined when it has an incident
     * already.
     */
    mute: (id: string, until: Date | undefined, actor: string, isFirst: IsFirst) =>
      lockOffer<boolean | undefined>(database, id, async plain => {
        const trx = plain.withTables<BotTables>();
        const offer = await readOffer(trx, id);
        if (offer === undefined || offer.state === 'taken') return undefined;
        if (!(await isFirst(plain))) return offer.muted_until > 0;
        const muted_until = until?.getTime() ?? 0;
        const state = !(await firesStill(trx, id)) ? 'over' : until ? 'muted' : 'open';
        await trx.updateTable('bot_alert').set({ muted_until }).where('offer', '=', id).execute();
        await trx.updateTable('bot_alert_offer').set({ state, muted_until, actor }).where('id', '=', id).execute();
        await showOffer(plain, { ...offer, state }, teamId, clock());
        return muted_until > 0;
      }),
    /** Deletes some groups and offers without a notice for long; returns how many. */
    purge: async (now: Date) => {
      const before = now.getTime() - keepFor.alerts;
      const groups = await db
        .selectFrom('bot_alert')
        .select('id')
        .where('newest_at', '<', before)
        .limit(purgedTogether)
        .execute();
      const offers = await db
        .selectFrom('bot_alert_offer as offer')
        .select('id')
        .where('joined_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('bot_alert').select('id').whereRef('bot_alert.offer', '=', 'offer.id'))),
        )
        .limit(purgedTogether)
        .execute();
      const ids = (rows: readonly { readonly id: string }[]) => ['', ...rows.map(each => each.id)];
      await database.single<BotTables, unknown>(some =>
        some.deleteFrom('bot_alert').where('id', 'in', ids(groups)).execute(),
      );
      await database.single<BotTables, unknown>(some =>
        some.deleteFrom('bot_room').where('incident_id', 'in', ids(offers)).execute(),
      );
      await database.single<BotTables, unknown>(some =>
        some.deleteFrom('bot_alert_offer').where('id', 'in', ids(offers)).execute(),
      );
      return groups.length + offers.length;
    },
  };
}

/** An offer without its groups; undefined when there is none of that id. */
export async function readOffer(db: Kysely<BotTables>, id: string): Promise<AlertOfferTable | undefined> {
  return await selectOffers(db).where('id', '=', id).executeTakeFirst();
}

/** An offer, or the one whose newer message took its place. */
async function followOffer(db: Kysely<BotTables>, id: string): Promise<AlertOfferTable | undefined> {
  const offer = await readOffer(db, id);
  return offer?.state === 'gone' && offer.moved_to !== '' ? followOffer(db, offer.moved_to) : offer;
}

/** Whether a group of an offer fires. */
export async function firesStill(db: Kysely<BotTables>, offer: string): Promise<boolean> {
  const firing = db.selectFrom('bot_alert').select('id').where('offer', '=', offer).where('state', '=', 'firing');
  return (await firing.limit(1).executeTakeFirst()) !== undefined;
}

type OfferRows = ReturnType<typeof selectOffers>;

function selectOffers(db: Kysely<BotTables>) {
  return db.selectFrom('bot_alert_offer').selectAll();
}

/** Some offers with their groups, oldest first. `severities` are the team's, from mild to grave. */
export async function readOffers(
  db: Kysely<BotTables>,
  severities: readonly string[],
  which: (rows: OfferRows) => OfferRows,
): Promise<readonly Offered[]> {
  const offers = await which(selectOffers(db)).orderBy('begun_at').orderBy('id').execute();
  const few = offers.filter(each => each.group_count <= mostRead).map(each => each.id);
  const rows = few.length === 0 ? [] : await fewGroups(db, { offers: few, most: few.length * mostRead });
  const found: Offered[] = [];
  for (const offer of offers) {
    if (few.includes(offer.id)) {
      const own = rows.filter(each => each.offer === offer.id);
      found.push(toOffered(offer, own, { total: own.length, firing: firingIn(own), services: [] }));
      continue;
    }
    const services: readonly string[] = JSON.parse(offer.services || '[]');
    const some = await readSome(db, offer.id, severities);
    // Those that fire are read first.
    const firing = firingIn(some) === 0 ? 0 : Math.max(firingIn(some), offer.firing_count);
    found.push(toOffered(offer, some, { total: offer.group_count, firing, services }));
  }
  return found;
}

const fewGroups = definePrepared<BotTables, { offers: readonly string[]; most: number }, AlertTable>(
  (db, { offers, most }) =>
    db.selectFrom('bot_alert').selectAll().where('offer', 'in', offers).orderBy('first_at').limit(most),
);

const someGroups = definePrepared<
  BotTables,
  { offer: string; state: AlertTable['state']; severity: string; most: number },
  AlertTable
>((db, { offer, state, severity, most }) =>
  db
    .selectFrom('bot_alert')
    .selectAll()
    .where('offer', '=', offer)
    .where('state', '=', state)
    .where('severity', '=', severity)
    .orderBy('first_at')
    .limit(most),
);

/** The worst groups of an offer that has many, those that fire first. */
async function readSome(
  db: Kysely<BotTables>,
  offer: string,
  severities: readonly string[],
): Promise<readonly AlertTable[]> {
  const found: AlertTable[] = [];
  for (const state of ['firing', 'ended'] as const)
    for (const severity of severities.toReversed())
      if (found.length < mostRead)
        found.push(...(await someGroups(db, { offer, state, severity, most: mostRead - found.length })));
  // The team has other severities than before.
  if (found.length === 0) return await fewGroups(db, { offers: [offer], most: mostRead });
  return found.toSorted((one, other) => one.first_at - other.first_at);
}

function toOffered(
  offer: AlertOfferTable,
  rows: readonly AlertTable[],
  counted: { readonly total: number; readonly firing: number; readonly services: readonly string[] },
): Offered {
  const stored = rows.map(row => ({ ...row, told: AlertGroup.parse(JSON.parse(row.told)) }));
  const alerts: readonly StoredAlert[] = stored.toSorted((one, other) => stateRank(one) - stateRank(other));
  const services = new Set([...counted.services, ...alerts.map(each => serviceOf(each.told))]);
  services.delete('');
  const changes = rows.map(each => Math.max(each.first_at, each.ended_at));
  const { total, firing } = counted;
  const changedAt = Math.max(offer.changed_at, ...changes);
  const newestAt = Math.max(changedAt, ...rows.map(each => each.newest_at));
  return { offer, alerts, total, firing, services: [...services], changedAt, newestAt };
}

function firingIn(groups: readonly AlertTable[]): number {
  return groups.filter(each => each.state === 'firing').length;
}

/** The place of a group in a list: those that fire come first. */
export function stateRank({ state }: StoredAlert): number {
  return state === 'firing' ? 0 : 1;
}

/**
 * An intent gives an offer its incident, in the transaction that stores the intent, and once more in the one that stores it as done.
 * Returns false when another intent did that already.
 */
export async function takeOffer(trx: Kysely<NoTables>, taking: OfferTaking): Promise<boolean> {
  const db = trx.withTables<BotTables>();
  const { intent, incidentID, actor } = taking;
  const offer = await followOffer(db, taking.offer);
  // Its groups joined another one, which waits for a person.
  if (offer === undefined || offer.state === 'gone') return true;
  const { id } = offer;
  if (offer.intent !== '' && offer.intent !== intent && !(await isGivenUp(db, offer.intent))) return false;
  const taken = { state: 'taken', incident_id: incidentID, intent, actor, owes: '' } as const;
  const change = db.updateTable('bot_alert_offer').set(taken).where('id', '=', id);
  const still = change.where('intent', '=', offer.intent).where('state', '!=', 'gone');
  const { numUpdatedRows } = await still.executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return await takeOffer(trx, taking);
  await countChange(trx, id);
  return true;
}

async function isGivenUp(db: Kysely<BotTables>, intent: string): Promise<boolean> {
  const row = await db.selectFrom('bot_intent').select('state').where('id', '=', intent).executeTakeFirst();
  return row === undefined || row.state === 'failed' || row.state === 'discarded';
}

/**
 * An incident that is open again takes its alerts back that were offered since it was over. Called in the transaction that stores that it is
 * open.
 */
export async function takeBackOffers(trx: Kysely<NoTables>, incidentID: string): Promise<void> {
  const taken = await trx
    .withTables<BotTables>()
    .updateTable('bot_alert_offer')
    .set({ state: 'taken', incident_id: incidentID, owes: '' })
    .where('after', '=', incidentID)
    .where('state', '=', 'open')
    .returning('id')
    .execute();
  for (const { id } of taken) await countChange(trx, id);
}

/** The message of an offer is to show it as it is: it is counted, and has its row when it is to have a message. */
export async function showOffer(
  trx: Kysely<NoTables>,
  { id, channel, state }: AlertOfferTable,
  teamId: string,
  now: Date,
): Promise<void> {
  if (channel === '') return;
  if (state === 'open') {
    await trx
      .withTables<BotTables>()
      .insertInto('bot_room')
      .values(makeBoardRow(id, '', { teamId, channel }, now))
      .onConflict(conflict => conflict.column('incident_id').doNothing())
      .execute();
  }
  await countChange(trx, id);
}
