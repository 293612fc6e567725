import { expect, test } from 'vitest';
import { homeTables, moveHome } from '../../../src/bot/bot.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import type { Slack } from '../../../src/bot/slack/clients.ts';
import { openBotDatabase } from '../../support/fresh-database.ts';

const now = new Date('2026-03-02T14:00:00Z');
const claimed = { match_user_id: '', matched_by: '' as const, matched_at: 0, claimed_at: 1 };

/** What two workspaces and their organisation have stored of people. */
async function openStored() {
  const database = await openBotDatabase(now);
  const db = database.as<BotTables>();
  const accounts = [
    ['T1', 'U1', 'a'],
    ['T2', 'W2', 'b'],
    ['E1', 'U3', 'c'],
    ['T1', 'U3', 'older'],
    ['T9', 'U9', 'z'],
  ] as const;
  for (const [team_id, user_id, claimed_user_id] of accounts) {
    const account = { ...claimed, team_id, user_id, claimed_user_id, claimed_name: claimed_user_id };
    await db.insertInto('bot_account').values(account).execute();
  }
  const read = async () => {
    const rows = await db.selectFrom('bot_account').selectAll().orderBy('claimed_user_id').execute();
    return rows.map(row => [row.team_id, row.user_id, row.claimed_user_id]);
  };
  const move = (teamId: string, formerHomes: readonly string[]) =>
    moveHome(database, { identity: { teamId }, workspaces: { formerHomes } } as unknown as Slack);
  return { database, read, move };
}

test('an organisation takes over what its workspaces stored, once, and keeps its own', async () => {
  const { read, move } = await openStored();
  const moved = [
    ['E1', 'U1', 'a'],
    ['E1', 'W2', 'b'],
    ['E1', 'U3', 'c'],
    ['T9', 'U9', 'z'],
  ];
  await move('E1', ['T1', 'T2']);
  expect(await read()).toEqual(moved);
  await move('E1', ['T1', 'T2']);
  expect(await read()).toEqual(moved);
});

test('a workspace takes over what its organisation stored', async () => {
  const { read, move } = await openStored();
  await move('T1', ['E1']);
  expect(await read()).toEqual([
    ['T1', 'U1', 'a'],
    ['T2', 'W2', 'b'],
    ['T1', 'U3', 'older'],
    ['T9', 'U9', 'z'],
  ]);
});

test('a workspace without an organisation takes over nothing', async () => {
  const { read, move } = await openStored();
  const before = await read();
  await move('T1', []);
  expect(await read()).toEqual(before);
});

test('every table that is kept for a home is moved, but people, whom Slack describes again', async () => {
  const { database } = await openStored();
  const all = await database.as<BotTables>().introspection.getTables();
  const ofHome = all.filter(table => table.columns.some(column => column.name === 'team_id')).map(table => table.name);
  expect(ofHome.filter(name => name !== 'bot_person').toSorted()).toEqual(Object.keys(homeTables).toSorted());
});
