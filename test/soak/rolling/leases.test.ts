import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { type Delivery, noReply } from '../../../src/bot/dispatch/feature/delivery.ts';
import type { Plan } from '../../../src/bot/dispatch/feature/turn.ts';
import { keepFor } from '../../../src/bot/keep-for.ts';
import { botMigrations } from '../../../src/bot/schema/migrations.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { leaseTime } from '../../../src/db/leases.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { deadlines } from '../../../src/deadlines.ts';
import { startPostgres } from '../../support/databases/postgres-server.ts';
import { lastLanding, unpack } from '../../support/landings/landings.ts';
import { openVirtualTime } from '../../support/virtual-time.ts';
import { openWatchedLog } from '../../support/watched-log.ts';

const beatEvery = leaseTime / 4;

const body: Omit<Delivery, 'key'> = {
  actor: { teamId: 'T1', userId: 'U1' },
  location: { channelId: 'C1', threadTs: '' },
  act: { kind: 'command', root: 'note', text: 'slow' },
};

/** The parts of Muster's code that take leases: today's, or those of a landing in a folder. */
async function load(folder: string | undefined) {
  const src = folder === undefined ? join(import.meta.dirname, '../../../src') : join(folder, 'src');
  const part = <T>(path: string): Promise<T> => import(join(src, path));
  const { openJournal } = await part<typeof import('../../../src/bot/journal/journal.ts')>('bot/journal/journal.ts');
  const { Inbox } = await part<typeof import('../../../src/bot/inbox/inbox.ts')>('bot/inbox/inbox.ts');
  const { DeliveryStore } =
    await part<typeof import('../../../src/bot/inbox/delivery-store.ts')>('bot/inbox/delivery-store.ts');
  const { openDatabase } = await part<typeof import('../../../src/db/database.ts')>('db/database.ts');
  const { Heart } = await part<typeof import('../../../src/db/heart.ts')>('db/heart.ts');
  return { openJournal, Inbox, DeliveryStore, openDatabase, Heart };
}

/** Processes of the last landing and of today's code on one Postgres, and the clocks of both. */
async function openWorld() {
  const time = openVirtualTime(['setInterval', 'clearInterval']);
  const stack = new AsyncDisposableStack();
  onTestFinished(() => stack.disposeAsync());
  const landing = stack.use(await unpack(lastLanding));
  const postgres = stack.use(await startPostgres());
  const url = postgres.url('postgres');
  const now = { ms: Date.parse('2026-03-02T14:00:00Z') };
  const clock = () => new Date(now.ms);
  const monotonicNow = () => now.ms;
  const clocks = { clock, monotonicNow, bootTimeNow: monotonicNow };
  const database = stack.use(await openDatabase(url));
  await migrate(database, 'bot', botMigrations, clock());
  const begun: string[] = [];

  /** A process; `hangs`: what it begins does not end before the test does. */
  async function start(version: 'old' | 'new', hangs: boolean) {
    const code = await load(version === 'old' ? landing.folder : undefined);
    const own = stack.use(await code.openDatabase(url));
    const end = Promise.withResolvers<never>();
    end.promise.catch(() => {});
    const life = { isOver: false };
    const mortal: typeof own = {
      ...own,
      withLock: (...turn) => (life.isOver ? end.promise : own.withLock(...turn)),
      single: statement => (life.isOver ? end.promise : own.single(statement)),
    };
    const { log } = openWatchedLog({ level: 'error', close: async () => {} });
    const held = async (what: string) => {
      begun.push(`${version}: ${what}`);
      if (hangs) await end.promise;
    };
    const hold = {
      ...{ kind: 'toy.hold', payload: z.object({}), result: z.object({}) },
      run: () => held('intent').then(() => ({})),
    };
    const plan = (): Plan => ({ run: () => held('delivery'), mayChange: true });
    const heart = new code.Heart({
      ...clocks,
      isSoleProcess: false,
      database: mortal,
      keptFor: keepFor.processes,
      log,
    });
    const ofBoth = { ...clocks, deadlines, heart, log };
    await heart.start();
    const journal = await code.openJournal({
      ...{ ...ofBoth, database: mortal, kinds: [hold], landing: 0 },
      toContext: () => ({}),
      bindSubject: payload => payload,
      alongside: { stored: async () => {}, done: async () => {}, registered: async () => {} },
      openCallers: async () => new Set(),
      tell: async () => {},
      onDone: () => {},
      onPostponed: () => {},
      onRetry: () => {},
      onTick: async () => {},
    });
    const store = new code.DeliveryStore({ ...clocks, database: mortal, owner: heart.owner });
    const inbox = new code.Inbox({
      ...{ ...ofBoth, store, journal },
      dispatcher: { plan, say: async () => {} },
      visits: { unstoredOf: () => undefined, stored: () => {} },
    });
    await inbox.start(false);
    stack.defer(async () => {
      end.reject(new Error('the test is over'));
      inbox.close();
      await inbox.handBack();
      await journal.stop(0);
      await heart[Symbol.asyncDispose]();
    });
    return {
      /** Leases an intent and a delivery to it. */
      take: async () => {
        const terms = { renews: false, subject: '1', owner: 'U1', origin: {}, caller: '' };
        void journal.submit(hold, { ...terms, key: 'slow', payload: {} }).catch(() => {});
        const delivery = { ...body, key: 'slow' };
        await inbox.take(delivery, noReply, plan());
        await expect.poll(() => begun.length).toBe(2);
      },
      /** Looks for what the dead have left. */
      look: async () => {
        await journal.tick();
        await store.takeUp(clock(), new Set(), 10);
      },
      /** From now on it changes nothing, and shows no sign of life. */
      kill: () => {
        life.isOver = true;
      },
    };
  }

  const db = database.as<BotTables>();
  return {
    start,
    begun,
    /** The number by which others see that this process lives. */
    life: async (owner: string) => {
      const row = db.selectFrom('bot_process').select('heartbeat').where('owner', '=', owner);
      return (await row.executeTakeFirst())?.heartbeat ?? 0;
    },
    holders: async () => {
      const intents = await db.selectFrom('bot_intent').select('lease_owner').execute();
      const deliveries = await db.selectFrom('bot_delivery').select('lease_owner').execute();
      return [...intents, ...deliveries].map(row => row.lease_owner);
    },
    pass: async (ms: number) => {
      now.ms += ms;
      await time.advance(ms);
    },
  };
}

test.each([
  ['old', 'new'],
  ['new', 'old'],
] as const)(
  'leases that a process of the %s version holds for long are not taken by one of the %s version while it lives',
  async (holds, watches) => {
    const { start, begun, life, holders, pass } = await openWorld();
    const holder = await start(holds, true);
    const watcher = await start(watches, false);
    await holder.take();
    const before = await holders();
    await watcher.look();
    const lives = () => life(before[0] ?? '');
    for (let ms = 0; ms < 3 * leaseTime; ms += beatEvery) {
      const earlier = await lives();
      await pass(beatEvery);
      await expect.poll(lives).toBeGreaterThan(earlier);
      await watcher.look();
      expect(await holders()).toEqual(before);
    }
    expect(begun.toSorted()).toEqual([`${holds}: delivery`, `${holds}: intent`]);
    holder.kill();
    for (let ms = 0; ms <= leaseTime + beatEvery; ms += beatEvery) {
      await watcher.look();
      await pass(beatEvery);
    }
    await expect.poll(() => begun).toContain(`${watches}: intent`);
    await expect.poll(async () => (await holders()).filter(each => before.includes(each))).toEqual([]);
  },
);
