import { expressionBuilder } from 'kysely';
import type { Implementation } from '../../contract/define.ts';
import type { User, UsersService } from '../../contract/users.ts';
import type { Context } from '../call/context.ts';
import { notFound } from '../call/errors.ts';
import type { PersonRow, Tables } from '../store/tables.ts';
import { formatTime } from '../store/time.ts';
import { type PagedList, readPage, toLimit } from './cursor.ts';

const person = expressionBuilder<Tables, 'person'>();

/** UsersService on the database: all people the service has heard of, by user id. */
export const users: Implementation<typeof UsersService, Context> = {
  async GetUser({ db }, { userID }) {
    const row = await db.selectFrom('person').selectAll().where('user_id', '=', userID).executeTakeFirst();
    if (!row) throw notFound('user', userID);
    return { user: toUser(row), error: '' };
  },
  async QueryUsers({ db }, input) {
    const listing: PagedList<PersonRow> = {
      keys: [{ column: person.ref('person.user_id'), type: 'string', of: row => row.user_id }],
      direction: 'ASC',
      limit: toLimit(input.query.limit),
      scope: ['QueryUsers'],
    };
    const page = await readPage(db.selectFrom('person').selectAll(), listing, input.cursor);
    return { users: page.rows.map(toUser), query: { limit: listing.limit }, cursor: page.cursor, error: '' };
  },
};

function toUser(row: PersonRow): User {
  return {
    userID: row.user_id,
    internalUserID: '',
    email: row.email,
    modifiedTime: formatTime(row.modified_at),
    name: row.name,
    photoURL: row.photo_url,
    grafanaUserID: '',
    grafanaLogin: '',
    slackUserID: row.slack_user_id,
    slackTeamID: row.slack_team_id,
    msTeamsUserID: '',
  };
}
