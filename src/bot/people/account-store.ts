import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { AccountTable } from '../schema/accounts.ts';
import type { BotTables } from '../schema/tables.ts';

/** The user whom the API's list names for a person. */
export interface Match {
  readonly userID: string;
  readonly by: 'slack' | 'email';
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The user whom a person says to be. */
interface Claim {
  readonly userID: string;
  readonly name: string;
}

/** What is known of a person's account in the API. */
interface StoredAccount {
  readonly match: Match | undefined;
  readonly claim: Claim | undefined;
}

/** Slack ids of the people who are matched with a user, or say to be them, by the user's id in the API. */
export type Owners = ReadonlyMap<string, ReadonlySet<string>>;

/** Keeps whom the API takes people for. What is matched can be found out again, so a database that fails is only logged there. */
export interface AccountStore {
  find(userId: string): Promise<StoredAccount>;
  /** The Slack id of the person whom the API's list names as this user; `""` when it is not known. */
  findMatched(userID: string): Promise<string>;
  owners(): Promise<Owners>;
  keepMatch(userId: string, match: Match | undefined): Promise<void>;
  /** Throws when the database cannot be reached. */
  keepClaim(userId: string, claim: Claim | undefined, now: Date): Promise<void>;
}

/** Opens the store of the people of a workspace. */
export function createAccountStore(database: Database, teamId: string, log: Logger): AccountStore {
  const db = database.as<BotTables>();
  const ofTeam = () => db.selectFrom('bot_account').where('team_id', '=', teamId);

  async function quietly<T>(work: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work;
    } catch (err) {
      log.warn({ err }, 'people: could not use what is known of an account');
      return otherwise;
    }
  }

  const keep = (userId: string, news: Partial<AccountTable>) =>
    database.single<BotTables, unknown>(some =>
      some
        .insertInto('bot_account')
        .values({ ...nothing, team_id: teamId, user_id: userId, ...news })
        .onConflict(conflict => conflict.columns(['team_id', 'user_id']).doUpdateSet(news))
        .execute(),
    );

  return {
    find: async userId =>
      toStored(await quietly(ofTeam().selectAll().where('user_id', '=', userId).executeTakeFirst(), undefined)),
    findMatched: async userID => {
      const row = ofTeam().select('user_id').where('match_user_id', '=', userID).executeTakeFirst();
      return (await quietly(row, undefined))?.user_id ?? '';
    },
    owners: async () => {
      const owners = new Map<string, Set<string>>();
      for (const row of await ofTeam().selectAll().execute()) {
        for (const id of [row.match_user_id, row.claimed_user_id])
          owners.set(id, new Set([...(owners.get(id) ?? []), row.user_id]));
      }
      return owners;
    },
    keepMatch: async (userId, match) => {
      const { userID = '', by = '', at = 0 } = match ?? {};
      await quietly<unknown>(keep(userId, { match_user_id: userID, matched_by: by, matched_at: at }), undefined);
    },
    keepClaim: async (userId, claim, now) => {
      const { userID = '', name = '' } = claim ?? {};
      await keep(userId, { claimed_user_id: userID, claimed_name: name, claimed_at: now.getTime() });
    },
  };
}

const nothing = {
  match_user_id: '',
  matched_by: '',
  matched_at: 0,
  claimed_user_id: '',
  claimed_name: '',
  claimed_at: 0,
} as const;

function toStored(row: AccountTable | undefined): StoredAccount {
  const { match_user_id: userID = '', matched_by: by = '', matched_at: at = 0 } = row ?? {};
  return {
    match: userID !== '' && by !== '' ? { userID, by, at } : undefined,
    claim: row?.claimed_user_id ? { userID: row.claimed_user_id, name: row.claimed_name } : undefined,
  };
}
