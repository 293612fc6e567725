import type { ActionsBlockElement } from '@slack/types';
import type { Logger } from 'pino';
import { isNotFound, isUnread } from '../../contract/errors.ts';
import type { Incident } from '../../contract/incidents.ts';
import { isMistake } from '../../contract/mistakes.ts';
import type { Database } from '../../db/database.ts';
import type { Duties, Duty, ReminderTarget } from '../incident/acts/duties.ts';
import type { IncidentDeps } from '../incident/acts/intent-kind.ts';
import { submitAlone } from '../incident/acts/submit-alone.ts';
import { forReaders, messagesOfHour, reminderLine } from '../incident/lines/outbox.ts';
import { isAnswered, readCalls } from '../incident/state/call-store.ts';
import { laterWords } from '../incident/state/refusal-words.ts';
import { usersHolding } from '../incident/state/roles.ts';
import type { Rooms } from '../incident/state/room-store.ts';
import type { Settings } from '../incident/state/settings.ts';
import type { Update, Updates } from '../incident/state/update-store.ts';
import { RetryLater, Stopped } from '../journal/intent.ts';
import type { People } from '../people/directory.ts';
import type { Person } from '../people/person.ts';
import { leftBehind, whyOut } from '../people/reach.ts';
import type { BotTables } from '../schema/tables.ts';
import { editDirectly, findDirectly, sendDirectly } from '../slack/answer.ts';
import { isPassing, refusalLevel, retryAfter, slackReason } from '../slack/clients.ts';
import { actions, mentioned, section, sentence, type Words } from '../text/blocks.ts';
import { remindPerson } from './remind.ts';
import { type DutyFacts, decide, quietUntil, requiredDuties, stepAt } from './rules.ts';
import { DutyStore } from './store.ts';
import { ownWords, putOffWords, type ReminderContext, roomWords, settledWords } from './words.ts';

interface ReminderDeps extends FactDeps {
  readonly database: Database;
  readonly teamId: string;
  /** The rest of the bot. */
  readonly incidents: () => IncidentDeps;
  /** The buttons of the features below a reminder; `commander` is the name of the role that leads, or `""`. */
  readonly buttonsOf: (reminded: ReminderTarget & { readonly commander: string }) => readonly ActionsBlockElement[];
  readonly clock: () => Date;
  readonly log: Logger;
}

/** How long a duty waits that cannot be decided now, in milliseconds. */
const restAfterFailure = 30_000;
/** How long a duty waits while its person cannot be told and nobody else may be, in milliseconds. */
const restWhileOut = 3_600_000;

/** Reminds people of duties: looks once a second for duties that are due, and follows each incident that is shown again. */
export class Reminders implements Duties {
  readonly #deps: ReminderDeps;
  readonly #talk: RoomTalk;
  readonly store: DutyStore;

  constructor(deps: ReminderDeps) {
    this.#deps = deps;
    this.store = new DutyStore(deps);
    this.#talk = new RoomTalk(deps, this.store);
  }

  /** Resolves when all talk is noted. */
  async idle(): Promise<void> {
    await this.#talk.idle();
  }

  /** People talked in a channel. */
  hear(channelId: string): void {
    this.#talk.hear(channelId);
  }

  reopened(channelId: string): void {
    this.#talk.note(this.store.reopened(this.#deps.teamId, channelId));
  }

  /**
   * Follows an incident as the API has it now: what is owed of it, and what is not any more; `read`: what the caller
   * has read already. Never throws: its card is shown anyway.
   */
  async follow(incident: Incident, read: Partial<FactDeps>): Promise<void> {
    try {
      await this.#follow(incident, read);
    } catch (err) {
      this.#deps.log.warn({ err, incident: incident.incidentID }, 'duties: an incident could not be followed');
    }
  }

