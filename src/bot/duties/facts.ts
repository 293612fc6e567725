import type { Incident } from '../../contract/incidents.ts';
import { isMistake } from '../../contract/mistakes.ts';
import type { Database } from '../../db/database.ts';
import { isAnswered, readCalls } from '../incident/state/call-store.ts';
import { usersHolding } from '../incident/state/roles.ts';
import { isClosed } from '../incident/state/room-mention.ts';
import type { Room, Rooms } from '../incident/state/room-store.ts';
import type { Settings } from '../incident/state/settings.ts';
import type { Update, Updates } from '../incident/state/update-store.ts';
import type { People } from '../people/directory.ts';
import type { BotTables } from '../schema/tables.ts';
import { mentioned } from '../text/blocks.ts';
import type { DutyFacts } from './rules.ts';

/** What reading the facts needs. */
export interface FactDeps {
  readonly database: Database;
  readonly rooms: Pick<Rooms, 'ofIncident'>;
  readonly updates: Pick<Updates, 'latest'>;
  readonly people: Pick<People, 'toSlackId'>;
  readonly settings: Pick<Settings, 'severities' | 'reminders' | 'callAfter'>;
  /** The kinds of intents that say something first of an incident. */
  readonly sayingKinds: readonly string[];
  /** The name of the role that leads an incident; `""` for none. */
  commanderRole(): Promise<string>;
}

/** Tasks of an incident whose owners are reminded. */
const mostTasks = 100;

/** What is known of an incident that decides what is owed; undefined where nobody is reminded. */
export async function readFacts(deps: FactDeps, incident: Incident, now: Date): Promise<DutyFacts | undefined> {
  const { rooms, updates, settings } = deps;
  const { incidentID, status, severity, closedTime, createdTime } = incident;
  const room = await rooms.ofIncident(incidentID);
  const mode = room?.reminders || settings.reminders.mode;
  if (mode === 'off') return undefined;
  const [{ update }, commander, saying, acted, calls] = await Promise.all([
    updates.latest(incident),
    deps.commanderRole(),
    isSaying(deps, incidentID),
    lastAct(deps.database, incidentID),
    unansweredCalls(deps, incidentID),
  ]);
  const leaders = await leadersOf(deps, incident, commander);
  const at = settings.severities.findIndex(each => each.toLowerCase() === severity.toLowerCase());
  const isGravest = at === settings.severities.length - 1;
  return {
    now: now.getTime(),
    isActive: status !== 'resolved',
    isMistake: isMistake(incident),
    severity: at === 0 ? 'mildest' : isGravest ? 'gravest' : 'below',
    mode,
    room: roomState(room),
    endedAt: timeOf(closedTime),
    leaders: leaders.filter(each => each !== ''),
    isLeaderless: commander !== '' && leaders.length === 0,
    promise: saying ? undefined : promiseOf(update),
    calls,
    actedAt: Math.max(timeOf(createdTime), update?.at.getTime() ?? 0, acted),
    tasks: await tasksOf(deps, incident),
  };
}

function roomState(room: Room | undefined): DutyFacts['room'] {
  if (room === undefined || room.channelId === '') return 'none';
  return isClosed(room) ? 'closed' : 'open';
}

/** An RFC 3339 time in epoch milliseconds; 0 for none. */
function timeOf(time: string): number {
  return Date.parse(time) || 0;
}

/** Those who lead, by their Slack ids; `""` for one whom Slack does not know. */
async function leadersOf({ people }: FactDeps, incident: Incident, commander: string): Promise<readonly string[]> {
  return await Promise.all(usersHolding(incident, commander).map(({ userID }) => people.toSlackId(userID)));
}

function promiseOf(update: Update | undefined): DutyFacts['promise'] {
  if (update?.nextAt === undefined) return undefined;
  const { activityItemID: about, by, at, nextAt } = update;
  return { about, by: mentioned(by), since: at.getTime(), due: nextAt.getTime() };
}

async function tasksOf({ people }: FactDeps, { taskList }: Incident): Promise<DutyFacts['tasks']> {
  const open = taskList.tasks.filter(each => each.status !== 'done' && each.assignedUser?.userID);
  const found = await Promise.all(
    open.slice(0, mostTasks).map(async ({ taskID, assignedUser, modifiedTime, createdTime }) => {
      const movedAt = timeOf(modifiedTime) || timeOf(createdTime);
      return { taskID, userId: await people.toSlackId(assignedUser?.userID ?? ''), movedAt };
    }),
  );
  return found.filter(each => each.userId !== '');
}

/** The calls that people made and nobody has answered. Calls of chains are left out: their next step has a time of its own. */
async function unansweredCalls({ database, settings }: FactDeps, incidentID: string): Promise<DutyFacts['calls']> {
  const calls = await readCalls(database.as<BotTables>(), rows =>
    rows.where('call.incident_id', '=', incidentID).where('call.state', '=', 'open').where('call.caller', '!=', ''),
  );
  const unanswered = calls.filter(call => call.people.length > 0 && !isAnswered(call));
  const wait = settings.callAfter * 60_000;
  return unanswered.map(({ id, caller, begun_at: since }) => ({ id, caller, since, due: since + wait }));
}

/** Whether somebody has said something that the API is yet to take: nobody is asked for it again. */
async function isSaying({ database, sayingKinds }: FactDeps, incidentID: string): Promise<boolean> {
  const row = await database
    .as<BotTables>()
    .selectFrom('bot_intent')
    .select('id')
    .where('subject', '=', incidentID)
    .where('kind', 'in', ['', ...sayingKinds])
    .where('state', 'in', ['pending', 'running'])
    .executeTakeFirst();
  return row !== undefined;
}

/** When somebody last acted on an incident, here or elsewhere, in epoch milliseconds; 0 for never. */
async function lastAct(database: Database, incidentID: string): Promise<number> {
  const db = database.as<BotTables>();
  const [intent, line] = await Promise.all([
    db
      .selectFrom('bot_intent')
      .select(({ fn }) => fn.max('created_at').as('at'))
      .where('subject', '=', incidentID)
      .where('owner', 'not like', '%/')
      .executeTakeFirst(),
    db
      .selectFrom('bot_line')
      .select(({ fn }) => fn.max('done_at').as('at'))
      .where('incident_id', '=', incidentID)
      .where('id', 'like', 'elsewhere/%')
      .executeTakeFirst(),
  ]);
  return Math.max(timeOf(intent?.at ?? ''), Number(line?.at ?? 0));
}
