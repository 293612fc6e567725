import { pino } from 'pino';
import { expect, test } from 'vitest';
import { Bursts } from '../../../../src/bot/incident/state/burst-store.ts';
import { createRooms } from '../../../../src/bot/incident/state/room-store.ts';
import { openPollStore } from '../../../../src/bot/sync/poll-store.ts';
import { Sync } from '../../../../src/bot/sync/sync.ts';
import { RpcError } from '../../../../src/contract/errors.ts';
import { EchoedPreviewsQuery } from '../../../../src/contract/incident-queries.ts';
import { IncidentPreview } from '../../../../src/contract/incidents.ts';
import { patient } from '../../../support/deadlines.ts';
import { openBotDatabase } from '../../../support/fresh-database.ts';
import { TestTimers } from '../../../support/timers.ts';

const now = new Date('2026-03-02T14:00:00Z');

/** An API whose incidents a test declares, and as many processes on one database as it starts. Incidents that are found are noted. */
async function openWorld() {
  const database = await openBotDatabase(now);
  const world = { version: 1, previews: [] as IncidentPreview[], asked: 0, isAway: false, isCounted: true };
  const found: string[] = [];
  const IncidentsService = {
    GetHomescreenVersion: async () => {
      world.asked += 1;
      if (world.isAway) throw new Error('away');
      if (!world.isCounted) throw new RpcError('not_found', 'no such method');
      return { version: world.version, error: '' };
    },
    QueryIncidentPreviews: async () => ({
      incidentPreviews: world.previews.toSorted((one, other) => (one.modifiedTime < other.modifiedTime ? 1 : -1)),
      cursor: { hasMore: false, nextValue: '' },
      query: EchoedPreviewsQuery.parse({}),
      error: '',
    }),
    GetIncident: async () => {
      throw new RpcError('not_found', 'no such incident');
    },
  };
  const start = (onFound = async (incidentIDs: readonly string[]) => void found.push(...incidentIDs)) => {
    const timers = new TestTimers(() => undefined);
    const sync = new Sync({
      ...{
        api: { IncidentsService },
        database,
        timers,
        onFound,
        secret: '',
        onWebhook: () => {},
        declaring: ['incident.declare'],
      },
      rooms: createRooms(database, () => now),
      bursts: new Bursts(database, () => now),
      cards: { refresh: () => undefined },
      store: openPollStore(database, () => now),
      deadlines: patient(),
      clock: () => now,
      log: pino({ level: 'silent' }),
    });
    sync.start();
    return {
      sync,
      timers,
      pass: async (ms: number) => {
        await timers.fire(ms);
        await sync.idle();
      },
    };
  };
  const declare = (incidentID: string, minutes: number) => {
    const time = new Date(now.getTime() + minutes * 60_000).toISOString();
    world.version += 1;
    world.previews.push(IncidentPreview.parse({ incidentID, version: 1, createdTime: time, modifiedTime: time }));
  };
  return { database, world, found, start, declare };
}

test('of several processes one looks, and another one takes over when it is gone', async () => {
  const { world, start } = await openWorld();
  const anne = start();
  const bert = start();
  await anne.sync.idle();
  await bert.sync.idle();
  for (let turn = 1; turn <= 5; turn += 1) {
    await anne.pass(10_000);
    await bert.pass(10_000);
    expect(world.asked).toBe(turn);
  }
  anne.sync.stop();
  await bert.pass(10_000);
  expect(world.asked, 'one more in at most ten seconds').toBe(6);
});

test('an API that is away is looked at again ten seconds later', async () => {
  const { world, start, declare, found } = await openWorld();
  const anne = start();
  await anne.sync.idle();
  declare('7', 1);
  world.isAway = true;
  await anne.pass(10_000);
  expect(found).toEqual([]);
  world.isAway = false;
  await anne.pass(10_000);
  expect(found).toEqual(['7']);
});

test('an incident is found until that has worked once, also across processes; history is not found', async () => {
  const { start, declare, found } = await openWorld();
  let times = 0;
  const anne = start(async () => {
    times += 1;
    throw new Error('Slack is away');
  });
  await anne.sync.idle();
  declare('6', -1);
  declare('7', 1);
  await anne.pass(10_000);
  await anne.pass(10_000);
  expect(times).toBe(2);
  anne.sync.stop();
  const bert = start();
  await bert.sync.idle();
  await bert.pass(10_000);
  declare('8', 2);
  await bert.pass(10_000);
  expect(found).toEqual(['7', '8']);
});

test('an incident is not found while Muster itself may be declaring it', async () => {
  const { database, start, declare, found } = await openWorld();
  const anne = start();
  await anne.sync.idle();
  const intents = database.as<{ bot_intent: Record<string, unknown> }>();
  const row = {
    ...{ key: 'k', id: 'i', kind: 'incident.declare', payload: '{}', subject: '', lane: '~i', seq: 0, owner: 'T1/U1' },
    ...{ origin: '{}', caller: '', attachment: '', state: 'running', attempts: 0, ambiguous: 0, next_at: 0 },
    ...{ lease_owner: '', heartbeat: 0, tell: 'nobody', outcome: '', created_at: '', changed_at: '' },
  };
  await intents.insertInto('bot_intent').values(row).execute();
  declare('7', 1);
  await anne.pass(10_000);
  expect(found).toEqual([]);
  await intents.updateTable('bot_intent').set({ state: 'failed' }).execute();
  await anne.pass(10_000);
  expect(found).toEqual(['7']);
});

test('an API that counts no version is asked for its list instead, and for the version only once', async () => {
  const { world, start, declare, found } = await openWorld();
  world.isCounted = false;
  const anne = start();
  await anne.sync.idle();
  await anne.pass(10_000);
  declare('7', 1);
  await anne.pass(10_000);
  await anne.pass(10_000);
  expect(found).toEqual(['7']);
  expect(world.asked).toBe(1);
});
