import { trimEnd } from '../../trim-end.ts';
import type { SharedContext } from '../call/context.ts';
import { openRecords } from './records.ts';

/**
 * The dashboards of this service among addresses, by address; short links are followed. `target`: the path and query within the service,
 * without a leading slash; a short link has those of its address.
 */
export async function findLinked(
  context: SharedContext,
  urls: readonly string[],
): Promise<ReadonlyMap<string, { readonly title: string; readonly target: string }>> {
  const root = `${trimEnd(context.options.rootUrl, /\//)}/`;
  const db = openRecords(context.db);
  const own = urls
    .filter(url => url.startsWith(root))
    .map(url => ({ url, path: url.slice(root.length), short: /^goto\/([\w-]+)/.exec(url.slice(root.length))?.[1] }));
  const shorts = own.flatMap(({ short }) => short ?? []);
  const links =
    shorts.length === 0
      ? []
      : await db.selectFrom('short_url').select(['uid', 'path']).where('uid', 'in', shorts).execute();
  const targets = own.flatMap(({ url, path, short }) => {
    const target = short === undefined ? path : (links.find(each => each.uid === short)?.path ?? '');
    const uid = /^d\/([\w-]+)/.exec(target)?.[1];
    return uid === undefined ? [] : [{ url, target, uid }];
  });
  if (targets.length === 0) return new Map();
  const rows = await db
    .selectFrom('dashboard')
    .select(['uid', 'title'])
    .where('uid', 'in', [...new Set(targets.map(each => each.uid))])
    .where('deleted_at', 'is', null)
    .execute();
  const titles = new Map(rows.map(({ uid, title }) => [uid, title]));
  return new Map(
    targets.flatMap(({ url, target, uid }) => {
      const title = titles.get(uid);
      return title === undefined ? [] : [[url, { title, target }] as const];
    }),
  );
}
