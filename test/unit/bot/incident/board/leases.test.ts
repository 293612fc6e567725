import { expect, test } from 'vitest';
import { CardLeases, type LeasedCard } from '../../../../../src/bot/incident/board/leases.ts';
import { parseWrites, type Write } from '../../../../../src/bot/incident/lines/pace.ts';
import { type BoardDigests, noDigests } from '../../../../../src/bot/incident/state/digests.ts';
import { createRooms } from '../../../../../src/bot/incident/state/room-store.ts';
import type { BotTables } from '../../../../../src/bot/schema/tables.ts';
import { leaseTime } from '../../../../../src/db/leases.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

const now = new Date('2026-03-02T14:00:00Z');

function leasedBy(last: LeasedCard | undefined): LeasedCard {
  if (!last) throw new Error('Nothing was leased');
  return last;
}

/** The card of incident 7, changed once and not shown, and two processes. */
async function openTwo() {
  const database = await openBotDatabase(now);
  const db = database.as<BotTables>();
  const rooms = createRooms(database, () => now);
  await rooms.keep(roomSeven);
  let time = 0;
  const open = async (owner: string, { isSoleProcess = false } = {}) => {
    const leases = await CardLeases.open({ database, owner, isSoleProcess, monotonicNow: () => time });
    const rowOf = () => db.selectFrom('bot_room').selectAll().executeTakeFirstOrThrow();
    let last: LeasedCard | undefined;
    return {
      take: async () => {
        const taken = await leases.take(await rowOf());
        last = taken ?? last;
        return taken;
      },
      shown: (version: number, shown: Partial<BoardDigests>, writes?: readonly Write[]) =>
        leases.shown({ ...leasedBy(last), version }, { shown, ...(writes ? { writes } : {}) }),
      leave: (shown: Partial<BoardDigests> = {}, writes?: readonly Write[]) =>
        leases.leave(leasedBy(last), { shown, ...(writes ? { writes } : {}) }),
      writes: async () => parseWrites((await rowOf()).written),
      outdated: () => leases.outdated(),
      hold: () => leases.hold(),
    };
  };
  const [anne, bert] = [await open('anne'), await open('bert')];
  return {
    anne,
    bert,
    db,
    rooms,
    open,
    change: () =>
      db
        .updateTable('bot_room')
        .set(({ eb }) => ({ version: eb('version', '+', 1) }))
        .execute(),
    /** Both look while time goes by; whoever is among `alive` shows it. */
    pass: async (...alive: (typeof anne)[]) => {
      for (let part = 0; part < 5; part += 1) {
        await anne.outdated();
        await bert.outdated();
        for (const each of alive) await each.hold();
        time += leaseTime / 4;
      }
    },
  };
}

test('one process at a time brings a card up to date, and again when it was changed meanwhile', async () => {
  const { anne, bert, change } = await openTwo();
  expect(await anne.outdated()).toEqual(['7']);
  expect((await anne.take())?.version).toBe(1);
  expect(await bert.take()).toBeUndefined();
  expect(await bert.outdated()).toEqual([]);
  await change();
  expect(await anne.shown(1, {})).toBe(false);
  expect((await anne.take())?.version).toBe(2);
  expect(await bert.take()).toBeUndefined();
  expect(await anne.shown(2, {})).toBe(true);
  expect(await bert.outdated()).toEqual([]);
  expect((await bert.take())?.version).toBe(2);
});

test('a process that waits for its next round holds no card, so that another one shows what is urgent', async () => {
  const { anne, bert, change } = await openTwo();
  await anne.take();
  await change();
  expect(await anne.shown(1, { card: 'one' })).toBe(false);
  expect((await bert.take())?.shown.card).toBe('one');
  expect(await bert.shown(2, { card: 'two' })).toBe(true);
  expect(await anne.take()).toMatchObject({ version: 2, shown: { card: 'two' } });
});

test('all processes know what was written within the last minute', async () => {
  const { anne, bert, change } = await openTwo();
  const write = (at: number, part: 'lines' | 'card') => ({ at, part, isUrgent: false });
  const [line, card] = [write(1, 'lines'), write(2, 'card')];
  await anne.take();
  await anne.leave({}, [line]);
  expect(await bert.writes()).toEqual([line]);
  expect((await bert.take())?.writes).toEqual([line]);
  await change();
  expect(await bert.shown(1, {}, [line, card])).toBe(false);
  expect(await anne.writes()).toEqual([line, card]);
});

