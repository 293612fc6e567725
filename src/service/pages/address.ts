import type { Context as Exchange } from 'hono';
import { RpcError } from '../../contract/errors.ts';
import type { CallGate } from '../call/admit.ts';
import type { Context } from '../call/context.ts';
import { notFound } from '../call/errors.ts';
import { slackAway } from '../call/readers.ts';
import { openRecords } from '../dashboards/records.ts';
import { findIncident } from '../incidents/find.ts';
import { inward } from './document.ts';
import { toRedirect } from './responses.ts';

/**
 * The redirect to a page whose name in the address is not its own; undefined where it is right. Throws `not_found` for what the
 * reader may not see: who is in the room of an incident is asked each time, and guests read no dashboards.
 */
export async function findRightAddress(context: Context, gate: CallGate, c: Exchange): Promise<Response | undefined> {
  const { id, uid, slug } = c.req.param() as Readonly<Partial<Record<'id' | 'uid' | 'slug', string>>>;
  const { reader } = context.caller;
  const isOfDashboards = /^\/(d|dashboards)(\/|$)/.test(c.req.path);
  if (isOfDashboards && reader?.seesDashboards === false) throw new RpcError('not_found', 'Dashboard not found');
  const right =
    id !== undefined
      ? await incidentSlug(context, gate, id)
      : uid !== undefined && c.req.path.startsWith('/d/')
        ? await dashboardSlug(context, uid)
        : undefined;
  const isNamed = slug !== undefined && !c.req.path.endsWith('/model.json');
  if (!isNamed || right === undefined || slug === right) return undefined;
  const { search } = new URL(c.req.url);
  const path = c.req.path.split('/');
  return toRedirect(inward(context.options, `${path.with(path[1] === 'd' ? 3 : 5, right).join('/')}${search}`));
}

async function incidentSlug(context: Context, gate: CallGate, id: string): Promise<string> {
  const { reader } = context.caller;
  try {
    const { slug, is_private } = await findIncident(context, id);
    if (!reader) return slug;
    const incident = { incidentID: id, isPrivate: is_private === 1 };
    const isSeen = await (gate.readers()?.confirms(reader.badge.userId, incident) ?? 'away');
    if (isSeen === 'away') throw slackAway();
    if (isSeen) return slug;
    throw notFound('incident', id);
  } catch (error) {
    if (reader && error instanceof RpcError && error.code === 'not_found')
      gate.readers()?.lookAgain(reader.badge.userId, id);
    throw error;
  }
}

async function dashboardSlug(context: Context, uid: string): Promise<string | undefined> {
  const live = openRecords(context).selectFrom('dashboard').where('uid', '=', uid).where('deleted_at', 'is', null);
  return (await live.select('slug').executeTakeFirst())?.slug;
}
