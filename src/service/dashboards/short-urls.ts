import type { Implementation } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import { maxShortPath, type ShortUrls } from '../../contract/short-urls.ts';
import { trimEnd } from '../../trim-end.ts';
import type { Context } from '../call/context.ts';
import { daysBefore, toMicros } from '../store/time.ts';
import { openRecords } from './records.ts';
import { newUid, uidPattern } from './uid.ts';

/** The most characters of a uid that the caller chooses; the documents set no limit of their own. */
const maxShortUid = 200;
const cleanupInterval = 10 * 60_000;
/** The most addresses that one cleanup deletes. */
const mostCleaned = 1000;

/** The short-URL endpoints on the database (docs/api-rules.md B). Nothing to dispose: cleanup happens on access. */
export function createShortUrls(): Implementation<typeof ShortUrls, Context> {
  let cleaned = -Infinity;

  async function cleanUp(context: Context): Promise<void> {
    const time = context.now.getTime();
    const { shortUrlDays } = context.options;
    if (time - cleaned < cleanupInterval || shortUrlDays === 0) return;
    cleaned = time;
    const db = openRecords(context.db);
    const unseen = await db
      .selectFrom('short_url')
      .select('uid')
      .where('last_seen_at', 'is', null)
      .where('created_at', '<=', toMicros(daysBefore(context.now, shortUrlDays)))
      .orderBy('created_at')
      .limit(mostCleaned)
      .execute();
    const gone = unseen.map(each => each.uid);
    if (gone.length > 0) await db.deleteFrom('short_url').where('uid', 'in', gone).execute();
  }

  return {
    async create(context, input) {
      const path = input.path.trim();
      const { rootUrl, orgID } = context.options;
      checkPath(path, rootUrl);
      if (!uidPattern.test(input.uid) || input.uid.length > maxShortUid) {
        throw refusal(
          'shorturl.invalid-uid',
          'Invalid short URL uid: use letters, digits, hyphens and underscores only',
        );
      }
      await cleanUp(context);
      const uid = input.uid || newUid();
      const { numInsertedOrUpdatedRows } = await openRecords(context.db)
        .insertInto('short_url')
        .values({
          uid,
          path,
          created_at: toMicros(context.now),
          created_by: context.caller.userID,
          last_seen_at: null,
        })
        .onConflict(conflict => conflict.column('uid').doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows !== 1n) {
        throw new RpcError('conflict', 'A short URL with this uid already exists', { reason: 'shorturl.conflict' });
      }
      return { uid, url: `${withoutSlash(rootUrl)}/goto/${uid}?orgId=${orgID}` };
    },

    async goto(context, { uid }) {
      await cleanUp(context);
      const db = openRecords(context.db);
      const row = uidPattern.test(uid)
        ? await db.selectFrom('short_url').select(['path', 'last_seen_at']).where('uid', '=', uid).executeTakeFirst()
        : undefined;
      const location = row && toLocation(row.path, context.options.rootUrl);
      if (location === undefined) throw new RpcError('not_found', 'Not found');
      if (row?.last_seen_at === null) {
        await db
          .updateTable('short_url')
          .set({ last_seen_at: toMicros(context.now) })
          .where('uid', '=', uid)
          .execute();
      }
      return { location };
    },
  };
}

/** The checks of docs/api-rules.md B, Validation, in their order. */
function checkPath(path: string, rootUrl: string): void {
  if (path === '') throw refusal('shorturl.bad-request', 'path is required');
  if (path.startsWith('/')) throw refusal('shorturl.absolute-path', 'Path should be relative');
  if (Buffer.byteLength(path) > maxShortPath) {
    throw refusal('shorturl.bad-request', `path is too long, max ${maxShortPath} bytes`);
  }
  const lawful = !path.includes('../') && !/\p{Cc}/u.test(path) && !/^[a-z][a-z0-9+.-]*:\/\//i.test(path);
  if (!lawful || toLocation(path, rootUrl) === undefined) {
    throw refusal('shorturl.invalid-path', 'Invalid short URL path');
  }
}

/**
 * The address below the root URL that a path leads to; undefined when a browser would leave the root. It reads paths as
 * browsers do: `%2e%2e` and a backslash climb just as `../` does.
 */
function toLocation(path: string, rootUrl: string): string | undefined {
  const root = `${withoutSlash(rootUrl)}/`;
  const target = URL.canParse(root + path) ? new URL(root + path) : undefined;
  return target?.href.startsWith(new URL(root).href) ? target.href : undefined;
}

function withoutSlash(rootUrl: string): string {
  return trimEnd(rootUrl, /\//);
}

function refusal(reason: string, message: string): RpcError {
  return new RpcError('invalid_argument', message, { reason });
}
