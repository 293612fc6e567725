import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { BotTables } from './schema/tables.ts';
import type { Slack } from './slack/clients.ts';

/** What is kept for a home, with what names a row there. People are left out: Slack describes them again. */
export const homeTables = {
  bot_room: [],
  bot_message_note: [],
  bot_draft: [],
  bot_account: ['user_id'],
  bot_greeting: ['user_id'],
  bot_channel: ['channel_id'],
  bot_channel_member: ['channel_id', 'user_id'],
} as const satisfies Partial<Readonly<Record<keyof BotTables, readonly string[]>>>;

/**
 * Gives this home what an earlier installation in the same organisation stored: an app of one workspace may have become one of all of
 * them, or the other way round. What the home has already stays. It changes nothing when it is called again.
 */
export async function moveHome(
  database: Database,
  { identity, workspaces }: Pick<Slack, 'identity' | 'workspaces'>,
): Promise<void> {
  const { teamId: home } = identity;
  const former = workspaces.formerHomes;
  if (former.length === 0) return;
  await database.withLock<BotTables, void>('move-home', async db => {
    const isFormer = sql`team_id in (${sql.join(former)})`;
    for (const [name, keys] of Object.entries(homeTables)) {
      const table = sql.table(name);
      const isSame = keys.map(key => sql`kept.${sql.ref(key)} = ${table}.${sql.ref(key)}`);
      if (isSame.length > 0) {
        await sql`delete from ${table} where ${isFormer} and exists (
          select 1 from ${table} as kept where kept.team_id = ${home} and ${sql.join(isSame, sql` and `)})`.execute(db);
      }
      await sql`update ${table} set team_id = ${home} where ${isFormer}`.execute(db);
    }
    // The journal knows a person by home and id.
    for (const id of former) {
      await sql`update bot_intent set owner = ${`${home}/`} || substr(owner, ${sql.lit(id.length + 2)})
        where owner like ${`${id}/%`}`.execute(db);
    }
  });
}
