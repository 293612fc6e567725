import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';

/**
 * A group of alerts, by the latest notice about it. Flags are 0 or 1. Times in numbers are epoch milliseconds by our clock; those in text are
 * RFC 3339 by the tool's, `""` where it does not say.
 */
export type AlertTable = {
  /** Made from its source and its key. */
  id: string;
  source: string;
  /** The offer or incident that it belongs to; `""` for none. */
  offer: string;
  state: 'firing' | 'ended';
  /** JSON of the group (`incident/state/alert-group.ts`). */
  told: string;
  /** The team's severity. */
  severity: string;
  /** When it began to fire this time, and when the newest notice came. */
  first_at: number;
  newest_at: number;
  /** Notices that say that it fires, this time. */
  times: number;
  /** When the newest of its alerts began, and when the last one ended. */
  newest_start: string;
  ended: string;
  /** When it ended; 0 while it fires. */
  ended_at: number;
  /** The room read of it last; 0 for never. */
  line_at: number;
  /** It is offered to nobody until then; 0 for not muted. */
  muted_until: number;
  /** Its storm had so many groups when it joined that the room reads of it in counts alone. */
  is_counted: number;
};

/** Groups of alerts that one message offers to a channel, or that one incident is about. */
export type AlertOfferTable = {
  /** `alert/…`: the id of its message among the rooms too. */
  id: string;
  source: string;
  /** In which it is offered; `""` for none. */
  channel: string;
  begun_at: number;
  /** When the newest of its groups joined. */
  joined_at: number;
  /**
   * `open`: it waits for a person. `taken`: it has an incident. `muted`. `over`: it ended and nobody acted. `gone`: its groups joined
   * another one.
   */
  state: 'open' | 'taken' | 'muted' | 'over' | 'gone';
  /** It takes in the groups of its source that follow. */
  is_storm: number;
  /** The act that Muster owes on its own. `""` for none. */
  owes: 'declare' | 'reopen' | 'resolve' | '';
  /** Its incident, by its provisional id until it is registered; `""` for none. */
  incident_id: string;
  /** The intent that gave it its incident; `""` for none. */
  intent: string;
  /** Slack id of the person who acted last; `""` for nobody. */
  actor: string;
  muted_until: number;
  /** The incident of the time before; `""` for none. */
  after: string;
  /** How many groups joined it, and how many of them fire. */
  group_count: number;
  firing_count: number;
  /** When one of its groups began to fire or ended last. */
  changed_at: number;
  /** JSON of the services that its groups are about, as far as they are counted; `""` for none. */
  services: string;
};

/** Makes the tables of alerts, and gives lines the act that they offer. */
export const createAlerts: Migration['up'] = async db => {
  await db.schema
    .createTable('bot_alert')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('source', 'text', column => column.notNull())
    .addColumn('offer', 'text', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('told', 'text', column => column.notNull())
    .addColumn('severity', 'text', column => column.notNull())
    .addColumn('first_at', 'integer', column => column.notNull())
    .addColumn('newest_at', 'integer', column => column.notNull())
    .addColumn('times', 'integer', column => column.notNull())
    .addColumn('newest_start', 'text', column => column.notNull())
    .addColumn('ended', 'text', column => column.notNull())
    .addColumn('ended_at', 'integer', column => column.notNull())
    .addColumn('line_at', 'integer', column => column.notNull())
    .addColumn('muted_until', 'integer', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_alert_offer_of').on('bot_alert').column('offer').execute();
  await db.schema.createIndex('bot_alert_newest').on('bot_alert').column('newest_at').execute();
  await db.schema
    .createTable('bot_alert_offer')
    .addColumn('id', 'text', column => column.notNull().primaryKey())
    .addColumn('source', 'text', column => column.notNull())
    .addColumn('channel', 'text', column => column.notNull())
    .addColumn('begun_at', 'integer', column => column.notNull())
    .addColumn('joined_at', 'integer', column => column.notNull())
    .addColumn('state', 'text', column => column.notNull())
    .addColumn('is_storm', 'integer', column => column.notNull())
    .addColumn('owes', 'text', column => column.notNull())
    .addColumn('incident_id', 'text', column => column.notNull())
    .addColumn('intent', 'text', column => column.notNull())
    .addColumn('actor', 'text', column => column.notNull())
    .addColumn('muted_until', 'integer', column => column.notNull())
    .addColumn('after', 'text', column => column.notNull())
    .execute();
  await db.schema.createIndex('bot_alert_offer_incident').on('bot_alert_offer').column('incident_id').execute();
  await db.schema.createIndex('bot_alert_offer_after').on('bot_alert_offer').column('after').execute();
  await db.schema
    .createIndex('bot_alert_offer_joined')
    .on('bot_alert_offer')
    .columns(['source', 'joined_at'])
    .execute();
  await db.schema
    .alterTable('bot_line')
    .addColumn('offers', 'text', column => column.notNull().defaultTo(''))
    .execute();
};

/**
 * Adds what is known of an offer without its groups, which may be thousands, and the ways to the few of either that are looked for. Processes of
 * the last landing do not count: an offer that they change is counted by its groups while those are few.
 */
export const addAlertCounts: Migration['up'] = async db => {
  await db.schema
    .alterTable('bot_alert')
    .addColumn('is_counted', 'integer', column => column.notNull().defaultTo(0))
    .execute();
  for (const count of ['group_count', 'firing_count', 'changed_at'])
    await db.schema
      .alterTable('bot_alert_offer')
      .addColumn(count, 'integer', column => column.notNull().defaultTo(0))
      .execute();
  await db.schema
    .alterTable('bot_alert_offer')
    .addColumn('services', 'text', column => column.notNull().defaultTo(''))
    .execute();
  await sql`
    update bot_alert_offer set
      group_count = (select count(*) from bot_alert where offer = bot_alert_offer.id),
      firing_count = (select count(*) from bot_alert where offer = bot_alert_offer.id and state = 'firing'),
      changed_at = coalesce(
        (select max(case when ended_at > first_at then ended_at else first_at end) from bot_alert where offer = bot_alert_offer.id),
        0
      )`.execute(db);
  await db.schema
    .createIndex('bot_alert_gravest')
    .on('bot_alert')
    .columns(['offer', 'state', 'severity', 'first_at'])
    .execute();
  const ofOffers = (name: string) => db.schema.createIndex(`bot_alert_offer_${name}`).on('bot_alert_offer');
  await ofOffers('age').column('joined_at').execute();
  // Hardly one in a thousand waits for something.
  await ofOffers('owing').column('begun_at').where(sql.ref('owes'), '<>', sql.lit('')).execute();
  await ofOffers('muted').column('muted_until').where(sql.ref('state'), '=', sql.lit('muted')).execute();
  const mark = sql`substr(incident_id, 1, 1)`;
  await ofOffers('unregistered').column('begun_at').where(mark, '=', sql.lit('~')).execute();
};
