import type { HomeView, KnownBlock } from '@slack/types';
import { isNotFound, isUnread, RpcError } from '../../../contract/errors.ts';
import type { Incident, IncidentPreview } from '../../../contract/incidents.ts';
import { readUnregistered } from '../../incident/acts/choices.ts';
import { digest } from '../../incident/state/digests.ts';
import { roomMention } from '../../incident/state/incident-name.ts';
import { whyNot, whyNotRead } from '../../people/reach.ts';
import { isPassing, refusalLevel, slackReason, slackRefusal } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { actions, context, section, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentSigns, signs } from '../../text/signs.ts';
import { toSlackDate } from '../../text/times.ts';
import { toOneLine } from '../../text/words.ts';
import { explainRead } from '../answers/error-messages.ts';
import { learnedLines } from '../command/help.ts';
import { allCommandsButton } from '../command/help-buttons.ts';
import type { Context } from '../feature/context.ts';
import type { ShownHome } from '../feature/delivery.ts';
import { type Feature, pressable } from '../feature/feature.ts';
import { type HomeInput, type HomePart, homePlaces, nothingKnown } from '../feature/home-part.ts';

/** Paragraphs of a notice at most. */
const maxNotice = 3;

/**
 * Publishes the home tab of the person who opened it, unless it shows the same already. `notice` is above it once. A person who may
 * read nothing gets no tab, and loses the one that they had.
 */
export async function publishHome(
  ctx: Context,
  features: readonly Feature[],
  { shown, hash }: ShownHome,
  notice?: Words,
): Promise<void> {
  const { deps, actor, log } = ctx;
  const refused = whyNotRead(actor);
  if (refused !== undefined && shown === '') return;
  const make = async () =>
    toView(
      refused === undefined
        ? [...(notice ? toNotice(notice) : []), ...(await facts(ctx, features)), ...help(ctx, features)]
        : [section(refused)],
    );
  const publish = (view: HomeView, seen: string) =>
    deps.slack.web.views.publish({ user_id: actor.userId, view, ...(seen === '' ? {} : { hash: seen }) });
  try {
    const view = await make();
    if (view.private_metadata === shown) return;
    await publish(view, hash).catch(async error => {
      if (slackRefusal(error) !== 'hash_conflict') throw error;
      // Another one was published meanwhile, perhaps of older facts than there are now.
      await publish(await make(), '');
    });
  } catch (error) {
    if (notice) await ctx.answer(notice);
    if (isPassing(error) || slackRefusal(error) === undefined) throw error;
    log[refusalLevel(error)]({ reason: slackReason(error) }, 'home tab: Slack does not take it');
  }
}

/** The tab as Slack takes it. Its metadata is its digest, which Slack gives back when the tab is opened. */
function toView(blocks: readonly KnownBlock[]): HomeView {
  const shown = blocks.slice(0, slackLimits.viewBlocks);
  return { type: 'home', private_metadata: digest(shown), blocks: shown };
}

/** The receipt with its first row of buttons, which holds Undo. The other buttons are below, in their own places. */
function toNotice({ text, blocks = [section(text)] }: Words): readonly KnownBlock[] {
  const row = blocks.find(block => block.type === 'actions');
  const said = blocks.filter(block => block.type === 'section').slice(0, maxNotice);
  return [...said, ...(row ? [row] : []), { type: 'divider' }];
}

/** The parts of the features. When nothing is known of incidents, the tab says why, and one can still be declared. */
async function facts(ctx: Context, features: readonly Feature[]): Promise<readonly KnownBlock[]> {
  try {
    const read = await readHomeInput(ctx);
    const since = read.asOf;
    const stale = since
      ? `${incidentSigns.waiting} As of ${toSlackDate(since)}: ${ctx.deps.settings.apiName} does not answer.`
      : '';
    return [...(stale === '' ? [] : [context(stale)]), ...(await partsOf(ctx, features, read, homePlaces))];
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    ctx.log.warn({ err: error }, 'home tab: nothing can be read');
    return [
      section(`${signs.warning} ${explainRead(error, ctx.deps.settings.apiName)}`),
      ...(await partsOf(ctx, features, nothingKnown, ['start'])),
    ];
  }
}

async function partsOf(
  ctx: Context,
  features: readonly Feature[],
  read: HomeInput,
  places: readonly HomePart['place'][],
): Promise<readonly KnownBlock[]> {
  const parts = (await Promise.all(features.map(feature => feature.onHome?.(ctx, read) ?? []))).flat();
  return places.flatMap(place => parts.filter(each => each.place === place)).flatMap(each => each.blocks);
}

function help({ deps: { settings }, actor }: Context, features: readonly Feature[]): readonly KnownBlock[] {
  const { commandRoot } = settings;
  const isReader = whyNot(actor) !== undefined;
  const verbs = features.flatMap(each => each.verbs).filter(each => !each.meansResolved && (each.reads || !isReader));
  const text = `In *Messages* beside this tab you can write to me as you would type a command: \`declare checkout is down\`, \`list\`, \`help\`. In a channel it is \`/incident …\`, or \`/${commandRoot} …\`.`;
  return [
    { type: 'divider' },
    section(learnedLines(verbs)),
    context(text),
    actions([pressable(allCommandsButton, {})]),
  ];
}

/** Active incidents that are read at most. */
const mostActive = 50;
/** Snapshots among which the active incidents are looked for. */
const mostRemembered = 100;
/** Changes this close together may carry the same timestamp, in milliseconds. */
const sameTime = 1000;

/** Reads what the home tab of a person shows. Throws an RpcError when nothing is known. */
async function readHomeInput(ctx: Context): Promise<HomeInput> {
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