  async #follow(incident: Incident, read: Partial<FactDeps> = {}): Promise<void> {
    const { settings, clock, incidents } = this.#deps;
    const facts = await readFacts({ ...this.#deps, ...read }, incident, clock());
    const owed = (known: readonly Duty[]) => {
      const lead = known.find(each => each.kind === 'lead');
      const talkedAt = Math.max(0, ...known.map(each => each.talked_at));
      const before = { leaderlessSince: lead?.since, talkedAt, kinds: new Set(known.map(each => each.kind)) };
      return facts === undefined ? [] : requiredDuties(facts, before, settings);
    };
    const isShown = await this.store.follow(incident.incidentID, owed, settledWords);
    if (isShown) incidents().cards.refresh(incident.incidentID, true);
  }

  ofIncident(incidentID: string): Promise<readonly Duty[]> {
    return this.store.ofIncident(incidentID);
  }

  async putOff({ of, by, until, isFirst }: Parameters<Duties['putOff']>[0]): ReturnType<Duties['putOff']> {
    const counts = await this.store.putOff(of, { by, until, mark: putOffWords(by, until), isFirst });
    if (counts && of.audience === 'room') this.#deps.incidents().cards.refresh(of.incidentID, true);
    return counts;
  }

  async buttonsOf(reminded: ReminderTarget): Promise<readonly ActionsBlockElement[]> {
    return this.#deps.buttonsOf({ ...reminded, commander: await this.#deps.commanderRole() });
  }

  /** The buttons below a line that reminds of a duty; none where that is deleted. */
  async buttonsOfLine(id: string): Promise<readonly ActionsBlockElement[]> {
    const duty = await this.store.find(reminderLine.dutyOf(id) ?? '');
    if (duty === undefined) return [];
    const { incident_id: incidentID, kind, about } = duty;
    return await this.buttonsOf({ incidentID, kind, about, audience: 'room' });
  }

  /** Handles the duties that are due; happens once a second. Never throws. */
  async look(): Promise<void> {
    try {
      await Promise.all((await this.store.due()).map(incidentID => this.#lookAt(incidentID)));
    } catch (err) {
      this.#deps.log.warn({ err }, 'duties: could not look for what is due');
    }
  }

  async #lookAt(incidentID: string): Promise<void> {
    try {
      const isSettledAlone = (await this.store.dueOf(incidentID)).every(each => each.state === 'settled');
      const incident = isSettledAlone ? undefined : await this.#followNow(incidentID);
      const due = await this.store.dueOf(incidentID);
      const isTold = new Set<string>();
      for (const duty of due.filter(each => each.audience === 'room'))
        if (await this.#remindRoom(duty, incident)) isTold.add(duty.about);
      for (const duty of due.filter(each => each.audience === 'owner')) await this.#remind(duty, incident, isTold);
    } catch (err) {
      if (err instanceof Stopped) return;
      this.#deps.log.warn({ err, incident: incidentID }, 'duties: an incident is looked at again later');
      const later = this.#now() + restAfterFailure;
      for (const duty of await this.store.dueOf(incidentID)) await this.store.postpone(duty, later);
    }
  }

  #now(): number {
    return this.#deps.clock().getTime();
  }

  /**
   * Follows an incident as it is now, since an act that ends a duty may have been done elsewhere a moment ago. Undefined when there is none
   * any more. Throws while nothing is known of it.
   */
  async #followNow(incidentID: string): Promise<Incident | undefined> {
    const { api, snapshots, deadlines } = this.#deps.incidents();
    try {
      const { incident } = await api.IncidentsService.GetIncident({ incidentID }, { budget: deadlines.reads.aside });
      await this.#follow(incident);
      return incident;
    } catch (error) {
      if (isNotFound(error)) {
        await this.store.follow(incidentID, () => [], settledWords);
        return undefined;
      }
      const known = isUnread(error) ? (await snapshots.get(incidentID))?.whole : undefined;
      if (known === undefined) throw error;
      await this.#follow(known.incident);
      return known.incident;
    }
  }

  /**
   * Reminds a person in a direct message; where they cannot be told, the room. `isTold` has the updates that the room is reminded of at this
   * moment.
   */
  async #remind(duty: Duty, incident: Incident | undefined, isTold: ReadonlySet<string>): Promise<void> {
    if (duty.state === 'settled') return this.#settle(duty);
    const person = duty.passed_to === '' ? await this.#findReached(duty) : undefined;
    if (person === undefined) {
      const { incident_id: incidentID, kind } = duty;
      const room = await this.#deps.incidents().rooms.ofIncident(incidentID);
      const isAlone = (room?.reminders || this.#deps.settings.reminders) === 'owner';
      if (isAlone) return this.store.postpone(duty, this.#now() + restWhileOut);
      // The room is reminded of an update anyway.
      return kind === 'update' ? this.store.postpone(duty, 0) : void (await this.#remindRoom(duty, incident));
    }
    const quiet = this.#quietUntil(duty, person, incident);
    const decision = decide(duty, { now: this.#now(), quietUntil: quiet, isFull: false });
    if (!decision.says) return this.store.postpone(duty, decision.lookAt);
    // It comes too late, and the room names them. What they snoozed, and what waited for the end of their quiet hours, comes all the same.
    const isMissed = duty.kind === 'update' && duty.look_at === Math.round(stepAt(duty, duty.step) ?? 0);
    if (isMissed && isTold.has(duty.about)) return this.store.postpone(duty, 0);
    const { id, said, incident_id: incidentID } = duty;
    const wish = { key: `duty/${id}/${said}`, renews: false, payload: { incidentID, duty: id }, subject: incidentID };
    const outcome = await submitAlone(this.#deps.incidents(), remindPerson, { ...wish, lane: `duty/${id}` });
    if (outcome.state === 'failed')
      this.#deps.log.warn({ err: outcome.error, incident: incidentID }, 'duties: nobody was reminded');
    // Where Slack did not take it, the duty has passed to the room, and nothing is stored here.
    await this.store.saidAlone(duty, decision);
  }

  /** Until when a person is left alone; undefined: they may be told now. */
  #quietUntil(duty: Duty, person: Person | undefined, incident: Incident | undefined): number | undefined {
    if (person === undefined || this.#isNeeded(duty, incident)) return undefined;
    return quietUntil(this.#now(), person.timeZone, this.#deps.settings.quietHours);
  }

  /** Incidents of the worst severity know no quiet hours while they go on. */
  #isNeeded({ kind }: Duty, incident: Incident | undefined): boolean {
    const gravest = this.#deps.settings.severities.at(-1) ?? '';
    return kind !== 'review' && incident?.severity.toLowerCase() === gravest.toLowerCase();
  }

  /** The person of a duty, if they can act on the incident and see it. Throws Slack's error while it has never said who they are. */
  async #findReached({ user_id: user, incident_id: incidentID }: Duty): Promise<Person | undefined> {
    const { people, visibility } = this.#deps.incidents();
    const known = await people.latest([user]);
    const person = known.has(user) ? known.get(user) : await people.find(user);
    if (person === undefined || whyOut(person, 'act') !== undefined) return undefined;
    return (await visibility.sees('assignee', { ...person, channelId: '' }, { incidentID })) ? person : undefined;
  }

  /** Reminds the room; where that takes no posts, the readers of the announcement. False where that waits. */
  async #remindRoom(duty: Duty, incident: Incident | undefined): Promise<boolean> {
    const { settings, cards, rooms } = this.#deps.incidents();
    const { incident_id: incidentID, kind: offers } = duty;
    const isInRoom = duty.passed_to !== 'readers' && (await rooms.ofIncident(incidentID))?.channelId !== '';
    const given = await messagesOfHour(this.#deps.database.as<BotTables>(), incidentID, this.#now());
    const isFull = isInRoom && given.length >= settings.linesPerHour;
    const decision = decide(duty, { now: this.#now(), quietUntil: undefined, isFull });
    if (!decision.says) {
      await this.store.postpone(duty, decision.lookAt);
      return false;
    }
    const now = this.#deps.clock();
    // What a room did not take was read by nobody.
    const isAgain = duty.said > 0 && (duty.passed_to === '' || decision.step > 1);
    const around = { ...(await this.#surroundings(duty, incident)), isAgain };
    const line = { incidentID, actor: '', askedAt: now, doneAt: now, offers, isOwnMessage: true };
    const words = roomWords(duty, around, isInRoom ? 'room' : 'readers');
    await this.store.say(duty, decision, { ...line, words, ...(isInRoom ? {} : forReaders) });
    cards.refresh(incidentID, true);
    return true;
  }

  /** The last message to a person says that the duty is done. A look back is read again, so it loses its buttons alone. */
  async #settle(duty: Duty): Promise<void> {
    const words = duty.kind === 'review' ? (await this.#ownMessage(duty)).text : settledWords(duty);
    await this.#reword(duty, words);
    await this.store.over(duty.id);
  }

  /** Gives the last message to a person other words. Nothing more is done about one that Slack does not show any more. */
  async #reword(duty: Duty, words: string): Promise<void> {
    try {
      if (duty.ts !== '') await editDirectly(this.#deps.incidents().slack, duty, sentence(words));
    } catch (error) {
      if (isPassing(error)) throw error;
      this.#deps.log[refusalLevel(error)]({ reason: slackReason(error) }, 'duties: a reminder could not be edited');
    }
  }

  async send(id: string, { id: intent, askedAt, isRetry }: Parameters<Duties['send']>[1]): Promise<boolean> {
    const duty = await this.store.find(id);
    if (duty?.state !== 'owed') return false;
    const { slack } = this.#deps.incidents();
    const mark = { intent, part: 'reminder' };
    try {
      const stands = isRetry ? await findDirectly(slack, duty.user_id, { ...mark, since: askedAt }) : undefined;
      if (!stands && isRetry && (await this.#isTooLate(duty))) return false;
      const place = stands ?? (await sendDirectly(slack, duty.user_id, await this.#ownMessage(duty), { mark }));
      // Only the last reminder of a duty has buttons.
      if (place.ts !== duty.ts) await this.#reword(duty, settledWords(duty, true));
      await this.store.shown(id, place);
      return true;
    } catch (error) {
      if (isPassing(error)) throw new RetryLater(laterWords(error, 'remind somebody'), retryAfter(error));
      this.#deps.log[refusalLevel(error)]({ reason: slackReason(error) }, 'duties: Slack does not take a reminder');
      await this.store.pass(duty);
      return false;
    }
  }

  /**
   * Whether a reminder that waited for Slack is not sent any more. The duty may be done by now. Or the person’s quiet hours have begun: then it
   * is sent at their end.
   */
  async #isTooLate({ id, user_id: user, incident_id: incidentID }: Duty): Promise<boolean> {
    const incident = await this.#followNow(incidentID);
    const duty = await this.store.find(id);
    if (duty?.state !== 'owed') return true;
    const quiet = this.#quietUntil(duty, await this.#deps.incidents().people.find(user), incident);
    if (quiet !== undefined) await this.store.wait(duty, quiet);
    return quiet !== undefined;
  }

  async #ownMessage(duty: Duty): Promise<Words> {
    const { incident_id: incidentID, kind, about, audience } = duty;
    const known = (await this.#deps.incidents().snapshots.get(incidentID))?.whole;
    const text = ownWords(duty, await this.#surroundings(duty, known?.incident));
    return { text, blocks: [section(text), actions(await this.buttonsOf({ incidentID, kind, about, audience }))] };
  }

  async #surroundings(duty: Duty, incident: Incident | undefined): Promise<ReminderContext> {
    const { rooms, taskNumbers, updates, people } = this.#deps.incidents();
    const { incident_id: incidentID, kind, about } = duty;
    const room = await rooms.ofIncident(incidentID);
    const isTask = kind === 'task' && incident !== undefined;
    const numbers = isTask ? await taskNumbers.of(incidentID, incident.taskList.tasks) : undefined;
    const said = incident && (await updates.latest(incident));
    const owner = await this.#ownerOf(duty, incident, said?.update);
    return {
      ...{ now: this.#now(), incident, room, taskNumber: numbers?.get(about) ?? 0, owner },
      isAgain: duty.said > 0,
      ownerLeft: leftBehind(await people.absent([owner]), owner),
      said: said?.lead?.text ?? '',
    };
  }

  /** Slack id of the person who owes a duty, also where another one is reminded of it; `""` when that is not known. */
  async #ownerOf(
    { kind, about, user_id: user }: Duty,
    incident: Incident | undefined,
    update: Update | undefined,
  ): Promise<string> {
    const { people, calls } = this.#deps.incidents();
    if (kind === 'update') return mentioned(update?.by ?? '');
    if (kind === 'call') return (await calls.read(about))?.caller ?? '';
    if (kind !== 'task') return user;
    const task = incident?.taskList.tasks.find(each => each.taskID === about);
    return await people.toSlackId(task?.assignedUser?.userID ?? '');
  }
}

interface FactDeps {
  readonly database: Database;
  readonly rooms: Rooms;
  readonly updates: Updates;
  readonly people: People;
  readonly settings: Settings;
  /** The kinds of intents that give an update, a summary or an outcome. */
  readonly sayingKinds: readonly string[];
  /** The name of the role that leads an incident; `""` for none. */
  commanderRole(): Promise<string>;
}

/** Tasks of an incident whose owners are reminded. */
const mostTasks = 100;

/** The facts of an incident that decide its duties; undefined where reminders are off. */
async function readFacts(deps: FactDeps, incident: Incident, now: Date): Promise<DutyFacts | undefined> {
  const { rooms, updates, settings } = deps;
  const { incidentID, status, severity, closedTime, createdTime } = incident;
  const room = await rooms.ofIncident(incidentID);
  const mode = room?.reminders || settings.reminders;
  if (mode === 'off') return undefined;
  const [{ update }, commander, saying, acted, calls] = await Promise.all([
    updates.latest(incident),
    deps.commanderRole(),
    isSaying(deps, incidentID),
    lastAct(deps.database, incidentID),
    unansweredCalls(deps, incidentID),
  ]);
  // Slack does not know every leader.
  const leaders = await Promise.all(
    usersHolding(incident, commander).map(({ userID }) => deps.people.toSlackId(userID)),
  );
  const tasks = await tasksOf(deps, incident);
  const promise = saying ? undefined : promiseOf(update);
  const ids = [...leaders, ...[...tasks, ...calls].map(each => each.userId), promise?.by ?? ''];
  const absent = await deps.people.absent(ids);
  const known = leaders.filter(each => each !== '');
  const next = known.find(each => !absent.has(each));
  /** The person themselves, or who leads in place of one who cannot be told. */
  const inReach = (userId: string) => (absent.has(userId) ? (next ?? userId) : userId);
  const at = settings.severities.findIndex(each => each.toLowerCase() === severity.toLowerCase());
  const isGravest = at === settings.severities.length - 1;
  return {
    now: now.getTime(),
    isActive: status !== 'resolved',
    isMistake: isMistake(incident),
    severity: at === 0 ? 'mildest' : isGravest ? 'gravest' : 'below',
    mode,
    hasRoom: room !== undefined && room.channelId !== '',
    endedAt: timeOf(closedTime),
    leader: next ?? known[0] ?? '',
    isLeaderless: commander !== '' && leaders.every(each => absent.has(each)),
    promise: promise && { ...promise, by: inReach(promise.by) },
    calls: calls.map(each => ({ ...each, userId: inReach(each.userId) })),
    actedAt: Math.max(timeOf(createdTime), update?.at.getTime() ?? 0, acted),
    tasks: tasks.map(each => ({ ...each, userId: inReach(each.userId) })),
  };
}

/** An RFC 3339 time in epoch milliseconds; 0 for none. */
function timeOf(time: string): number {
  return Date.parse(time) || 0;
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

/** The calls by people that are not answered. Calls of chains are left out: their next step has a time of its own. */
async function unansweredCalls({ database, settings }: FactDeps, incidentID: string): Promise<DutyFacts['calls']> {
  const calls = await readCalls(database.as<BotTables>(), rows =>
    rows.where('call.incident_id', '=', incidentID).where('call.state', '=', 'open').where('call.caller', '!=', ''),
  );
  const unanswered = calls.filter(call => call.people.length > 0 && !isAnswered(call.people));
  const wait = settings.callAfter * 60_000;
  return unanswered.map(({ id, caller: userId, begun_at: since }) => ({ id, userId, since, due: since + wait }));
}

/** Whether an update waits for the API: nobody is asked for it again. */
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

/** When a person last acted on an incident, here or elsewhere, in epoch milliseconds; 0 for never. */
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

/** A channel whose people talked is not noted again for so long, in milliseconds: many messages are one sign of life. */
const notedFor = 30_000;
/** Channels that are remembered; the oldest is forgotten first. */
const mostKnown = 1000;

/** Hears talk in rooms: it ends a silence, and puts off the archiving of the room. */
class RoomTalk {
  readonly #deps: ReminderDeps;
  readonly #store: DutyStore;
  /** When talk in a channel was last noted. */
  readonly #noted = new Map<string, number>();
  readonly #noting = new Set<Promise<void>>();

  constructor(deps: ReminderDeps, store: DutyStore) {
    this.#deps = deps;
    this.#store = store;
  }

  /** People talked in a channel. It is noted in the background: what is lost costs a reminder too many. */
  hear(channelId: string): void {
    const now = this.#deps.clock().getTime();
    const last = this.#noted.get(channelId) ?? Number.NEGATIVE_INFINITY;
    if (now >= last && now - last < notedFor) return;
    this.#noted.delete(channelId);
    if (this.#noted.size >= mostKnown) this.#noted.delete(this.#noted.keys().next().value ?? '');
    this.#noted.set(channelId, now);
    this.note(this.#talked(channelId, now));
  }

  async #talked(channelId: string, at: number): Promise<void> {
    const { teamId, incidents } = this.#deps;
    await this.#store.talked(teamId, channelId, at);
    await incidents().nextSteps.talked(teamId, channelId, at);
  }

  /** Something is stored of a channel in the background. */
  note(storing: Promise<void>): void {
    const noting = storing
      .catch(err => this.#deps.log.warn({ err }, 'duties: could not note what goes on in a channel'))
      .finally(() => this.#noting.delete(noting));
    this.#noting.add(noting);
  }

  /** Resolves when everything heard is noted. */
  async idle(): Promise<void> {
    await Promise.all(this.#noting);
  }
}
