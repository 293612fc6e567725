import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createGoneIncidents } from '../../../src/bot/bot.ts';
import { RpcError } from '../../../src/contract/errors.ts';
import type { Database } from '../../../src/db/database.ts';
import { openBotDatabase } from '../../support/fresh-database.ts';

const now = new Date('2026-11-24T09:00:00Z');
/** Tables whose rows have a time of their own, and one whose rows go with those of another table. */
const ownTime = ['bot_intent', 'bot_delivery', 'bot_draft', 'bot_message_note'];

/** The bot's tables with a row for each incident, or for each channel, as the schema has them: a new one is among them. */
async function findTables(database: Database, key: 'incident_id' | 'channel_id') {
  const tables = await database.as().introspection.getTables();
  return tables.filter(
    ({ name, columns }) =>
      name.startsWith('bot_') && !ownTime.includes(name) && columns.some(each => each.name === key),
  );
}

/** The incidents 7 and 8 with rows everywhere; the API has 8 alone. `channel` is that of incident 7. */
async function openWorld(days: number, channel = 'C7') {
  const database = await openBotDatabase(now);
  const ofIncidents = await findTables(database, 'incident_id');
  const ofChannels = (await findTables(database, 'channel_id')).filter(each => each.name !== 'bot_room');
  const add = async (tables: typeof ofIncidents, known: Readonly<Record<string, string>>) => {
    for (const { name, columns } of tables) {
      const values = columns.map((column, at) => {
        if (!/text|char/i.test(column.dataType)) return Number(known.incident_id ?? 1);
        return known[column.name] ?? `${at} of ${known.incident_id}`;
      });
      await database.single(db =>
        sql`insert into ${sql.table(name)} (${sql.join(columns.map(each => sql.ref(each.name)))}) values (${sql.join(values)})`.execute(
          db,
        ),
      );
    }
  };
  const room = { team_id: 'T1', created_at: '2020-01-01T00:00:00.000Z' };
  await add(ofIncidents, { ...room, incident_id: '7', channel_id: channel });
  await add(ofIncidents, { ...room, incident_id: '8', channel_id: 'C8' });
  for (const channel_id of ['C7', 'C8']) await add(ofChannels, { team_id: 'T1', channel_id });
  const GetIncident = async ({ incidentID }: { readonly incidentID: string }) => {
    if (incidentID === '7') throw new RpcError('not_found', 'There is no incident 7.');
    return {};
  };
  const api = { IncidentsService: { GetIncident } };
  const left = async (key: 'incident_id' | 'channel_id') => {
    const found: Record<string, unknown[]> = {};
    for (const { name } of key === 'incident_id' ? ofIncidents : ofChannels) {
      const { rows } = await sql<{
        key: unknown;
      }>`select ${sql.ref(key)} as key from ${sql.table(name)} order by 1`.execute(database.as());
      found[name] = rows.map(each => each.key);
    }
    return found;
  };
  const all = (tables: typeof ofIncidents, keys: readonly string[]) =>
    Object.fromEntries(tables.map(each => [each.name, keys]));
  return { gone: createGoneIncidents({ database, api, days }), ofIncidents, ofChannels, left, all };
}

test('nothing is kept of an incident that the API has no more, nor of its channel; another one stays whole', async () => {
  const { gone, ofIncidents, ofChannels, left, all } = await openWorld(30);
  expect([ofIncidents.length, ofChannels.length]).toEqual([expect.toSatisfy(count => count > 6), 2]);
  expect(await left('incident_id')).toEqual(all(ofIncidents, ['7', '8']));
  expect(await gone.purge(now)).toBe(1);
  expect(await left('incident_id')).toEqual(all(ofIncidents, ['8']));
  expect(await left('channel_id')).toEqual(all(ofChannels, ['C8']));
  expect(await gone.purge(now)).toBe(0);
});

test('a channel in which another incident lives is not forgotten', async () => {
  const { gone, ofIncidents, ofChannels, left, all } = await openWorld(30, 'C8');
  expect(await gone.purge(now)).toBe(1);
  expect(await left('incident_id')).toEqual(all(ofIncidents, ['8']));
  expect(await left('channel_id')).toEqual(all(ofChannels, ['C7', 'C8']));
});

test('without a retention nothing is forgotten', async () => {
  const { gone, ofIncidents, left, all } = await openWorld(0);
  expect(await gone.purge(now)).toBe(0);
  expect(await left('incident_id')).toEqual(all(ofIncidents, ['7', '8']));
});
