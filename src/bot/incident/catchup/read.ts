import type { ActivityItem } from '../../../contract/activity.ts';
import { isUnread } from '../../../contract/errors.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { namesOf } from '../../people/directory.ts';
import { mentioned, type Words } from '../../text/blocks.ts';
import type { IncidentDeps } from '../acts/intent-kind.ts';
import { unregisteredWords } from '../acts/queued-words.ts';
import { readSeen } from '../acts/read-incident.ts';
import { toCurrentID } from '../acts/registration.ts';
import { learnSaid } from '../lines/said-elsewhere.ts';
import { commanderRole } from '../state/roles.ts';
import type { Update } from '../state/update-store.ts';
import { briefWords, type Called, mostCalled } from './brief.ts';
import { findNews, isSince } from './points.ts';

/** Items that are read at once, and how often, at most. */
const readAtOnce = 100;
const mostReads = 5;

/** Who wants to be caught up on which incident. */
interface Wanted {
  readonly incidentID: string;
  /** Undefined: everything from the start. */
  readonly since: Date | undefined;
  /** Slack id of the person whose own acts are no news; `""`: everybody's are. */
  readonly userId: string;
  readonly now: Date;
}

/** A catch-up. */
interface CatchUp {
  readonly words: Words;
  /** The timeline was read: the person knows now what is on it. */
  readonly isRead: boolean;
}

/**
 * Reads how an incident stands, and what was written down since a moment. While the API cannot be reached, how it stood when it was seen
 * last. `deps` decide what the person sees. Throws the RpcError when nothing is known.
 */
export async function readCatchUp(deps: IncidentDeps, { since, userId, now, ...wanted }: Wanted): Promise<CatchUp> {
  const incidentID = await toCurrentID(deps, wanted.incidentID);
  if (isProvisional(incidentID)) {
    const words = unregisteredWords(incidentID, await deps.journal.unfinished(incidentID), [], now);
    return { words, isRead: false };
  }
  const { incident, notice } = await readSeen(deps, incidentID, now);
  const timeline = notice === '' ? await readItems(deps, incidentID, since) : undefined;
  if (timeline) await learnSaid(deps, incident, now);
  const [latest, commander, overview, taskNumbers, called] = await Promise.all([
    deps.updates.latest(incident),
    commanderRole(deps, now),
    deps.cards.overview(incident),
    deps.taskNumbers.of(incidentID, incident.taskList.tasks),
    incident.status === 'resolved' ? [] : readCalled(deps, incidentID),
  ]);
  const news =
    timeline &&
    findNews({
      ...{ items: timeline.items, tasks: incident.taskList.tasks, since },
      // Once it is over, what ended it stands there.
      update: incident.status === 'resolved' ? '' : (latest.update?.activityItemID ?? ''),
      isOwn: await tellOwn(deps, timeline.items, userId),
    });
  const words = briefWords({
    ...{ incident, news, since, latest, commander, called, overview, taskNumbers, notice, now },
    updateBy: await nameOfGiver(deps, latest.update),
    isCut: timeline?.isCut ?? false,
    severities: deps.settings.severities,
  });
  return { words, isRead: news !== undefined };
}

/**
 * The items of a timeline that were written down since a moment, by the time they speak of, newest first. What is new stands among the
 * newest, or a page before. Undefined while they cannot be read.
 */
async function readItems(
  { api, deadlines, log }: Pick<IncidentDeps, 'api' | 'deadlines' | 'log'>,
  incidentID: string,
  since: Date | undefined,
): Promise<{ readonly items: readonly ActivityItem[]; readonly isCut: boolean } | undefined> {
  const query = { incidentID, orderDirection: 'DESC' as const, limit: readAtOnce };
  const items: ActivityItem[] = [];
  let next = '';
  try {
    for (let read = 0; read < mostReads; read += 1) {
      const { activityItems, cursor } = await api.ActivityService.QueryActivity(
        { query, cursor: { nextValue: next, hasMore: next !== '' } },
        { budget: deadlines.reads.asked },
      );
      const fresh = activityItems.filter(item => isSince(item, since));
      items.push(...fresh);
      if (!cursor.hasMore || fresh.length === 0) return { items, isCut: false };
      next = cursor.nextValue;
    }
    return { items, isCut: true };
  } catch (error) {
    if (!isUnread(error)) throw error;
    log.warn({ err: error, incident: incidentID }, 'catch-up: the timeline could not be read');
    return undefined;
  }
}

/** Who was called to an incident, each with their last answer. */
async function readCalled(
  { calls, people }: Pick<IncidentDeps, 'calls' | 'people'>,
  incidentID: string,
): Promise<readonly Called[]> {
  const standing = (await calls.ofIncident(incidentID)).filter(each => each.state !== 'withdrawn');
  const last = new Map(standing.flatMap(call => call.people.map(each => [each.user_id, each.answer] as const)));
  const names = await namesOf(people, [...last.keys()].slice(0, mostCalled));
  return [...last].map(([id, answer]) => ({ name: names.get(id) ?? 'somebody', answer }));
}

/** Tells the items that are a person's own: of a note the one who added it, else the API's user. */
async function tellOwn(
  { people }: Pick<IncidentDeps, 'people'>,
  items: readonly ActivityItem[],
  userId: string,
): Promise<(item: ActivityItem) => boolean> {
  if (userId === '') return () => false;
  const users = [...new Set(items.map(({ user }) => user.userID))].filter(id => id !== '');
  const own = new Set<string>();
  for (const id of users) if ((await people.toSlackId(id)) === userId) own.add(id);
  return ({ user, fieldValues: { addedByUser } }) =>
    typeof addedByUser === 'string' ? addedByUser === userId : own.has(user.userID);
}

/** The name of who gave an update: it is kept as a mention, and a catch-up mentions nobody. */
async function nameOfGiver({ people }: Pick<IncidentDeps, 'people'>, update: Update | undefined): Promise<string> {
  const by = update?.by ?? '';
  const id = mentioned(by);
  if (id === '') return /[<>&]/.test(by) ? '' : by;
  return (await people.find(id).catch(() => undefined))?.name ?? '';
}
