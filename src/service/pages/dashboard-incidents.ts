import { html } from 'hono/html';
import { sql } from 'kysely';
import { type Context, defaultPluginID } from '../call/context.ts';
import { openRecords } from '../dashboards/records.ts';
import { isVisibleTo } from '../incidents/visibility.ts';
import { fold } from '../store/tables.ts';
import { inward } from './document.ts';
import { type Html, toOneLine } from './escape.ts';

/** The incidents whose links are looked at, newest first: older ones would cost every reader time. */
const mostIncidents = 500;
/** The most incidents that are named. */
const mostNamed = 20;

/** Which incidents link to a dashboard, of those that the caller may see; `""` when none does and all were looked at. */
export async function linkedFrom(context: Context, uid: string): Promise<Html | string> {
  const { db, caller, options } = context;
  const shortUids = await findShortLinks(context, uid);
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
  const titles = [...new Map(links.filter(each => isTo(each.context_folded)).map(({ id, title }) => [id, title]))];
  const among = older.length === 0 ? '' : `, of the newest ${mostIncidents} incidents`;
  if (titles.length === 0) return among === '' ? '' : html`<p class="quiet">Linked from none${among}</p>`;
  const marks = titles.slice(0, mostNamed).map(([id, title], index) => {
    const path = inward(options, `/a/${defaultPluginID}/incidents/${id}`);
    return html`${index === 0 ? '' : ', '}<a href="${path}" title="${toOneLine(title, 200)}">#${id}</a>`;
  });
  const more = titles.length > mostNamed ? ` and ${titles.length - mostNamed} more` : '';
  return html`<p class="quiet">Linked from ${marks}${more}${among}</p>`;
}

/** The short links that lead to a dashboard, folded as addresses of timelines are. */
async function findShortLinks(context: Context, uid: string): Promise<ReadonlySet<string>> {
  const paths = await openRecords(context)
    .selectFrom('short_url')
    .select(['uid', 'path'])
    .where('path', 'like', `d/${uid}%`)
    .execute();
  return new Set(paths.filter(({ path }) => path.split(/[/?#]/)[1] === uid).map(each => fold(each.uid)));
}
