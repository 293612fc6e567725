import type { DashboardTables } from './dashboards.ts';
import type { Db } from './tables.ts';

/** The most links of one statement: SQLite takes 32,766 values. */
const linksAtOnce = 500;

/**
 * Marks the short links that texts of a timeline name as seen, so that they are not forgotten (docs/api-rules.md B, Cleanup). It is done
 * when the text is stored: to search timelines later would delay all calls.
 */
export async function keepNamedLinks(db: Db, texts: readonly string[], last_seen_at: number): Promise<void> {
  const found = texts.flatMap(text => [...text.matchAll(/\/goto\/([\w-]+)/g)].map(([, uid = '']) => uid));
  const uids = [...new Set(found)];
  for (let at = 0; at < uids.length; at += linksAtOnce) {
    await db
      .withTables<DashboardTables>()
      .updateTable('short_url')
      .set({ last_seen_at })
      .where('uid', 'in', uids.slice(at, at + linksAtOnce))
      .where('last_seen_at', 'is', null)
      .execute();
  }
}
