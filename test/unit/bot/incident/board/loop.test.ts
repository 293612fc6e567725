import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { CardLeases } from '../../../../../src/bot/incident/board/leases.ts';
import { Cards } from '../../../../../src/bot/incident/board/loop.ts';
import { openNextSteps } from '../../../../../src/bot/incident/board/next-steps/store.ts';
import { Outages } from '../../../../../src/bot/incident/lines/outage.ts';
import { addLine } from '../../../../../src/bot/incident/lines/outbox.ts';
import { openLines } from '../../../../../src/bot/incident/lines/store.ts';
import {
  countChange,
  createRooms,
  knownRooms,
  renameIncident,
} from '../../../../../src/bot/incident/state/room-store.ts';
import { laneLock } from '../../../../../src/bot/journal/rows.ts';
import type { BotTables } from '../../../../../src/bot/schema/tables.ts';
import { RpcError } from '../../../../../src/contract/errors.ts';
import { Incident } from '../../../../../src/contract/incidents.ts';
import type { NoTables } from '../../../../../src/db/engine.ts';
import { Known } from '../../../../../src/db/known.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';
import { openVirtualTime } from '../../../../support/virtual-time.ts';

const now = new Date('2026-03-02T14:00:00Z');

/** The card of incident 7, which is behind, and an API that fails with `error` while there is one. */
async function openCard(error: RpcError | undefined, { isSoleProcess = false, incidentID = '7' } = {}) {
  const database = await openBotDatabase(now);
  const rooms = createRooms(database, () => now);
  await rooms.keep({ ...roomSeven, incidentID, channelName: '' });
  const world = {
    ...{ time: 0, error, refusal: '', reads: 0, updates: 0, warnings: 0 },
    ...{
      posts: [] as { ts: string; text: string; metadata: unknown }[],
      posting: async (): Promise<void> => undefined,
    },
    ...{ privacyError: undefined as RpcError | undefined, settled: 0 },
    ...{
      title: 'Disk is full',
      status: 'active',
      meanwhile: async (): Promise<void> => undefined,
      texts: [] as string[],
    },
  };
  const monotonicNow = () => world.time;
  const nextSteps = openNextSteps(database, () => now);
  const leases = await CardLeases.open({ database, owner: 'anne', isSoleProcess, monotonicNow });
  const GetIncident = async () => {
    world.reads += 1;
    if (world.error) throw world.error;
    const incident = Incident.parse({ incidentID: '7', title: world.title, status: world.status });
    const { meanwhile } = world;
    world.meanwhile = async () => undefined;
    await meanwhile();
    return { incident };
  };
  const update = async ({ text = '' }: { text?: string } = {}) => {
    world.updates += 1;
    world.texts.push(text);
    if (world.refusal !== '') throw Object.assign(new Error('refused'), { data: { error: world.refusal } });
  };
  const postMessage = async ({ text = '', metadata }: { text?: string; metadata?: unknown }) => {
    await world.posting();
    const ts = `1.${world.posts.length + 1}`;
    world.posts.push({ ts, text, metadata });
    return { ok: true, ts };
  };
  const warn = () => {
    world.warnings += 1;
  };
  const cards = new Cards({
    slack: {
      web: { chat: { update }, conversations: { history: async () => ({ ok: true, messages: world.posts }) } },
      once: { chat: { postMessage } },
    },
    api: {
      IncidentsService: { GetIncident },
      ActivityService: { QueryActivity: async () => ({ activityItems: [] }) },
    },
    visibility: { share: async () => 'all' },
    knowing: () => {
      const known = new Known(database);
      return { known, rooms: knownRooms(rooms, known) };
    },
    overviewOf: async () => '',
    knownStates: { difference: async () => undefined, learn: async () => 'learned' },
    lines: openLines(database, () => now),
    isRoomBeingMade: async () => false,
    channels: { isKnownPrivate: async () => false, insiders: async () => undefined },
    outages: new Outages({ database, clock: () => now, api: 'Grafana', landing: 0 }),
    nextSteps,
    settings: { linesPerHour: 30, severities: ['pending'], call: [] },
    offersOf: () => [],
    joinOf: () => [],
    follow: async () => {
      if (world.privacyError) throw world.privacyError;
      world.settled += 1;
    },
    rowOf: async () => undefined,
    commanderRole: async () => 'commander',
    people: { toSlackId: async () => '', find: async () => undefined, absentUsers: async () => new Map() },
    snapshots: { get: async () => undefined },
    alerts: { ofIncident: async () => [], naming: async () => [], read: async () => undefined },
    updates: {
      latest: async () => ({ lead: undefined, summary: undefined, update: undefined }),
      markOverdue: async () => undefined,
      notes: async () => [],
      learn: async () => undefined,
    },
    clock: () => now,
    log: pino({ level: 'warn' }, { write: warn }),
    rooms,
    leases,
    monotonicNow,
    isSoleProcess,
  } as unknown as ConstructorParameters<typeof Cards>[0]);
  const catchUp = async () => {
    await cards.catchUp();
    await cards.idle();
  };
  return { world, cards, leases, catchUp, database, nextSteps };
}