test('what could not be shown is left to whoever looks next', async () => {
  const { anne, bert } = await openTwo();
  await anne.take();
  await anne.leave();
  expect(await bert.outdated()).toEqual(['7']);
  expect((await bert.take())?.version).toBe(1);
});

test('a process that died loses its turn, and one that is alive does not', async () => {
  const { anne, bert, pass } = await openTwo();
  await anne.take();
  await pass(anne);
  expect(await bert.outdated()).toEqual([]);
  expect(await bert.take()).toBeUndefined();
  await pass();
  expect(await bert.outdated()).toEqual(['7']);
  expect((await bert.take())?.version).toBe(1);
});

test('what a process shows that has lost its turn may cover what is newer, so it is shown once more', async () => {
  for (const end of ['shown', 'left'] as const) {
    const { anne, bert, change, pass } = await openTwo();
    await anne.take();
    await change();
    await pass();
    await bert.outdated();
    expect((await bert.take())?.version).toBe(2);
    expect(await bert.shown(2, {})).toBe(true);
    // Only now Slack takes what anne had read before the change.
    if (end === 'left') await anne.leave();
    else {
      expect(await anne.shown(1, {})).toBe(false);
      expect((await anne.take())?.version).toBe(3);
      await anne.leave();
    }
    expect(await bert.outdated()).toEqual(['7']);
  }
});

test('a turn that a process could not end because the database was away is its own to end', async () => {
  const { anne, bert } = await openTwo();
  const changes = (await anne.take())?.version ?? 0;
  await anne.shown(changes, {});
  await anne.take();
  expect(await bert.outdated()).toEqual([]);
  expect(await anne.outdated()).toEqual(['7']);
});

test('what a process has shown is known to the next one', async () => {
  const { anne, bert, change } = await openTwo();
  expect((await anne.take())?.shown).toEqual(noDigests);
  await change();
  expect(await anne.shown(1, { card: 'one', topic: 'two' })).toBe(false);
  expect((await anne.take())?.shown).toMatchObject({ card: 'one', topic: 'two' });
  await anne.leave({ card: 'three' });
  const { card, topic } = (await bert.take())?.shown ?? noDigests;
  expect(card).toBe('three');
  expect(topic).not.toBe('two');
});

test('what a process wrote before it died is not known', async () => {
  const { anne, bert, pass } = await openTwo();
  await anne.take();
  await anne.shown(1, { card: 'one' });
  await anne.take();
  await pass();
  await bert.outdated();
  expect((await bert.take())?.shown.card).not.toBe('one');
});

test('what may have been covered by a process that lost its turn is not known', async () => {
  const { anne, bert, pass } = await openTwo();
  await anne.take();
  await pass();
  await bert.outdated();
  await bert.take();
  // Slack takes what anne had read, while bert shows the same version.
  await anne.leave();
  expect(await bert.shown(1, { card: 'new' })).toBe(false);
  expect((await bert.take())?.shown.card).not.toBe('new');
});

test('a card that is posted while a process looks at it is known as it was posted', async () => {
  const { anne, rooms } = await openTwo();
  await anne.take();
  await rooms.keep({ ...roomSeven, cardTs: '3.4' }, { card: 'posted' });
  expect(await anne.shown(1, {})).toBe(false);
  expect((await anne.take())?.shown.card).toBe('posted');
});

test('a process that is alone needs no lease, and knows which rounds of the one before did not end', async () => {
  const { open, change, db } = await openTwo();
  const carl = await open('carl', { isSoleProcess: true });
  expect(await carl.take(), 'it was changed before, and may have been shown').toMatchObject({ isSure: false });
  expect(await carl.shown(1, { card: 'one' })).toBe(true);
  await change();
  expect(await carl.take()).toMatchObject({ version: 2, isSure: true, shown: { card: 'one' } });
  expect(await db.selectFrom('bot_room').select('lease_owner').execute()).toEqual([{ lease_owner: '' }]);
  expect(await carl.shown(2, { card: 'two' })).toBe(true);
  const dora = await open('dora', { isSoleProcess: true });
  expect(await dora.take(), 'it was shown').toMatchObject({ isSure: true, shown: { card: 'two' } });
  const emil = await open('emil', { isSoleProcess: true });
  expect(await emil.outdated(), 'a round that showed no change').toEqual(['7']);
  expect(await emil.take()).toMatchObject({ isSure: false });
  expect((await emil.take())?.isSure, 'its own round did not end').toBe(false);
  await emil.leave({ card: 'two' });
  expect(await emil.take()).toMatchObject({ isSure: true, shown: { card: 'two' } });
});
