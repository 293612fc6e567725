import { sql } from 'kysely';
import type { Migration } from '../../db/migrate.ts';
import { integer, type RowOf, table, text } from '../../db/tables.ts';

/**
 * A group of alerts, by the latest notice about it. Flags are 0 or 1. Times in numbers are epoch milliseconds by our clock; those in text are
 * RFC 3339 by the tool's, `""` where it does not say.
 */
export const alerts = table({
  name: 'bot_alert',
  columns: {
    /** Made from its source and its key. */
    id: text({ key: true }),
    source: text(),
    /** The offer or incident that it belongs to; `""` for none. */
    offer: text(),
    state: text<'firing' | 'ended'>(),
    /** JSON of the group (`incident/state/alert-group.ts`). */
    told: text(),
    /** The team's severity. */
    severity: text(),
    /** When it began to fire this time, and when the newest notice came. */
    first_at: integer(),
    newest_at: integer(),
    /** Notices that say that it fires, this time. */
    times: integer(),
    /** When the newest of its alerts began, and when the last one ended. */
    newest_start: text(),
    ended: text(),
    /** When it ended; 0 while it fires. */
    ended_at: integer(),
    /** The room read of it last; 0 for never. */
    line_at: integer(),
    /** It is offered to nobody until then; 0 for not muted. */
    muted_until: integer(),
    /** Its storm had so many groups when it joined that the room reads of it in counts alone. */
    is_counted: integer({ default: 0, since: '038-alert-counts' }),
    /** The gravest severity that people read this time; `""`: that of the group. */
    gravest: text({ default: '', since: '041-alert-life' }),
    /** Names its alerts that fire, whatever its key is; `""` where that is not known. */
    print: text({ default: '', since: '041-alert-life' }),
    /** JSON of the groups of this key that other tools tell of and that fire; `""` for none. */
    others: text({ default: '', since: '041-alert-life' }),
  },
  indexes: {
    bot_alert_offer_of: ['offer'],
    bot_alert_newest: ['newest_at'],
    bot_alert_gravest: { on: ['offer', 'state', 'severity', 'first_at'], since: '038-alert-counts' },
    bot_alert_print: { on: ['source', 'print'], where: sql`print <> ''`, since: '041-alert-life' },
  },
});
/** A row of {@link alerts}. */
export type AlertTable = RowOf<typeof alerts>;

/** Groups of alerts that one message offers to a channel, or that one incident is about. */
export const alertOffers = table({
  name: 'bot_alert_offer',
  columns: {
    /** `alert/…`: the id of its message among the rooms too. */
    id: text({ key: true }),
    source: text(),
    /** In which it is offered; `""` for none. */
    channel: text(),
    begun_at: integer(),
    /** When the newest of its groups joined. */
    joined_at: integer(),
    /**
     * `open`: it waits for a person. `taken`: it has an incident. `muted`. `over`: it ended and nobody acted. `gone`: its groups joined
     * another one.
     */
    state: text<'open' | 'taken' | 'muted' | 'over' | 'gone'>(),
    /** It takes in the groups of its source that follow. */
    is_storm: integer(),
    /** The act that Muster owes on its own. `""` for none. */
    owes: text<'declare' | 'raise' | 'reopen' | 'resolve' | ''>(),
    /** Its incident, by its provisional id until it is registered; `""` for none. */
    incident_id: text(),
    /** The intent that gave it its incident; `""` for none. */
    intent: text(),
    /** Slack id of the person who acted last; `""` for nobody. */
    actor: text(),
    muted_until: integer(),
    /** The incident of the time before; `""` for none. */
    after: text(),
    /** How many groups joined it, and how many of them fire. */
    group_count: integer({ default: 0, since: '038-alert-counts' }),
    firing_count: integer({ default: 0, since: '038-alert-counts' }),
    /** When one of its groups began to fire or ended last. */
    changed_at: integer({ default: 0, since: '038-alert-counts' }),
    /** JSON of the services that its groups are about, as far as they are counted; `""` for none. */
    services: text({ default: '', since: '038-alert-counts' }),
    /** How many of its groups fire that were there when it began. */
    first_firing: integer({ default: 0, since: '041-alert-life' }),
    /** The offer by a newer message that took its place; `""` for none. */
    moved_to: text({ default: '', since: '041-alert-life' }),
    /** The gravest severity that its message told; `""`: that of its groups. */
    gravest: text({ default: '', since: '041-alert-life' }),
  },
  indexes: {
    bot_alert_offer_incident: ['incident_id'],
    bot_alert_offer_after: ['after'],
    bot_alert_offer_joined: ['source', 'joined_at'],
    bot_alert_offer_age: { on: ['joined_at'], since: '038-alert-counts' },
    // Hardly one in a thousand waits for something.
    bot_alert_offer_owing: { on: ['begun_at'], where: sql`owes <> ''`, since: '038-alert-counts' },
    bot_alert_offer_muted: { on: ['muted_until'], where: sql`state = 'muted'`, since: '038-alert-counts' },
    bot_alert_offer_unregistered: {
      on: ['begun_at'],
      where: sql`substr(incident_id, 1, 1) = '~'`,
      since: '038-alert-counts',
    },
  },
});
/** A row of {@link alertOffers}. */
export type AlertOfferTable = RowOf<typeof alertOffers>;

/**
 * Counts what is known of an offer without its groups, which may be thousands. Processes of the last landing do not count: an offer that they
 * change is counted by its groups while those are few.
 */
export const countGroups: Migration['up'] = async db => {
  await sql`
    update bot_alert_offer set
      group_count = (select count(*) from bot_alert where offer = bot_alert_offer.id),
      firing_count = (select count(*) from bot_alert where offer = bot_alert_offer.id and state = 'firing'),
      changed_at = coalesce(
        (select max(case when ended_at > first_at then ended_at else first_at end) from bot_alert where offer = bot_alert_offer.id),
        0
      )`.execute(db);
};
