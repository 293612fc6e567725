import { isNotFound, isUnread } from '../../../contract/errors.ts';
import type { Incident, IncidentPreview } from '../../../contract/incidents.ts';
import { readUnregistered } from '../../incident/acts/choices.ts';
import { roomMention } from '../../incident/state/incident-name.ts';
import { toMrkdwn } from '../../text/blocks.ts';
import { incidentSigns } from '../../text/signs.ts';
import { toOneLine } from '../../text/words.ts';
import type { Context } from '../feature/context.ts';
import type { HomeInput } from '../feature/home-part.ts';

/** Active incidents that are read at most. */
const mostActive = 50;
/** Snapshots among which the active incidents are looked for. */
const mostRemembered = 100;
/** Changes this close together may carry the same timestamp, in milliseconds. */
const sameTime = 1000;

/** Reads what the home tab of a person shows. Throws an RpcError when nothing is known. */
export async function readHomeInput(ctx: Context): Promise<HomeInput> {
  const { api, snapshots, deadlines } = ctx.deps;
  const unregistered = await readUnregistered(ctx.deps);
  try {
    const order = { orderField: 'createdTime' as const, orderDirection: 'DESC' as const };
    const { incidentPreviews, cursor } = await api.IncidentsService.QueryIncidentPreviews(
      { query: { limit: mostActive, ...order, queryString: 'status:active' }, includeMembershipPreview: true },
      { budget: deadlines.reads.asked },
    );
    const known = await readWhole(ctx, incidentPreviews);
    const whole = known.map(each => each.incident);
    return {
      ...{ active: { previews: incidentPreviews }, hasMore: cursor.hasMore, unregistered, whole },
      asOf: oldest(known.map(each => each.seenAt)),
      isOwn: await ownUsers(ctx, whole),
    };
  } catch (error) {
    if (!isUnread(error)) throw error;
    const seen = await snapshots.latest(mostRemembered);
    if (seen.length === 0 && unregistered.length === 0) throw error;
    ctx.log.warn({ err: error }, 'home tab: the API is away, showing snapshots');
    const remembered = seen.filter(({ summary }) => summary.status !== 'resolved');
    const whole = remembered.flatMap(each => (each.whole ? [each.whole.incident] : []));
    return {
      ...{ active: { remembered, error }, hasMore: false, unregistered, whole },
      asOf: oldest(remembered.map(each => each.seenAt)) ?? ctx.now,
      isOwn: await ownUsers(ctx, whole),
    };
  }
}

/** An incident, and since when it is known to be so; undefined for now. */
interface ReadIncident {
  readonly incident: Incident;
  readonly seenAt: Date | undefined;
}

/**
 * Reads whole incidents in at most two requests, so that a tab costs the API three, however many are active. An incident that has not changed
 * since it was last read costs none; one list gives the others; a single one that the list lacks is read alone. The rest waits until the tab
 * opens again.
 */
async function readWhole(ctx: Context, previews: readonly IncidentPreview[]): Promise<readonly ReadIncident[]> {
  const { api, snapshots, deadlines } = ctx.deps;
  const { IncidentsService } = api;
  const options = { budget: deadlines.reads.asked };
  const seen = await Promise.all(previews.map(async each => (await snapshots.get(each.incidentID))?.whole));
  const read = new Map<string, Incident>();
  for (const [at, { incidentID, modifiedTime }] of previews.entries()) {
    const { incident, seenAt } = seen[at] ?? {};
    const isSame = incident?.modifiedTime === modifiedTime && modifiedTime !== '';
    if (isSame && Number(seenAt) - Date.parse(modifiedTime) > sameTime) read.set(incidentID, incident);
  }
  const lacking = () => previews.filter(each => !read.has(each.incidentID));
  const take = async (incidents: Promise<readonly Incident[]>) => {
    try {
      for (const each of await incidents) read.set(each.incidentID, each);
    } catch (err) {
      ctx.log[isNotFound(err) ? 'debug' : 'warn']({ err }, 'home tab: could not read whole incidents');
    }
  };
  if (lacking().length > 1) {
    const query = { limit: mostActive, includeStatuses: ['active'], orderDirection: 'DESC' as const };
    await take(IncidentsService.QueryIncidents({ query }, options).then(answer => answer.incidents));
  }
  const [first] = lacking();
  if (first) await take(IncidentsService.GetIncident(first, options).then(answer => [answer.incident]));
  return previews.flatMap(({ incidentID }, at): ReadIncident | [] => {
    const incident = read.get(incidentID);
    return incident ? { incident, seenAt: undefined } : (seen[at] ?? []);
  });
}

/** An incident as the row of a task or role names it (mrkdwn). */
export async function incidentOfRow({ deps }: Context, { incidentID, title, isDrill }: Incident): Promise<string> {
  const room = roomMention(await deps.rooms.ofIncident(incidentID));
  const drill = isDrill ? `${incidentSigns.drill} Drill · ` : '';
  const name = `*#${toMrkdwn(incidentID, 40)}* ${drill}${toMrkdwn(toOneLine(title), 100)}`;
  return room === '' ? name : `${name} · ${room}`;
}

function oldest(times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.flatMap(time => (time === undefined ? [] : [time.getTime()]));
  return known.length === 0 ? undefined : new Date(Math.min(...known));
}

/** Which of the API's users in these incidents are the person. */
async function ownUsers({ deps, actor }: Context, whole: readonly Incident[]): Promise<(userID: string) => boolean> {
  const users = new Set(
    whole.flatMap(({ taskList, incidentMembership }) => [
      ...taskList.tasks.flatMap(({ assignedUser }) => (assignedUser?.userID ? [assignedUser.userID] : [])),
      ...incidentMembership.assignments.map(({ user }) => user.userID),
    ]),
  );
  const own = await Promise.all(
    [...users].map(async userID => ((await deps.people.toSlackId(userID)) === actor.userId ? [userID] : [])),
  );
  const ids = new Set(own.flat());
  return userID => ids.has(userID);
}
