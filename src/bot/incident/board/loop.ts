import type { Logger } from 'pino';
import { isNotFound, isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { leaseTime } from '../../../db/leases.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { Refusals, remembered } from '../../slack/refusals.ts';
import { type Paced, parseWrites, RoundPace, roundWait } from '../lines/pace.ts';
import { sayLines } from '../lines/say.ts';
import type { Lines } from '../lines/store.ts';
import type { DeclaredIncident } from '../state/declared-incident.ts';
import { digest, nothingShown, type Shown } from '../state/digests.ts';
import type { Snapshots } from '../state/snapshots.ts';
import type { Updates } from '../state/update-store.ts';
import { toCard } from './card.ts';
import type { Answered, CardLeases } from './leases.ts';
import {
  type AnnouncedRoom,
  hideFromOutsiders,
  type ReadOnce,
  type ShowDeps,
  showIncident,
  showUnregistered,
  toAnnouncement,
} from './round.ts';
import { isSeveral, showSeveral } from './several.ts';
import { declaredWords, stubWords } from './unregistered-card.ts';
import { editBoard } from './write.ts';

/** The pause after a failed update, in milliseconds. */
const restAfterFailure = 15_000;
/** How long a round waits for further changes, in milliseconds. */
const gathering = 300;
/** Times in a row that Slack may refuse to show a card; after them it waits for the next change. */
const maxRefused = 3;

/** What the cards are made with. */
interface CardDeps extends Omit<ShowDeps, 'refusals' | 'refresh' | 'lines'> {
  readonly lines: Lines;
  /** No other process uses the database. */
  readonly isAlone: boolean;
  readonly updates: Updates;
  /** The parts above that read, as one round uses them. */
  knowing(): ReadOnce;
  readonly clock: () => Date;
  readonly snapshots: Pick<Snapshots, 'get'>;
  readonly leases: CardLeases;
  readonly log: Logger;
  /** Milliseconds of a clock that never steps. */
  readonly steady: () => number;
}

/** Nothing was written lately, and nothing waits. */
const calm: Paced = { changes: [], isAny: false, isUrgent: false, writes: [] };

/** What a round uses; it reads each thing once. */
type Reading = ShowDeps & ReadOnce;

/** The rounds that bring one incident's card up to date. */
interface Rounds {
  /** It was changed meanwhile. */
  again: boolean;
  done: Promise<void>;
  /** The round under way. */
  showing: Promise<boolean> | undefined;
  /** How often it was woken: what was read before is out of date then. */
  wakes: number;
  /** Looks anew how long the next round waits. */
  wake: () => void;
  /** The last change was answered so. */
  answered: Answered | undefined;
  /** The next round shows what nobody may wait for: who may read the incident, or the card beside an urgent line. */
  isUrgent: boolean;
  /** When what the last round left is due, on the steady clock; undefined when it left nothing. */
  leftUntil: number | undefined;
}

/** The card of each incident: one message in its channel and one announcement, edited in place. */
export type Cards = ReturnType<typeof createCards>;

/** Opens the cards of one process. */
export function createCards(deps: CardDeps) {
  const { leases, steady, clock } = deps;
  const showDeps = {
    ...deps,
    refusals: new Refusals({ ...deps, isPrivate: channel => deps.channels.isKnownPrivate(channel) }),
    refresh,
  };
  const rounds = new Map<string, Rounds>();
  /** Until when cards that failed are not caught up, by incident. */
  const resting = new Map<string, number>();
  /** Cards that Slack refused to show: how often in a row, and until when that is remembered. */
  const refused = new Map<string, { times: number; until: number }>();
  let heart: NodeJS.Timeout | undefined;
  /** Callers of `idle`. */
  let waiting = 0;

  /** What one round reads and says. */
  const open = (incidentID: string): Reading => {
    const read = deps.knowing();
    return { ...showDeps, ...read, lines: deps.lines.round(incidentID, read.known) };
  };

  /** False when there is something newer to show. */
  async function bringUpToDate(
    incidentID: string,
    mine: Rounds,
    reading: Reading,
    { isUrgent, answered }: Pick<Rounds, 'isUrgent' | 'answered'>,
  ): Promise<boolean> {
    const stored = await reading.rooms.find(incidentID);
    // An incident without a row has nothing to show, and one that was registered since has another.
    const leased = stored?.row.incident_id === incidentID ? await leases.take(stored.row) : undefined;
    // The process that has the lease sees what was changed meanwhile.
    if (!leased) return true;
    const { lines } = reading;
    if (!leased.isSure) await lines.recover();
    const waits = await lines.waiting(stored?.room.announcementTs !== '');
    const paced = { ...waits, isUrgent: isUrgent || waits.isUrgent, writes: leased.writes };
    const pace = new RoundPace({ paced, clock, isHurried: waiting > 0 });
    let shown: Partial<Shown> = leased.shown;
    let rest = restAfterFailure;
    let isBehind = false;
    try {
      const round = isSeveral(incidentID)
        ? await showSeveral(reading, incidentID, leased, pace)
        : isProvisional(incidentID)
          ? await showUnregistered(reading, incidentID, pace)
          : await showIncident(reading, incidentID, leased, pace, answered);
      ({ shown } = round);
      mine.isUrgent ||= pace.owesCard;
      if (pace.isIncomplete && round.reception !== 'later') {
        await leases.leave(leased, { shown, isBehind: true, writes: pace.writes, lines });
        mine.leftUntil = steady() + pace.leftWait;
        return true;
      }
      if (round.reception === 'refused' && isWorthTrying(incidentID)) rest = remembered;
      else {
        refused.delete(incidentID);
        // Where Slack does not tell who reads a channel, something was held back that is shown later.
        if (round.reception !== 'later' && !reading.visibility.isUnsure)
          return await leases.shown(leased, { shown, writes: pace.writes, lines });
      }
    } catch (error) {
      // There is nothing to show any more, and asking again would not change that.
      if (isNotFound(error)) return await leases.shown(leased, { shown: leased.shown, lines });
      deps.log.warn({ err: error, incident: incidentID }, 'card: could not be rendered');
      if (!isSeveral(incidentID) && (await hideMeanwhile(incidentID, reading))) shown = nothingShown;
      isBehind = isUnread(error);
      if (isBehind && shown !== nothingShown) shown = { ...shown, ...(await markStale(incidentID, reading, shown)) };
      if (isBehind) await tellOutage(incidentID, reading, pace);
    }
    // What could not be shown now is shown when it is caught up.
    resting.set(incidentID, steady() + rest);
    isBehind ||= reading.visibility.isUnsure;
    await leases.leave(leased, { shown, isBehind, writes: pace.writes, lines });
    return true;
  }

  /** The card says how old it is. Returns the digest of what was written, if anything was. */
  async function markStale(incidentID: string, reading: Reading, shown: Partial<Shown>): Promise<Partial<Shown>> {
    try {
      return await showStale({ ...reading, snapshots: deps.snapshots }, incidentID, shown);
    } catch (err) {
      deps.log.warn({ err, incident: incidentID }, 'card: could not be marked as old');
      return { card: '' };
    }
  }

  /** The room reads that work waits for the API. */
  async function tellOutage(incidentID: string, reading: Reading, pace: RoundPace): Promise<void> {
    try {
      const room = (await deps.outages.goesOn(incidentID)) ? await reading.rooms.ofIncident(incidentID) : undefined;
      if (room) await sayLines(reading, room, pace, ['room']);
    } catch (err) {
      deps.log.warn({ err, incident: incidentID }, 'card: could not tell the room of an outage');
    }
  }

  /** Outsiders must not read until the API answers what Slack shows. True when it may show something else than before. */
  async function hideMeanwhile(incidentID: string, reading: Reading): Promise<boolean> {
    try {
      return await hideFromOutsiders(reading, incidentID);
    } catch (err) {
      deps.log.warn({ err, incident: incidentID }, 'card: could not be hidden from outsiders');
      return true;
    }
  }

  /** Whether a card that Slack refuses to show is tried again once the refusal is no longer remembered. */
  function isWorthTrying(incidentID: string): boolean {
    const { times, until } = refused.get(incidentID) ?? { times: 0, until: 0 };
    if (times > 0 && until > steady()) return true;
    refused.set(incidentID, { times: times + 1, until: steady() + remembered });
    return times < maxRefused;
  }

  /** Waits; false when the wait was cut short. */
  function rest(mine: Rounds, milliseconds: number): Promise<boolean> {
    return new Promise(resolve => {
      const timer = setTimeout(() => resolve(true), milliseconds);
      mine.wake = () => {
        mine.wakes += 1;
        clearTimeout(timer);
        resolve(false);
      };
    });
  }

  /** The pace of an incident; a calm one while the database cannot be read. */
  async function readPaced(incidentID: string, { rooms, lines }: Reading): Promise<Paced> {
    try {
      const stored = await rooms.find(incidentID);
      if (!stored) return calm;
      const waits = await lines.waiting(stored.room.announcementTs !== '');
      return { ...waits, writes: parseWrites(stored.row.written) };
    } catch {
      return calm;
    }
  }

  /** Gathers changes until the next round is due. */
  async function gather(incidentID: string, mine: Rounds, reading: Reading): Promise<void> {
    const soonest = steady() + gathering;
    let isOver = false;
    while (!isOver && waiting === 0) {
      const left = (mine.leftUntil ?? Number.POSITIVE_INFINITY) - steady();
      const { wakes } = mine;
      const paced = await readPaced(incidentID, reading);
      if (mine.wakes !== wakes) continue;
      const isUrgent = mine.isUrgent || paced.isUrgent;
      const isChanged = mine.again || mine.leftUntil === undefined || isUrgent;
      const wait = isChanged ? Math.min(left, roundWait({ ...paced, isUrgent }, clock().getTime())) : left;
      isOver = await rest(mine, Math.max(soonest - steady(), wait));
    }
  }

  /** A round under the id that the incident had before it was registered says the same lines: it comes to its end first. */
  async function endFormer(incidentID: string, reading: Reading): Promise<void> {
    if (isProvisional(incidentID)) return;
    for (const [id, { showing }] of rounds)
      if (showing && isProvisional(id) && (await reading.rooms.currentID(id)) === incidentID)
        await showing.catch(() => undefined);
  }

  async function run(incidentID: string, mine: Rounds): Promise<void> {
    do {
      const gathered = open(incidentID);
      await gather(incidentID, mine, gathered);
      // Another process may have changed it while this one waited.
      const reading = deps.isAlone ? gathered : open(incidentID);
      const { isUrgent, answered } = mine;
      Object.assign(mine, { again: false, isUrgent: false, answered: undefined, leftUntil: undefined });
      try {
        await endFormer(incidentID, reading);
        mine.showing = bringUpToDate(incidentID, mine, reading, { isUrgent, answered });
        if (!(await mine.showing)) mine.again = true;
      } catch (error) {
        deps.log.warn({ err: error, incident: incidentID }, 'card: could not store its lease');
      } finally {
        mine.showing = undefined;
      }
    } while (mine.again || mine.leftUntil !== undefined);
    rounds.delete(incidentID);
    if (rounds.size > 0) return;
    clearInterval(heart);
    heart = undefined;
  }

  async function beat(): Promise<void> {
    await leases.hold().catch(err => deps.log.warn({ err }, 'card: could not renew leases'));
  }

  function refresh(incidentID: string, isUrgent = false, answered?: Answered): void {
    const running = rounds.get(incidentID);
    if (running) {
      // No lines wait for a message of several: when it is due is known already.
      const isAwaited = running.again && !isUrgent && isSeveral(incidentID);
      running.answered = answered ?? running.answered;
      running.again = true;
      running.isUrgent ||= isUrgent;
      if (!isAwaited) running.wake();
      return;
    }
    const started: Rounds = {
      ...{ again: false, isUrgent, answered, leftUntil: undefined },
      ...{ done: Promise.resolve(), showing: undefined, wakes: 0 },
      wake: () => {
        started.wakes += 1;
      },
    };
    rounds.set(incidentID, started);
    heart ??= setInterval(() => void beat(), leaseTime / 4).unref();
    started.done = run(incidentID, started);
  }

  return {
    /** The card as it is to be posted in the incident's channel. */
    card: (incident: Incident) => toCard(deps, incident),
    /** The announcement: what others need to know, and the way to the room; of an incident without one, an offer. */
    announcement: (incident: Incident, room: AnnouncedRoom) => toAnnouncement(deps, incident, room),
    /** The address of the incident's page; `""` when it opens nowhere. */
    overview: (incident: Incident) => deps.overviewOf(incident),
    /** The card of an incident that is declared and not registered; with `hint`, also what can be done with it until then. */
    declared: (declared: DeclaredIncident, hint: boolean, channelId: string = '') =>
      declaredWords(declared, {
        ...{ hint, channelId, severities: deps.settings.severities, api: deps.settings.apiName },
        buttons: hint
          ? deps.declaredButtonsOf(declared.incidentID)
          : channelId === ''
            ? []
            : deps.joinOf(declared.incidentID),
      }),
    /** What stands in place of each of them where people of another organisation read. */
    stub: stubWords,
    /**
     * Updates card, announcement and topic in the background, where they differ, and tells the room what changed. Requests during a round
     * become one more round; in a busy minute rounds are rarer, and only what is urgent is shown at once. `answered`: the change was answered
     * with the incident, which is read only if it has changed since.
     */
    refresh,
    /** Slack may take again in a channel what it refused there. */
    reopened: (channelId: string) => showDeps.refusals.forget(channelId),
    /** Updates the cards that are behind, for example because their process died. */
    catchUp: async () => {
      await deps.updates.markOverdue(deps.clock());
      await deps.nextSteps.wake();
      for (const [incidentID, until] of resting) if (until <= steady()) resting.delete(incidentID);
      // A round that runs sees for itself whether anything was changed meanwhile.
      const outdated = await leases.outdated();
      for (const incidentID of outdated) {
        if (!rounds.has(incidentID) && !resting.has(incidentID)) refresh(incidentID);
      }
    },
    /** Resolves when every card is up to date; nothing more is gathered meanwhile. */
    idle: async () => {
      waiting += 1;
      for (const each of rounds.values()) each.wake();
      while (rounds.size > 0) await Promise.allSettled([...rounds.values()].map(each => each.done));
      waiting -= 1;
    },
  };
}

/**
 * Shows the card as the API last had it, marked with that time, while the API does not answer. Returns the digest of the card; nothing
 * when there is no card or no snapshot. Throws Slack's refusals.
 */
async function showStale(
  deps: ShowDeps & { readonly snapshots: Pick<Snapshots, 'get'> },
  incidentID: string,
  before: Partial<Shown>,
): Promise<Partial<Shown>> {
  const room = await deps.rooms.ofIncident(incidentID);
  const whole = (await deps.snapshots.get(incidentID))?.whole;
  if (!room || room.cardTs === '' || !whole) return {};
  const { channelId: channel, cardTs: ts } = room;
  if ((await deps.visibility.share('card', whole.incident, channel)) !== 'all') return {};
  const words = await toCard(deps, whole.incident, whole.seenAt);
  const card = digest(words);
  if (card === before.card) return {};
  await editBoard(deps.slack, { channel, ts }, words);
  return { card };
}
