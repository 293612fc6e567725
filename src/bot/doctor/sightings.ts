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

const seenAlerts = ['stored', 'refused_token', 'refused_body'] as const;
/** What became of a delivery of alerts, in the words of their door. */
export type SeenAlert = (typeof seenAlerts)[number];

const seenPages = ['sent', 'again', 'failed'] as const;
/** What became of an attempt to reach a pager. */
export type SeenPage = (typeof seenPages)[number];

/** A delivery that was acknowledged before it was stored. */
const unstored = 'unstored';

/** Remembers what has arrived: nothing else tells whether a command, an event or a webhook reaches Muster. */
export interface Sightings {
  /** Notes what a payload of Slack's proves. Never throws, and waits for nothing. */
  note(payload: Readonly<Record<string, unknown>>): void;
  /** Notes that a webhook of the incident API arrived. Never throws, and waits for nothing. */
  noteWebhook(): void;
  /**
   * Notes what became of a delivery of alerts, where it tells something of its source: one that was to be sent again does not. The settings
   * name the source, or it is `""`: names of strangers would fill the table. Never throws, and waits for nothing.
   */
  noteAlert(source: string, result: string): void;
  /** Notes what became of an attempt to reach a pager of the settings. Never throws, and waits for nothing. */
  notePage(pager: string, result: SeenPage): void;
  /** Notes that a delivery was acknowledged before it was stored. Never throws, and waits for nothing. */
  noteUnstored(): void;
  /** When each of `command /task`, `event app_mention` … arrived last, as stored, and as this process knows it. */
  all(): Promise<ReadonlyMap<string, Date>>;
  /** When anything arrived from Slack last; undefined for never. */
  lastDelivery(): Promise<Date | undefined>;
  /** When a webhook of the incident API arrived last; undefined for never. */
  lastWebhook(): Promise<Date | undefined>;
  /** When a source's deliveries of alerts had each result last. */
  lastAlerts(source: string): Promise<ReadonlyMap<SeenAlert, Date>>;
  /** When attempts to reach a pager had each result last. */
  lastPages(pager: string): Promise<ReadonlyMap<SeenPage, Date>>;
  /** When a delivery was acknowledged last before it was stored; undefined for never. */
  lastUnstored(): Promise<Date | undefined>;
}

function toAlertName(source: string, result: SeenAlert): string {
  return `alert ${source} ${result}`;
}

function toPageName(pager: string, result: SeenPage): string {
  return `page ${pager} ${result}`;
}

/** Opens the sightings of a database, which several processes may note. */
export function openSightings(deps: { database: Database; clock: () => Date; log: Logger }): Sightings {
  const { database, clock, log } = deps;
  const noted = new Map<string, Date>();
  const stored = new Map<string, number>();

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

  async function all(): Promise<ReadonlyMap<string, Date>> {
    const rows = await readRows();
    const seen = new Map(rows.map(row => [row.name, new Date(row.seen_at)]));
    for (const [name, at] of noted) if ((seen.get(name)?.getTime() ?? 0) < at.getTime()) seen.set(name, at);
    return seen;
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

  const newest = new Map<string, string>();
  /** The newest result counts, so one that differs from the one before is stored at once. */
  function seeResult(of: string, name: string): void {
    if (newest.get(of) !== name) stored.delete(name);
    newest.set(of, name);
    see([name]);
  }

  async function lastOf<R extends string>(results: readonly R[], toName: (result: R) => string) {
    const seen = await all();
    return new Map(
      results.flatMap(result => {
        const at = seen.get(toName(result));
        return at ? [[result, at] as const] : [];
      }),
    );
  }

  function noteAlert(source: string, said: string): void {
    const result = seenAlerts.find(each => each === said);
    if (source !== '' && result) seeResult(`alert ${source}`, toAlertName(source, result));
  }

  return {
    note: payload => see(namesOf(payload)),
    noteWebhook: () => see([webhook]),
    noteAlert,
    notePage: (pager, result) => seeResult(`page ${pager}`, toPageName(pager, result)),
    noteUnstored: () => see([unstored]),
    all,
    lastDelivery: async () => (await all()).get(anyDelivery),
    lastWebhook: async () => (await all()).get(webhook),
    lastAlerts: source => lastOf(seenAlerts, result => toAlertName(source, result)),
    lastPages: pager => lastOf(seenPages, result => toPageName(pager, result)),
    lastUnstored: async () => (await all()).get(unstored),
  };
}

/** What is known without a database: nothing. */
export const noSightings: Sightings = {
  note: () => {},
  noteWebhook: () => {},
  noteAlert: () => {},
  notePage: () => {},
  noteUnstored: () => {},
  all: async () => new Map(),
  lastDelivery: async () => undefined,
  lastWebhook: async () => undefined,
  lastAlerts: async () => new Map(),
  lastPages: async () => new Map(),
  lastUnstored: async () => undefined,
};

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
