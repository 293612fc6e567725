import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { definePrepared } from '../../db/prepared.ts';
import type { IncidentDeps } from '../incident/acts/intent-kind.ts';
import {
  firesStill,
  lockOffer,
  type Offered,
  offerMark,
  readOffer,
  readOffers,
  showOffer,
} from '../incident/state/alert-store.ts';
import { type Coalesced, coalesce } from '../journal/coalesce.ts';
import { Stopped } from '../journal/intent.ts';
import { isProvisional, provisionalMark } from '../journal/provisional-id.ts';
import type { AlertOfferTable } from '../schema/alerts.ts';
import type { BotTables } from '../schema/tables.ts';
import { isTouched } from './touched.ts';

/** The acts that alerts ask for without a person. Each is an intent whose key names it, so it takes effect once. */
export interface AlertActs {
  declare(deps: IncidentDeps, offered: Offered): Promise<void>;
  raise(deps: IncidentDeps, offered: Offered): Promise<void>;
  reopen(deps: IncidentDeps, offered: Offered): Promise<void>;
  resolve(deps: IncidentDeps, offered: Offered): Promise<void>;
}

interface OwedDeps {
  readonly database: Database;
  readonly incidents: () => IncidentDeps;
  readonly acts: AlertActs;
  readonly clock: () => Date;
  readonly log: Logger;
  /** A row among the rooms is shown otherwise. */
  readonly refresh: (id: string, isUrgent: boolean) => void;
}

/** Offers looked at together. */
const together = 50;

type DueOffer = Pick<AlertOfferTable, 'id' | 'intent' | 'owes' | 'state'>;

/**
 * The offers that owe an act, whose mute is over, or whose incident was not declared after all. Each of them has an index that holds no others,
 * and says what its rows have in these words: a look happens once a second, and there may be a hundred thousand offers.
 */
const offersDue = definePrepared<BotTables, { now: number }, DueOffer>((db, { now }) => {
  const some = db
    .selectFrom('bot_alert_offer as offer')
    .select(['offer.id', 'offer.intent', 'offer.owes', 'offer.state', 'offer.begun_at']);
  const unregistered = sql<string>`substr(${sql.ref('offer.incident_id')}, 1, 1)`;
  return some
    .where('offer.owes', '<>', sql.lit(''))
    .union(some.where('offer.state', '=', sql.lit('muted')).where('offer.muted_until', '<=', now))
    .union(
      some
        .innerJoin('bot_intent as intent', 'intent.id', 'offer.intent')
        .where(unregistered, '=', sql.lit(provisionalMark))
        .where('offer.state', '=', sql.lit('taken'))
        .where('intent.state', 'in', [sql.lit('failed' as const), sql.lit('discarded' as const)]),
    )
    .orderBy('begun_at')
    .limit(sql.lit(together));
});

/** Does what offers owe, and opens those again whose mute is over or whose incident could not be declared. */
export class PendingActs {
  readonly #deps: OwedDeps;
  readonly #looking: Coalesced;

  constructor(deps: OwedDeps) {
    this.#deps = deps;
    this.#looking = coalesce(() => this.#look());
  }

  /** Looks for acts that are pending; resolves when it is done or stored. Never throws. */
  look(): Promise<void> {
    return this.#looking.run();
  }

  /** Resolves when no look goes on. */
  async idle(): Promise<void> {
    await this.#looking.pending();
  }

  async #look(): Promise<void> {
    try {
      const { clock, database, incidents } = this.#deps;
      const due = await offersDue(database.as<BotTables>(), { now: clock().getTime() });
      for (const { id, intent, owes, state } of due) {
        if (state === 'muted') await this.#offerAnew(id);
        else if (owes === '') await this.#release(id, intent);
      }
      const owing = due.filter(each => each.owes !== '').map(each => each.id);
      if (owing.length === 0) return;
      const { severities } = incidents().settings;
      const offers = await readOffers(database.as<BotTables>(), severities, of => of.where('id', 'in', owing));
      await Promise.all(offers.map(each => this.#do(each)));
    } catch (err) {
      if (err instanceof Stopped) return;
      this.#deps.log.warn({ err }, 'alerts: could not look for owed acts');
    }
  }

  async #do(offered: Offered): Promise<void> {
    const { acts, database, incidents, log } = this.#deps;
    const { id, owes, incident_id } = offered.offer;
    // It is registered first.
    if (owes === '' || (owes !== 'declare' && isProvisional(incident_id))) return;
    try {
      // A person may have acted since.
      const isTheirs = owes === 'resolve' && (await isTouched(database.as(), incident_id));
      if (!isTheirs) await acts[owes](incidents(), offered);
      await this.#paid(id, owes);
    } catch (err) {
      if (err instanceof Stopped) return;
      log.warn({ err, offer: id, owes }, 'alerts: an owed act is tried again');
    }
  }

  async #paid(id: string, owes: Offered['offer']['owes']): Promise<void> {
    await this.#deps.database.single<BotTables, unknown>(some =>
      some.updateTable('bot_alert_offer').set({ owes: '' }).where('id', '=', id).where('owes', '=', owes).execute(),
    );
  }

  /** An offer whose incident was not declared after all waits for a person again. */
  async #release(id: string, intent: string): Promise<void> {
    const { database, clock, refresh, incidents } = this.#deps;
    await lockOffer(database, id, async plain => {
      const trx = plain.withTables<BotTables>();
      const offer = await readOffer(trx, id);
      if (offer?.intent !== intent) return;
      const state = (await firesStill(trx, id)) ? ('open' as const) : ('over' as const);
      const free = { state, incident_id: '', intent: '', actor: '', owes: '' } as const;
      await trx.updateTable('bot_alert_offer').set(free).where('id', '=', id).execute();
      await showOffer(plain, { ...offer, state }, incidents().slack.identity.teamId, clock());
    });
    refresh(id, true);
  }

  /** Offers groups that still fire when their mute is over again, by a message that people notice. */
  async #offerAnew(id: string): Promise<void> {
    const { database, clock, refresh, incidents } = this.#deps;
    const now = clock();
    const { teamId } = incidents().slack.identity;
    const fresh = `${offerMark}${randomUUID()}`;
    await lockOffer(database, id, async plain => {
      const trx = plain.withTables<BotTables>();
      const offer = await readOffer(trx, id);
      if (offer?.state !== 'muted' || offer.muted_until > now.getTime()) return;
      const next = { ...offer, id: fresh, state: 'open', actor: '', muted_until: 0, begun_at: now.getTime() } as const;
      await trx.insertInto('bot_alert_offer').values(next).execute();
      await trx.updateTable('bot_alert').set({ offer: fresh, muted_until: 0 }).where('offer', '=', id).execute();
      await trx.updateTable('bot_alert_offer').set({ state: 'gone', moved_to: fresh }).where('id', '=', id).execute();
      await showOffer(plain, { ...offer, state: 'gone' }, teamId, now);
      await showOffer(plain, next, teamId, now);
    });
    refresh(id, true);
    refresh(fresh, true);
  }
}
