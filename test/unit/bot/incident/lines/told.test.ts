import { expect, test } from 'vitest';
import { elsewhereLine } from '../../../../../src/bot/incident/lines/elsewhere-line.ts';
import { beginTelling, noteOwnChange, openTold } from '../../../../../src/bot/incident/lines/told.ts';
import { createRooms } from '../../../../../src/bot/incident/state/room-store.ts';
import type { BotTables } from '../../../../../src/bot/schema/tables.ts';
import { Incident } from '../../../../../src/contract/incidents.ts';
import type { NoTables } from '../../../../../src/db/engine.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

/** Incident 7, whose room has been told that it is active, pending, and called “Disk is full”. */
async function openSeven() {
  let now = new Date('2026-03-02T14:00:00Z');
  const database = await openBotDatabase(now);
  const clock = () => now;
  await createRooms(database, clock).keep(roomSeven);
  const told = openTold({ database, clock, kinds: ['incident.severity'] });
  const shown = (facts: Partial<Incident>) =>
    Incident.parse({ incidentID: '7', title: 'Disk is full', status: 'active', severity: 'pending', ...facts });
  const compare = (facts: Partial<Incident>) => told.compare(shown(facts), 1);
  const lineOf = async (facts: Partial<Incident>) => {
    const line = await compare(facts);
    if (line === undefined || line === 'unsettled') throw new Error(`There is no line: ${line}`);
    return line;
  };
  const own = (change: Parameters<typeof noteOwnChange>[2]) =>
    database.withLock<NoTables, boolean>('journal', trx => noteOwnChange(trx, '7', change));
  await database.withLock<NoTables, void>('journal', trx => beginTelling(trx, '7'));
  expect(await compare({}), 'the card shows how it begins').toBeUndefined();
  return {
    ...{ database, told, compare, lineOf, own, shown },
    wait: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1000);
    },
  };
}

test('changes of one minute are one line that says the end state; later ones are another', async () => {
  const { told, lineOf, wait, compare } = await openSeven();
  const first = await lineOf({ severity: 'minor' });
  expect(first).toMatchObject({ ts: '', mayStand: false });
  await told.said('7', first, '5.6');
  expect(await compare({ severity: 'minor' })).toBeUndefined();
  wait(59);
  const same = await lineOf({ severity: 'major', title: 'Gone' });
  expect(same).toMatchObject({ id: first.id, ts: '5.6' });
  expect(elsewhereLine(same.differences)).toContain('from pending to *major*; renamed the incident to “Gone”.');
  await told.said('7', same, '5.6');
  const back = await lineOf({});
  expect(elsewhereLine(back.differences)).toContain('changed it back');
  await told.said('7', back, '5.6');
  wait(61);
  expect((await lineOf({ severity: 'critical' })).id).not.toBe(first.id);
});

test('a line whose process died may stand in Slack, and is looked for there', async () => {
  const { lineOf } = await openSeven();
  const line = await lineOf({ severity: 'minor' });
  expect(await lineOf({ severity: 'minor' })).toMatchObject({ id: line.id, ts: '', mayStand: true });
});

test('what Muster changed is no difference, and a line from before takes up nothing after it', async () => {
  const { told, compare, lineOf, own } = await openSeven();
  const first = await lineOf({ title: 'Gone' });
  await own({ severity: 'major' });
  const unsaid = await lineOf({ title: 'Gone', severity: 'major' });
  expect(Object.keys(unsaid.differences)).not.toContain('severity');
  await told.said('7', unsaid, '5.6');
  await own({ label: { name: 'storage', isThere: true } });
  await own({ roles: [{ role: 'commander', userID: 'u', isHeld: true }] });
  await own({ roles: [{ role: 'commander', userID: 'u', isHeld: false }] });
  const labels = [{ key: 'tags', label: 'storage', description: '', colorHex: '' }];
  expect(await compare({ title: 'Gone', severity: 'major', labels })).toBeUndefined();
  const next = await lineOf({ title: 'Back', severity: 'major', labels });
  expect(next.id).not.toBe(first.id);
});

test('what was declared is known at once: a change that changed nothing is no news, although no card was shown', async () => {
  const { database, own, shown } = await openSeven();
  const begin = (declared?: Incident) =>
    database.withLock<NoTables, void>('journal', async trx => {
      await trx.withTables<BotTables>().deleteFrom('bot_told').execute();
      await beginTelling(trx, '7', declared);
    });
  await begin(shown({}));
  expect(await own({ status: 'active' })).toBe(false);
  expect(await own({ severity: 'major' })).toBe(true);
  await begin();
  expect(await own({ status: 'active' }), 'nobody knows what the room knows').toBe(true);
});

test('while a write of Muster’s own may be among what the API shows, nothing is decided', async () => {
  const { database, compare, own } = await openSeven();
  const intents = database.as<{ bot_intent: Record<string, unknown> }>();
  const row = {
    ...{ key: 'k', id: 'i', kind: 'incident.severity', payload: '{}', subject: '7', lane: '7', seq: 1, owner: 'T1/U1' },
    ...{ origin: '{}', caller: '', attachment: '', state: 'running', attempts: 0, ambiguous: 0, next_at: 0 },
    ...{ lease_owner: '', heartbeat: 0, tell: 'nobody', outcome: '', created_at: '', changed_at: '' },
  };
  await intents.insertInto('bot_intent').values(row).execute();
  expect(await compare({ severity: 'major' })).toBe('unsettled');
  await intents.updateTable('bot_intent').set({ state: 'pending', ambiguous: 1 }).execute();
  expect(await compare({ severity: 'major' })).toBe('unsettled');
  await own({ severity: 'major' });
  await intents.updateTable('bot_intent').set({ state: 'done', ambiguous: 0 }).execute();
  expect(await compare({ severity: 'major' })).toBeUndefined();
});

test('an incident that was changed since it was read is compared in the next round', async () => {
  const { told, shown } = await openSeven();
  expect(await told.compare(shown({ severity: 'major' }), 0)).toBeUndefined();
  expect(await told.compare(shown({ severity: 'major' }), 1)).toMatchObject({ ts: '' });
});

test('an API that names only some holders of roles takes nobody’s role', async () => {
  const { compare } = await openSeven();
  const user = { userID: 'u', name: 'Ann', photoURL: '' };
  const role = { roleID: 1, name: 'observer', description: '', important: false, mandatory: false };
  const all = { assignments: [{ user, role, roleID: 1 }], totalAssignments: 1, totalParticipants: 1 };
  const incidentMembership = Incident.parse({ incidentMembership: all }).incidentMembership;
  await compare({ incidentMembership });
  const some = { ...incidentMembership, assignments: [] };
  const line = await compare({ incidentMembership: some });
  expect(line === undefined || line === 'unsettled' ? [] : line.differences.taken).toEqual([]);
});
