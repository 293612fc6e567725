import { RpcError } from '../../contract/errors.ts';
import { isUnfinished } from '../schema/intents.ts';
import { provisionalMark } from './provisional-id.ts';
import { encodeError, type Rows, toTime } from './rows.ts';

/** Final intents that are deleted in one transaction, at most. */
export const purgedTogether = 500;

/** The final intents to delete: all that match everything that is given. */
export interface Purged {
  /** Changed last before this moment. */
  readonly before?: Date;
  readonly subject?: string;
  /** A user id; the owner begins with a workspace's. */
  readonly person?: string;
}

const neverRegistered = encodeError(
  new RpcError('failed_precondition', 'the incident was never registered, and this waited for a week'),
);

/** Fails the intents that wait for a registration that nobody retried, submitted before that moment. */
export async function giveUp({ single, now }: Rows, before: Date): Promise<void> {
  const failed = { state: 'failed', outcome: neverRegistered, tell: 'message' } as const;
  await single(some =>
    some
      .updateTable('bot_intent')
      .set({ ...failed, changed_at: toTime(now()) })
      .where(isUnfinished)
      .where('state', '=', 'pending')
      .where('lane', 'like', `${provisionalMark}%`)
      .where('seq', '>', 0)
      .where('created_at', '<', before.toISOString())
      .execute(),
  );
}

/** Deletes final intents that nobody has to be told of, at most {@link purgedTogether}; returns how many. */
export async function purge({ single }: Rows, those: Purged): Promise<number> {
  const { numDeletedRows } = await single(some => {
    let ended = some.selectFrom('bot_intent').select('key').where('state', 'in', ['done', 'failed', 'discarded']);
    if (those.before) ended = ended.where('changed_at', '<', those.before.toISOString());
    if (those.subject) ended = ended.where('subject', '=', those.subject);
    if (those.person) ended = ended.where('owner', 'like', `%/${those.person}`);
    const keys = ended.where('tell', '=', 'nobody').limit(purgedTogether);
    return some.deleteFrom('bot_intent').where('key', 'in', keys).executeTakeFirstOrThrow();
  });
  return Number(numDeletedRows);
}