test('the card of an incident that is gone is left as it is, without a word', async () => {
  const { world, leases, catchUp } = await openCard(new RpcError('not_found', 'incident not found'));
  await catchUp();
  expect(world).toMatchObject({ reads: 1, updates: 0, warnings: 0 });
  expect(await leases.outdated()).toEqual([]);
});

test('after a failure a card rests, unless its incident is changed', async () => {
  const { world, cards, catchUp } = await openCard(new RpcError('unauthenticated', 'invalid token'));
  await catchUp();
  await catchUp();
  expect(world).toMatchObject({ reads: 1, warnings: 1 });
  cards.refresh('7');
  await cards.idle();
  expect(world.reads).toBe(2);
  world.time += 14_999;
  await catchUp();
  expect(world.reads).toBe(2);
  world.error = undefined;
  world.time += 1;
  await catchUp();
  await catchUp();
  expect(world).toMatchObject({ reads: 3, updates: 1, warnings: 2 });
});

test('a round that read an incident before it was resolved takes back no archiving that was set since', async () => {
  const { world, cards, nextSteps } = await openCard(undefined);
  const archiveAt = new Date('2026-03-09T14:00:00Z');
  world.meanwhile = async () => {
    world.status = 'resolved';
    await nextSteps.choose('7', 'resolved', archiveAt, false);
  };
  cards.refresh('7');
  await cards.idle();
  expect(await nextSteps.of('7')).toMatchObject({ archiveAt });
});

test('several changes at once are one round', async () => {
  const { world, cards } = await openCard(undefined);
  for (let change = 0; change < 5; change += 1) cards.refresh('7');
  await cards.idle();
  expect(world).toMatchObject({ reads: 1, updates: 1 });
});

test('a card that another process renders is left to it, and shown once it is behind', async () => {
  const { world, cards, catchUp, database } = await openCard(undefined);
  const other = await CardLeases.open({ database, owner: 'bert', isSoleProcess: false, monotonicNow: () => 0 });
  const row = await database.as<BotTables>().selectFrom('bot_room').selectAll().executeTakeFirstOrThrow();
  const leased = await other.take(row);
  cards.refresh('7');
  await cards.idle();
  expect(world.updates).toBe(0);
  if (leased) await other.leave(leased);
  await catchUp();
  expect(world.updates).toBe(1);
});

test('a card that Slack refuses to show is tried again every ten minutes, three times', async () => {
  const { world, leases, catchUp } = await openCard(undefined);
  world.refusal = 'is_archived';
  await catchUp();
  await catchUp();
  expect(world).toMatchObject({ reads: 1, updates: 1, warnings: 1 });
  for (let minutes = 0; minutes < 60; minutes += 5) {
    world.time += 300_000;
    await catchUp();
  }
  expect(world).toMatchObject({ updates: 4 });
  expect(await leases.outdated()).toEqual([]);
});

