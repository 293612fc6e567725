import type { App } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { BotTables } from '../schema/tables.ts';

/** Sightings of one name are stored at most this often, in milliseconds. */
const storeEvery = 10 * 60_000;
/** Any request that Slack signed. */
const anyDelivery = 'delivery';
/** A webhook of the incident API. */
const webhook = 'webhook';

const seenAlerts = ['stored', 'refused_token', 'refused_body', 'other_tool'] as const;
/** The result of a delivery of alerts, in the words of their door; `other_tool`: it came from another tool than those before it. */
export type SeenAlert = (typeof seenAlerts)[number];

const seenPages = ['sent', 'again', 'failed'] as const;
/** The result of an attempt to reach a pager. */
export type SeenPage = (typeof seenPages)[number];

/** A delivery that was acknowledged before it was stored. */
const unstored = 'unstored';

function toAlertName(source: string, result: SeenAlert): string {
  return `alert ${source} ${result}`;
}

function toPageName(pager: string, result: SeenPage): string {
  return `page ${pager} ${result}`;
}

/** The moments at which each name was seen last. It never throws; to note something waits for nothing. */
interface SeenNames {
  /** Notes that these were seen now. */
  see(names: readonly string[]): void;
  /** Notes the newest result of something. One that differs from the one before is stored at once. */
  seeResult(of: string, name: string): void;
  /** As stored, and as this process knows it. */
  all(): Promise<ReadonlyMap<string, Date>>;
}

/** The names in a database, which several processes may note. */
function openNames(deps: { database: Database; clock: () => Date; log: Logger }): SeenNames {
  const { database, clock, log } = deps;
  const noted = new Map<string, Date>();
  const stored = new Map<string, number>();
  const newest = new Map<string, string>();

  async function store(name: string, at: Date): Promise<void> {
    const row = { name, seen_at: at.toISOString() };
    try {
      await database.single<BotTables, unknown>(db =>
        db
          .insertInto('bot_sighting')
          .values(row)
          .onConflict(conflict => conflict.column('name').doUpdateSet({ seen_at: row.seen_at }))
          .execute(),
      );
    } catch (err) {
      stored.delete(name);
      log.debug({ err, name }, 'sightings: could not be stored');
    }
  }

  /** None while the database is away or has no such table yet: the rest of the report does not depend on them. */
  async function readRows(): Promise<readonly BotTables['bot_sighting'][]> {
    try {
      return await database.as<BotTables>().selectFrom('bot_sighting').selectAll().execute();
    } catch (err) {
      log.debug({ err }, 'sightings: could not be read');
      return [];
    }
  }

  function see(names: readonly string[]): void {
    const at = clock();
    for (const name of names) {
      noted.set(name, at);
      if (at.getTime() - (stored.get(name) ?? 0) < storeEvery) continue;
      stored.set(name, at.getTime());
      void store(name, at);
    }
  }

  return {
    see,
    seeResult: (of, name) => {
      if (newest.get(of) !== name) stored.delete(name);
      newest.set(of, name);
      see([name]);
    },
    all: async () => {
      const rows = await readRows();
      const seen = new Map(rows.map(row => [row.name, new Date(row.seen_at)]));
      for (const [name, at] of noted) if ((seen.get(name)?.getTime() ?? 0) < at.getTime()) seen.set(name, at);
      return seen;
    },
  };
}

/** Remembers what has arrived: nothing else tells whether a command, an event or a webhook reaches Muster. */
export type Sightings = ReturnType<typeof toSightings>;

function toSightings({ see, seeResult, all }: SeenNames) {
  async function lastOf<R extends string>(results: readonly R[], toName: (result: R) => string) {
    const seen = await all();
    return new Map(
      results.flatMap(result => {
        const at = seen.get(toName(result));
        return at ? [[result, at] as const] : [];
      }),
    );
  }
  return {
    /** Notes what a payload of Slack's proves. */
    note: (payload: Readonly<Record<string, unknown>>) => see(namesOf(payload)),
    /** Notes that a webhook of the incident API arrived. */
    noteWebhook: () => see([webhook]),
    /**
     * Notes the result of a delivery of alerts, where it tells something of its source: one that will be sent again does not. The settings name
     * the source, or it is `""`: names of strangers would fill the table.
     */
    noteAlert: (source: string, said: string) => {
      const result = seenAlerts.find(each => each === said);
      if (source !== '' && result) seeResult(`alert ${source}`, toAlertName(source, result));
    },
    /** Notes that two tools send alerts as one source of the settings. */
    noteOtherTool: (source: string) => see([toAlertName(source, 'other_tool')]),
    /** Notes the result of an attempt to reach a pager of the settings. */
    notePage: (pager: string, result: SeenPage) => seeResult(`page ${pager}`, toPageName(pager, result)),
    /** Notes that a delivery was acknowledged before it was stored. */
    noteUnstored: () => see([unstored]),
    /** When each of `command /task`, `event app_mention` … arrived last. */
    all,
    /** When anything arrived from Slack last; undefined for never. */
    lastDelivery: async () => (await all()).get(anyDelivery),
    /** When a webhook of the incident API arrived last; undefined for never. */
    lastWebhook: async () => (await all()).get(webhook),
    /** When a source's deliveries of alerts had each result last. */
    lastAlerts: (source: string) => lastOf(seenAlerts, result => toAlertName(source, result)),
    /** When attempts to reach a pager had each result last. */
    lastPages: (pager: string) => lastOf(seenPages, result => toPageName(pager, result)),
    /** When a delivery was acknowledged last before it was stored; undefined for never. */
    lastUnstored: async () => (await all()).get(unstored),
  };
}

/** Opens the sightings of a database, which several processes may note. */
export function openSightings(deps: { database: Database; clock: () => Date; log: Logger }): Sightings {
  return toSightings(openNames(deps));
}

/** The sightings where there is no database: none. */
export const noSightings: Sightings = toSightings({ see: () => {}, seeResult: () => {}, all: async () => new Map() });

/** Names that people choose never get in: they would fill the table. */
const command = /^\/[a-z0-9_-]{1,31}$/;
const eventType = /^[a-z_]{1,60}$/;
const messageKinds: Readonly<Record<string, string>> = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
};

/** What a payload proves: its command, or its event under the name that manifests use (docs/slack.md 7). */
function namesOf(payload: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof payload.command === 'string' && command.test(payload.command)) {
    return [anyDelivery, `command ${payload.command}`];
  }
  if (payload.type !== 'event_callback' || typeof payload.event !== 'object' || payload.event === null) {
    return [anyDelivery];
  }
  const type: unknown = Reflect.get(payload.event, 'type');
  const kind: unknown = Reflect.get(payload.event, 'channel_type');
  const name = type === 'message' && typeof kind === 'string' ? messageKinds[kind] : type;
  return typeof name === 'string' && (eventType.test(name) || name.startsWith('message.'))
    ? [anyDelivery, `event ${name}`]
    : [anyDelivery];
}

/** Notes everything that Bolt is handed, which is verified to come from Slack. */
export function noteArrivals(bolt: App, sightings: Sightings): void {
  const processEvent = bolt.processEvent.bind(bolt);
  bolt.processEvent = event => {
    sightings.note(event.body);
    return processEvent(event);
  };
}
