import { expect, test } from 'vitest';
import { tellOfElsewhere } from '../../../../../src/bot/incident/lines/elsewhere.ts';
import { beginComparing, KnownStates, recordOwnChange } from '../../../../../src/bot/incident/lines/known-state.ts';
import { openLines } from '../../../../../src/bot/incident/lines/store.ts';
import { createRooms } from '../../../../../src/bot/incident/state/room-store.ts';
import { laneLock } from '../../../../../src/bot/journal/rows.ts';
import type { BotTables } from '../../../../../src/bot/schema/tables.ts';
import { Incident } from '../../../../../src/contract/incidents.ts';
import type { NoTables } from '../../../../../src/db/engine.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

const room = { ...roomSeven, announcementChannelId: 'C9', announcementTs: '1.1' };

/** Incident 7, whose readers know that it is active, pending, and called “Disk is full”. */
async function openSeven() {
  const now = new Date('2026-03-02T14:00:00Z');
  const database = await openBotDatabase(now);
  const clock = () => now;
  await createRooms(database, clock).keep(room);
  const knownStates = new KnownStates({ database, kinds: ['incident.severity'] });
  const lines = openLines(database, clock);
  const shown = (facts: Partial<Incident>) =>
    Incident.parse({ incidentID: '7', title: 'Disk is full', status: 'active', severity: 'pending', ...facts });
  const deps = { knownStates, clock, settings: { severities: ['pending', 'minor', 'major'], call: [] } };
  /** Reads the incident at that version, and returns what people are to read that they were not before. */
  const notice = async (facts: Partial<Incident>, version = 1) => {
    const before = await all();
    const reception = await tellOfElsewhere(deps as never, room, shown(facts), { version, outcome: undefined });
    if (reception === 'unsettled') return [reception];
    return (await all()).slice(before.length);
  };
  const all = async () => {
    const rows = await database.as<BotTables>().selectFrom('bot_line').selectAll().orderBy('seq').execute();
    return rows.map(({ place, words }) => `${place}: ${words}`);
  };
  const own = async (change: Parameters<typeof recordOwnChange>[2]) => {
    const noted = await database.withLock<NoTables, Awaited<ReturnType<typeof recordOwnChange>>>(laneLock(['7']), trx =>
      recordOwnChange(trx, '7', change),
    );
    return noted && JSON.stringify(noted.before) !== JSON.stringify(noted.after);
  };
  await database.withLock<NoTables, void>(laneLock(['7']), trx => beginComparing(trx, '7'));
  expect(await notice({}), 'the card shows how it begins').toEqual([]);
  return { database, lines, notice, own, shown };
}

test('what changed elsewhere is one line for the room, and one for outsiders where it matters to them', async () => {
  const { notice } = await openSeven();
  expect(await notice({ severity: 'minor', title: 'Gone' })).toEqual([
    'room: 📡 Outside Slack, somebody set the severity from pending to *minor*; renamed the incident to “Gone”.',
    'announcement: 🟠 *#7 Gone* went from pending to *minor* – <#C1>',
  ]);
  expect(await notice({ severity: 'minor', title: 'Gone' })).toEqual([]);
  expect(await notice({ title: 'Gone' })).toEqual([
    'room: 📡 Outside Slack, somebody set the severity from minor to *pending*.',
  ]);
});

test('what Muster changed is no difference', async () => {
  const { notice, own } = await openSeven();
  await own({ severity: 'major' });
  await own({ label: { name: 'storage', isThere: true } });
  await own({ roles: [{ role: 'commander', userID: 'u', isHeld: true }] });
  await own({ roles: [{ role: 'commander', userID: 'u', isHeld: false }] });
  const labels = [{ key: 'tags', label: 'storage', description: '', colorHex: '' }];
  expect(await notice({ severity: 'major', labels })).toEqual([]);
  expect(await notice({ title: 'Gone', severity: 'major', labels })).toEqual([
    'room: 📡 Outside Slack, somebody renamed the incident to “Gone”.',
  ]);
});

test('what was declared is known at once: a change that changed nothing is no news, although no card was shown', async () => {
  const { database, own, shown } = await openSeven();
  const begin = (declared?: Incident) =>
    database.withLock<NoTables, void>(laneLock(['7']), async trx => {
      await trx.withTables<BotTables>().deleteFrom('bot_known_state').execute();
      await beginComparing(trx, '7', declared);
    });
  await begin(shown({}));
  expect(await own({ status: 'active' })).toBe(false);
  expect(await own({ severity: 'major' })).toBe(true);
  await begin();
  expect(await own({ status: 'active' }), 'nobody knows what they know').toBeUndefined();
});

test('while a write of Muster’s own may be among what the API shows, nothing is decided', async () => {
  const { database, notice, own } = await openSeven();
  const intents = database.as<{ bot_intent: Record<string, unknown> }>();
  const row = {
    ...{ key: 'k', id: 'i', kind: 'incident.severity', payload: '{}', subject: '7', lane: '7', seq: 1, owner: 'T1/U1' },
    ...{ origin: '{}', caller: '', attachment: '', state: 'running', attempts: 0, ambiguous: 0, next_at: 0 },
    ...{ lease_owner: '', heartbeat: 0, tell: 'nobody', outcome: '', created_at: '', changed_at: '' },
  };
  await intents.insertInto('bot_intent').values(row).execute();
  expect(await notice({ severity: 'major' })).toEqual(['unsettled']);
  await intents.updateTable('bot_intent').set({ state: 'pending', ambiguous: 1 }).execute();
  expect(await notice({ severity: 'major' })).toEqual(['unsettled']);
  await own({ severity: 'major' });
  await intents.updateTable('bot_intent').set({ state: 'done', ambiguous: 0 }).execute();
  expect(await notice({ severity: 'major' })).toEqual([]);
});

test('an incident that was changed since it was read is compared in the next round', async () => {
  const { notice } = await openSeven();
  expect(await notice({ severity: 'major' }, 0)).toEqual([]);
  expect(await notice({ severity: 'major' })).toHaveLength(2);
});

test('an API that names only some holders of roles takes nobody’s role', async () => {
  const { notice } = await openSeven();
  const user = { userID: 'u', name: 'Ann', photoURL: '' };
  const role = { roleID: 1, name: 'observer', description: '', important: false, mandatory: false };
  const all = { assignments: [{ user, role, roleID: 1 }], totalAssignments: 1, totalParticipants: 1 };
  const incidentMembership = Incident.parse({ incidentMembership: all }).incidentMembership;
  expect(await notice({ incidentMembership })).toHaveLength(1);
  expect(await notice({ incidentMembership: { ...incidentMembership, assignments: [] } })).toEqual([]);
});
