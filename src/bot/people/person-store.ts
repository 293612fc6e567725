import type { DeleteResult } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import { definePrepared } from '../../db/prepared.ts';
import { keepFor } from '../keep-for.ts';
import type { BotTables } from '../schema/tables.ts';
import type { Person } from './person.ts';

/** What Slack said of a person, and when. */
export interface Known {
  readonly person: Person;
  /** Slack's own number of this state, in seconds; 0 for none. */
  readonly updated: number;
  /** Epoch milliseconds. */
  readonly seenAt: number;
}

/** Keeps what Slack said of people, without their e-mail addresses and photos. A database that fails is logged, never thrown. */
export type PersonStore = ReturnType<typeof createPersonStore>;

const findPerson = definePrepared<BotTables, { teamId: string; userId: string }, BotTables['bot_person']>(
  (db, { teamId, userId }) =>
    db.selectFrom('bot_person').selectAll().where('team_id', '=', teamId).where('user_id', '=', userId),
);

/** Opens the store of the people whom a workspace sees. */
export function createPersonStore(database: Database, teamId: string, log: Logger) {
  const db = database.as<BotTables>();
  return {
    /** Undefined when Slack has not spoken of them for 90 days. */
    find: async (userId: string) => {
      try {
        const [row] = await findPerson(db, { teamId, userId });
        return row && toKnown(row);
      } catch (err) {
        log.warn({ err }, 'people: could not read what is known of a person');
        return undefined;
      }
    },
    keep: async (known: Known) => {
      const { team_id, user_id, ...news } = toRow(teamId, known);
      try {
        await database.single<BotTables, unknown>(some =>
          some
            .insertInto('bot_person')
            .values({ team_id, user_id, ...news })
            .onConflict(conflict => conflict.columns(['team_id', 'user_id']).doUpdateSet(news))
            .execute(),
        );
      } catch (err) {
        log.warn({ err }, 'people: could not store what is known of a person');
      }
    },
    /** The ids of the guests. Throws when the database fails, as the next one does. */
    guestIds: async () => {
      const rows = await db
        .selectFrom('bot_person')
        .select('user_id')
        .where('team_id', '=', teamId)
        .where('is_guest', '=', 1)
        .execute();
      return new Set(rows.map(row => row.user_id));
    },
    /** Keeps what Slack said of many people, where it has said nothing newer. */
    keepAll: async (known: readonly Known[]) => {
      const rows = known.map(each => toRow(teamId, each));
      for (let from = 0; from < rows.length; from += rowsAtOnce)
        await keepRows(database, rows.slice(from, from + rowsAtOnce));
    },
    /** Deletes people of whom Slack has not spoken for 90 days; returns how many. */
    purge: async (now: Date) => {
      const { numDeletedRows } = await database.single<BotTables, DeleteResult>(some =>
        some
          .deleteFrom('bot_person')
          .where('seen_at', '<', now.getTime() - keepFor.people)
          .executeTakeFirstOrThrow(),
      );
      return Number(numDeletedRows);
    },
  };
}

/** Rows of people that one statement writes. */
const rowsAtOnce = 500;

async function keepRows(database: Database, rows: readonly BotTables['bot_person'][]): Promise<void> {
  await database.single<BotTables, unknown>(some =>
    some
      .insertInto('bot_person')
      .values(rows)
      .onConflict(conflict =>
        conflict
          .columns(['team_id', 'user_id'])
          .doUpdateSet(({ ref }) => ({
            home_team_id: ref('excluded.home_team_id'),
            name: ref('excluded.name'),
            time_zone: ref('excluded.time_zone'),
            is_guest: ref('excluded.is_guest'),
            is_admin: ref('excluded.is_admin'),
            is_bot: ref('excluded.is_bot'),
            is_deleted: ref('excluded.is_deleted'),
            is_stranger: ref('excluded.is_stranger'),
            updated: ref('excluded.updated'),
            seen_at: ref('excluded.seen_at'),
          }))
          .whereRef('bot_person.seen_at', '<=', 'excluded.seen_at'),
      )
      .execute(),
  );
}

function toRow(teamId: string, { person, updated, seenAt }: Known): BotTables['bot_person'] {
  return {
    team_id: teamId,
    user_id: person.userId,
    home_team_id: person.teamId,
    name: person.name,
    time_zone: person.timeZone,
    is_guest: person.isGuest ? 1 : 0,
    is_admin: person.isAdmin ? 1 : 0,
    is_bot: person.isBot ? 1 : 0,
    is_deleted: person.isDeleted ? 1 : 0,
    is_stranger: person.isStranger ? 1 : 0,
    updated,
    seen_at: seenAt,
  };
}

function toKnown(row: BotTables['bot_person']): Known {
  const person = {
    teamId: row.home_team_id,
    userId: row.user_id,
    name: row.name,
    email: '',
    photoURL: '',
    timeZone: row.time_zone,
    isGuest: row.is_guest === 1,
    isAdmin: row.is_admin === 1,
    isBot: row.is_bot === 1,
    isDeleted: row.is_deleted === 1,
    isStranger: row.is_stranger === 1,
  };
  return { person, updated: row.updated, seenAt: row.seen_at };
}