test('an incident that the API does not make private is shown, and made private, once it does', async () => {
  const { world, leases, catchUp } = await openCard(undefined);
  world.privacyError = new RpcError('unavailable', 'the service restarts');
  await catchUp();
  expect(world).toMatchObject({ settled: 0, updates: 0, warnings: 1 });
  expect(await leases.outdated()).toEqual(['7']);
  world.privacyError = undefined;
  world.time += 15_000;
  await catchUp();
  expect(world).toMatchObject({ settled: 1, updates: 1 });
  expect(await leases.outdated()).toEqual([]);
});

test('a card that was read before an urgent change shows it as soon as its line is said', async () => {
  const { world, cards, database } = await openCard(undefined);
  const line = {
    id: 'one',
    incidentID: '7',
    actor: 'T1/U1',
    askedAt: now,
    doneAt: now,
    words: 'renamed',
    isOwnMessage: true,
  };
  world.meanwhile = async () => {
    world.title = 'Disk of db-3 is full';
    await database.withLock<NoTables, void>(laneLock(['7']), async trx => {
      await countChange(trx, '7');
      await addLine(trx, line);
    });
    cards.refresh('7');
  };
  const time = openVirtualTime(['setTimeout', 'clearTimeout']);
  cards.refresh('7');
  while (!world.texts.at(-1)?.includes('db-3')) {
    // What waits for the database alone is done before more time passes.
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    await time.advance(100);
    world.time += 100;
  }
  expect(world.texts[0]).toContain('Disk is full');
  expect(world.time, 'a paced card would wait for ten seconds').toBeLessThan(8000);
  await cards.idle();
});

/** The declaration that became incident 7. */
const declared = {
  ...{
    key: 'k',
    id: 'one',
    kind: 'incident.declare',
    payload: '{}',
    subject: '7',
    lane: '~one',
    seq: 0,
    owner: 'T1/U1',
  },
  ...{ origin: '{}', caller: '', attachment: '', state: 'done', attempts: 1, ambiguous: 0, next_at: 0 },
  ...{ lease_owner: '', heartbeat: 0, tell: 'nobody', outcome: '', created_at: '', changed_at: '' },
};

test.each([
  { what: 'while its line is on its way to Slack', isLost: false },
  { what: 'and the database cannot store the end of the round that says its line', isLost: true },
])('an incident that is registered $what reads it once', async ({ isLost }) => {
  const { world, cards, database } = await openCard(undefined, { isSoleProcess: true, incidentID: '~one' });
  cards.refresh('~one');
  await cards.idle();
  const line = {
    id: 'one',
    incidentID: '~one',
    actor: 'T1/U1',
    askedAt: now,
    doneAt: now,
    words: 'called',
    isOwnMessage: true,
  };
  await database.withLock<NoTables, void>(laneLock(['~one']), trx => addLine(trx, line));
  world.posting = async () => {
    world.posting = async () => undefined;
    await database.as<{ bot_intent: Record<string, unknown> }>().insertInto('bot_intent').values(declared).execute();
    await database.withLock<NoTables, void>(laneLock(['7']), async trx => {
      await renameIncident(trx, '~one', '7');
      await countChange(trx, '7');
    });
    if (!isLost) cards.refresh('7', true);
    else {
      const away = new Error('the database is away');
      // It is tried twice.
      vi.spyOn(database, 'withLock').mockRejectedValueOnce(away).mockRejectedValueOnce(away);
    }
    for (let turn = 0; turn < 200; turn += 1) await setImmediate();
  };
  cards.refresh('~one', true);
  await cards.idle();
  cards.refresh('7');
  await cards.idle();
  expect(world.posts.map(each => each.text)).toEqual(['called']);
});
