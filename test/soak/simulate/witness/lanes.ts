import { sql } from 'kysely';
import { botMigrations } from '../../../../src/bot/schema/migrations.ts';
import type { Database } from '../../../../src/db/database.ts';
import { migrate } from '../../../../src/db/migrate.ts';

/** Where the database notes that two intents of a lane ran at once, and that a lane waits behind what the API refused. */
export type LaneTables = {
  two_runners: { lane: string; one: string; other: string };
  held_by_refusal: { lane: string; kind: string; code: string };
};

/** Makes the bots' tables, and lets the database watch the lanes: it sees every statement, in its order. */
export async function watchLanes(database: Database, now: Date): Promise<void> {
  await migrate(database, 'bot', botMigrations, now);
  const db = database.as();
  await sql`create table two_runners (lane text, one text, other text)`.execute(db);
  await sql`create table held_by_refusal (lane text, kind text, code text)`.execute(db);
  await sql`
    create trigger lanes_held after update on bot_intent
    when old.state = 'running' and new.state = 'pending' and new.outcome <> old.outcome and json_valid(new.outcome) and json_extract(new.outcome, '$.code') in (
      'invalid_argument', 'permission_denied', 'not_found', 'already_exists', 'failed_precondition'
    ) begin
      insert into held_by_refusal values (new.lane, new.kind, json_extract(new.outcome, '$.code'));
    end`.execute(db);
  for (const event of ['insert', 'update']) {
    await sql`
      create trigger ${sql.id(`lanes_${event}`)} after ${sql.raw(event)} on bot_intent when new.state = 'running' begin
        insert into two_runners
        select new.lane, new.kind || ' of ' || new.lease_owner, kind || ' of ' || lease_owner from bot_intent
        where lane = new.lane and state = 'running' and id <> new.id;
      end`.execute(db);
  }
}
