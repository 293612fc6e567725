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

/** Why a guest reads no dashboard, the same for one that there is and one that there is not. */
const forMembers =
  'You are a guest in this workspace. The page of an incident names the dashboards that were linked to it; ask a full member to show you one.';

/**
 * The redirect to a page whose name in the address is not its own; undefined where it is right. Throws `not_found` for what the
 * reader may not see: who is in the room of an incident is asked each time. Throws `permission_denied` for dashboards that a guest asks for.
 */
export async function findRightAddress(context: Context, gate: CallGate, c: Exchange): Promise<Response | undefined> {
  const { id, uid, slug } = c.req.param() as Readonly<Partial<Record<'id' | 'uid' | 'slug', string>>>;
  const { reader } = context.caller;
  const isOfDashboards = /^\/(d|dashboards)(\/|$)/.test(c.req.path);
  if (isOfDashboards && reader?.seesDashboards === false) throw new RpcError('permission_denied', forMembers);
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
    const isHidden = reader && error instanceof RpcError && error.code === 'not_found';
    if (isHidden) gate.readers()?.lookAgain(reader.badge.userId, id);
    // Whether there is such an incident or not, nobody can tell that they may not see it.
    throw isHidden && reader.leftOut > 0 ? slackAway() : error;
  }
}

async function dashboardSlug(context: Context, uid: string): Promise<string | undefined> {
  const live = openRecords(context).selectFrom('dashboard').where('uid', '=', uid).where('deleted_at', 'is', null);
  return (await live.select('slug').executeTakeFirst())?.slug;
}
