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

/** Which incidents link to a dashboard, of those that the caller may see; `""` when none does. */
export async function linkedFrom(context: Context, uid: string): Promise<Html | string> {
  const shortUids = await findShortLinks(context, uid);
  const links = await context.db
    .selectFrom('activity')
    .innerJoin('incident', 'incident.id', 'activity.incident_id')
    .select(['incident.id', 'incident.title', 'activity.context_folded'])
    .where('activity.context_folded', '<>', sql.lit(''))
    .where(({ eb, or }) =>
      or([eb('activity.context_folded', 'like', '%/d/%'), eb('activity.context_folded', 'like', '%/goto/%')]),
    )
    .where('incident.id', 'in', select =>
      select
        .selectFrom('incident')
        .select('incident.id')
        .where(isVisibleTo(context.caller))
        .orderBy('incident.id', 'desc')
        .limit(mostIncidents),
    )
    .orderBy('incident.id', 'desc')
    .execute();
  const isTo = (address: string) =>
    [...address.matchAll(/\/(d|goto)\/([\w-]+)/g)].some(([, kind, name = '']) =>
      kind === 'd' ? name === fold(uid) : shortUids.has(name),
    );
  const titles = new Map(links.filter(each => isTo(each.context_folded)).map(({ id, title }) => [id, title]));
  if (titles.size === 0) return '';
  const marks = [...titles]
    .slice(0, mostNamed)
    .map(
      ([id, title], index) =>
        html`${index === 0 ? '' : ', '}<a href="${inward(context.options, `/a/${defaultPluginID}/incidents/${id}`)}" title="${toOneLine(title, 200)}">#${id}</a>`,
    );
  const more = titles.size > mostNamed ? ` and ${titles.size - mostNamed} more` : '';
  return html`<p class="quiet">Linked from ${marks}${more}</p>`;
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
