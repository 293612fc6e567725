import { sql } from 'kysely';
import type { Context } from '../call/context.ts';
import type { DashboardTables } from '../store/dashboards.ts';
import { fold } from '../store/tables.ts';
import { isVisibleTo } from './visibility.ts';

/** The incidents whose links are looked at, newest first: older ones would cost every reader time. */
const mostIncidents = 500;

/** Which incidents link to a dashboard, by its address or a short one, of those that the caller may see. */
export async function findLinking(
  { db, caller }: Context,
  uid: string,
): Promise<{
  /** Their titles by number, the newest first. */
  readonly titles: ReadonlyMap<number, string>;
  /** How many incidents were looked at, the newest ones; undefined: all. */
  readonly among: number | undefined;
}> {
  const short = await db
    .withTables<DashboardTables>()
    .selectFrom('short_url')
    .select(['uid', 'path'])
    .where('path', 'like', `d/${uid}%`)
    .execute();
  // Addresses of timelines are folded.
  const shortUids = new Set(short.filter(({ path }) => path.split(/[/?#]/)[1] === uid).map(each => fold(each.uid)));
  const older = await db
    .selectFrom('incident')
    .select('id')
    .orderBy('id', 'desc')
    .offset(mostIncidents)
    .limit(1)
    .execute();
  const links = await db
    .selectFrom('activity')
    .innerJoin('incident', 'incident.id', 'activity.incident_id')
    .select(['incident.id', 'incident.title', 'activity.context_folded'])
    .where('activity.context_folded', '<>', sql.lit(''))
    .where(({ or }) => or(['%/d/%', '%/goto/%'].map(part => sql<boolean>`activity.context_folded like ${part}`)))
    .where('incident.id', '>', older[0]?.id ?? 0)
    .where(isVisibleTo(caller))
    .orderBy('incident.id', 'desc')
    .execute();
  const isTo = (address: string) =>
    [...address.matchAll(/\/(d|goto)\/([\w-]+)/g)].some(([, kind, name = '']) =>
      kind === 'd' ? name === fold(uid) : shortUids.has(name),
    );
  const titles = new Map(links.filter(each => isTo(each.context_folded)).map(({ id, title }) => [id, title]));
  return { titles, among: older.length === 0 ? undefined : mostIncidents };
}
