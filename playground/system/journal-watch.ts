import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import { describeIntent } from '../../src/bot/describe-intent.ts';
import { openJournalAdmin, whyNotDone } from '../../src/bot/journal/admin.ts';
import { provisionalMark } from '../../src/bot/journal/provisional-id.ts';
import { intentStates, isUnfinished } from '../../src/bot/schema/intents.ts';
import type { BotTables } from '../../src/bot/schema/tables.ts';
import { openDatabase } from '../../src/db/database.ts';
import { leaseTime } from '../../src/db/leases.ts';
import type { JournalView } from '../workspace/journal-view.ts';
import type { Attempts } from '../workspace/troubles.ts';

/** Milliseconds between two looks. */
const interval = 300;
/** Intents and deliveries that are shown, the newest of each. */
const shown = { intents: 100, deliveries: 50 } as const;

/** Shows what the bot's database says of its work, also while the bot is dead. */
export interface JournalWatch extends AsyncDisposable {
  read(): Promise<JournalView>;
  /** Whether every delivery is handled, every intent has its outcome, and every alert that waits for a person is offered. */
  isIdle(): Promise<boolean>;
  /** Whether every card shows what was done. */
  isShown(): Promise<boolean>;
  /** Calls the listener with the facts there are and at each change. Looks only while somebody follows. Returns what ends that. */
  follow(listener: (facts: JournalView) => void): () => void;
}

/** Opens the database of a bot that has made its tables. It reads, and changes nothing. `attempts` hears of each look. */
export async function openJournalWatch(
  databaseUrl: string,
  now: () => Date,
  attempts: Attempts,
): Promise<JournalWatch> {
  const database = await openDatabase(databaseUrl);
  const admin = openJournalAdmin(database, now);
  const db = database.as<BotTables>();
  const toLeases = createLeaseReader(now);
  const listeners = new Set<(facts: JournalView) => void>();
  let last: JournalView | undefined;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function read(): Promise<JournalView> {
    const rows = await admin.list({ states: intentStates, subject: '', most: shown.intents });
    const deliveries = await newestDeliveries(db);
    const intents = rows.map(row => {
      const error = whyNotDone(row);
      return {
        id: row.id,
        kind: describeIntent(row),
        incident: row.subject,
        state: row.state,
        attempts: row.attempts,
        createdAt: Date.parse(row.created_at),
        ...(error === '' ? {} : { error }),
      };
    });
    const leased = [
      ...rows.map(row => ({ ...row, name: describeIntent(row), key: row.id })),
      ...deliveries.map(row => ({ name: row.key, ...row })),
    ].filter(row => row.lease_owner !== '');
    return {
      intents,
      deliveries: deliveries.map(row => ({
        id: row.key,
        what: toWords(row),
        state: row.state,
        createdAt: row.received_at,
      })),
      leases: toLeases(leased),
    };
  }

  async function look(): Promise<void> {
    try {
      const facts = await read();
      attempts.succeeded();
      if (isDeepStrictEqual(facts, last)) return;
      last = facts;
      for (const listener of listeners) listener(facts);
    } catch (error) {
      attempts.failed(error);
    } finally {
      looking = undefined;
      if (listeners.size > 0) timer = setTimeout(lookNow, interval);
    }
  }

  /** One look at a time, also when somebody follows again before the last look has ended. */
  function lookNow(): void {
    timer = undefined;
    looking ??= look();
  }

  return {
    read,
    isIdle: async () => {
      const open = await db.selectFrom('bot_delivery').select('key').where('state', '=', 'open').executeTakeFirst();
      const unfinished = await db.selectFrom('bot_intent').select('id').where(isUnfinished).executeTakeFirst();
      const alert = await db
        .selectFrom('bot_alert_offer as offer')
        .innerJoin('bot_room as message', 'message.incident_id', 'offer.id')
        .select('offer.id')
        .where(({ or, and, eb }) =>
          or([
            eb('offer.owes', '!=', ''),
            and([eb('offer.state', '=', 'open'), eb('message.announcement_ts', '=', '')]),
          ]),
        )
        .executeTakeFirst();
      return open === undefined && unfinished === undefined && alert === undefined;
    },
    isShown: async () => {
      const behind = await db
        .selectFrom('bot_room')
        .select('incident_id')
        .where('incident_id', 'not like', `${provisionalMark}%`)
        .where(({ or, eb, ref }) => or([eb('lease_owner', '!=', ''), eb('rendered_version', '<', ref('version'))]))
        .executeTakeFirst();
      return behind === undefined;
    },
    follow: listener => {
      listeners.add(listener);
      if (last) listener(last);
      if (listeners.size === 1) lookNow();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        last = undefined;
      };
    },
    [Symbol.asyncDispose]: async () => {
      listeners.clear();
      clearTimeout(timer);
      await looking;
      await database[Symbol.asyncDispose]();
    },
  };
}

type DeliveryRow = Awaited<ReturnType<typeof newestDeliveries>>[number];

function newestDeliveries(db: Kysely<BotTables>) {
  return db
    .selectFrom('bot_delivery')
    .select(['key', 'kind', 'body', 'state', 'received_at', 'lease_owner', 'heartbeat'])
    .orderBy('seq', 'desc')
    .limit(shown.deliveries)
    .execute();
}

/** A command as it was typed, as long as the bot has it to do; of anything else its kind. */
function toWords({ kind, body }: DeliveryRow): string {
  if (kind !== 'command' || body === '') return kind;
  const { act }: { act?: { root?: string; text?: string } } = JSON.parse(body);
  return act?.root === undefined ? kind : `/${act.root} ${act.text ?? ''}`.trim();
}

interface LeaseRow {
  readonly key: string;
  readonly name: string;
  readonly lease_owner: string;
  readonly heartbeat: number;
}

/** Reads leases. A lease lasts a while beyond the last sign of life that its holder was seen to give (db/leases.ts). */
function createLeaseReader(now: () => Date): (rows: readonly LeaseRow[]) => JournalView['leases'] {
  let seen = new Map<string, { readonly holder: string; readonly heartbeat: number; readonly until: number }>();
  return rows => {
    const next: typeof seen = new Map();
    for (const { key, lease_owner: holder, heartbeat } of rows) {
      const before = seen.get(key);
      const isSame = before?.holder === holder && before.heartbeat === heartbeat;
      next.set(key, isSame ? before : { holder, heartbeat, until: now().getTime() + leaseTime });
    }
    seen = next;
    return rows.map(({ key, name, lease_owner: holder }) => ({ name, holder, until: next.get(key)?.until ?? 0 }));
  };
}
