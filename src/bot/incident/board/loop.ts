import { isNotFound, isUnread } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import { leaseTime } from '../../../db/leases.ts';
import { isProvisional } from '../../journal/provisional-id.ts';
import { Refusals, remembered } from '../../slack/refusals.ts';
import type { Words } from '../../text/blocks.ts';
import { type Paced, parseWrites, RoundPace, roundWait } from '../lines/pace.ts';
import type { Lines } from '../lines/store.ts';
import type { DeclaredIncident } from '../state/declared-incident.ts';
import type { BoardDigests } from '../state/digests.ts';
import { toAnnouncement, toCard } from './card.ts';
import type { BoardParts, ReadOnce, RoundDeps } from './deps.ts';
import { isGroupMessage, showGroupMessage } from './group-messages.ts';
import type { CardLeases, ChangeAnswer } from './leases.ts';
import { showIncident, showUnregistered, showWithoutApi } from './round.ts';
import { declaredWords, stubWords } from './unregistered-card.ts';

/*
 * The loop of the board. A change of an incident asks for a refresh: its `Rounds` gather changes for 300 ms, longer where Slack's pace asks for
 * it, and then run one round after the other (`round.ts`), each under the lease of the card, until nothing is left to show. A card that could
 * not be shown rests (`Retries`) until it is tried again or changes; `catchUp`, once a second, begins rounds for cards that are behind, do not rest
 * and are held by no living process. A change that was counted (`countChange`) is shown after a crash too.
 */

/** The pause after a failed update, in milliseconds. */
const restAfterFailure = 15_000;
/** How long a round waits for further changes, in milliseconds. */
const gathering = 300;
/** Times in a row that Slack may refuse to show a card; after them it waits for the next change. */
const maxRefused = 3;
/** How often it is tried whether channels take again what they refused, in milliseconds; so many of the newest at a time. */
const [openedEvery, openedTogether] = [3_600_000, 20];
/** The pace while nothing was written lately, and nothing waits. */
const calm: Paced = { changes: [], isAny: false, isUrgent: false, writes: [] };

interface CardDeps extends BoardParts {
  readonly lines: Lines;
  readonly leases: CardLeases;
  /** No other process uses the database. */
  readonly isSoleProcess: boolean;
  /** Milliseconds of a clock that never steps. */
  readonly monotonicNow: () => number;
  /** The readers of one round. */
  knowing(): ReadOnce;
  /** Makes what else of an incident Slack refused in a channel that is open again. */
  furnish(incidentID: string): Promise<void>;
}

/** When cards that could not be shown are tried again, by incident and by the steady clock. */
class Retries {
  readonly #monotonicNow: () => number;
  readonly #resting = new Map<string, number>();
  /** Cards that Slack refused to show: how often in a row, and until when that is remembered. */
  readonly #refused = new Map<string, { times: number; until: number }>();

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow;
  }

  /** A card is not caught up for so many milliseconds. */
  rest(incidentID: string, milliseconds: number): void {
    this.#resting.set(incidentID, this.#monotonicNow() + milliseconds);
  }

  /** Ends the rests that are over. */
  wake(): void {
    for (const [incidentID, until] of this.#resting)
      if (until <= this.#monotonicNow()) this.#resting.delete(incidentID);
  }

  isResting(incidentID: string): boolean {
    return this.#resting.has(incidentID);
  }

  /** Slack refused to show a card. Whether it is worth another try once the refusal is no longer remembered. */
  refused(incidentID: string): boolean {
    const now = this.#monotonicNow();
    const { times, until } = this.#refused.get(incidentID) ?? { times: 0, until: 0 };
    if (times > 0 && until > now) return true;
    this.#refused.set(incidentID, { times: times + 1, until: now + remembered });
    return times < maxRefused;
  }

  /** Slack took a card. */
  taken(incidentID: string): void {
    this.#refused.delete(incidentID);
  }
}

/** The parts that the rounds of all incidents share. */
interface Loop {
  readonly deps: CardDeps;
  readonly retries: Retries;
  /** The readers of one round, and the lines that it says. */
  open(incidentID: string): RoundDeps;
  /** A caller of `idle` waits until all rounds are done: nothing more is gathered. */
  isHurried(): boolean;
  /** A round under the id that the incident had before it was registered says the same lines: it comes to its end first. */
  endFormer(incidentID: string, deps: RoundDeps): Promise<void>;
}

/** The rounds that bring one incident's card up to date. */
class Rounds {
  readonly #loop: Loop;
  readonly #incidentID: string;
  /** The incident was changed meanwhile. */
  #again = false;
  /** The next round shows what may not wait: who may read the incident, or the card next to an urgent line. */
  #isUrgent: boolean;
  /** The API's answer to the last change. */
  #answered: ChangeAnswer | undefined;
  /** When the rest that the last round left is due, on the steady clock; undefined when it left nothing. */
  #leftUntil: number | undefined;
  /** How often the wait was cut short: what was read before is out of date then. */
  #wakes = 0;
  #endWait = () => {};
  /** Resolves when nothing is left. */
  done = Promise.resolve();
  /** The round under way. */
  showing: Promise<boolean> | undefined;

  constructor(loop: Loop, incidentID: string, isUrgent: boolean, answered: ChangeAnswer | undefined) {
    this.#loop = loop;
    this.#incidentID = incidentID;
    this.#isUrgent = isUrgent;
    this.#answered = answered;
  }

  /** The incident was changed while its rounds run. */
  change(isUrgent: boolean, answered: ChangeAnswer | undefined): void {
    // No lines wait for the message of a group, so it is known already when it is due.
    const isAwaited = this.#again && !isUrgent && isGroupMessage(this.#incidentID);
    this.#answered = answered ?? this.#answered;
    this.#again = true;
    this.#isUrgent ||= isUrgent;
    if (!isAwaited) this.wake();
  }

  /** Computes the wait before the next round again. */
  wake(): void {
    this.#wakes += 1;
    this.#endWait();
  }

  /** Runs rounds until nothing is left. */
  async run(): Promise<void> {
    const { deps, open, endFormer } = this.#loop;
    do {
      const gathered = open(this.#incidentID);
      await this.#gather(gathered);
      // Another process may have changed it while this one waited.
      const reading = deps.isSoleProcess ? gathered : open(this.#incidentID);
      const [isUrgent, answered] = [this.#isUrgent, this.#answered];
      [this.#again, this.#isUrgent, this.#answered, this.#leftUntil] = [false, false, undefined, undefined];
      try {
        await endFormer(this.#incidentID, reading);
        this.showing = this.#show(reading, isUrgent, answered);
        if (!(await this.showing)) this.#again = true;
      } catch (err) {
        deps.log.warn({ err, incident: this.#incidentID }, 'card: could not store its lease');
      } finally {
        this.showing = undefined;
      }
    } while (this.#again || this.#leftUntil !== undefined);
  }

  /** Gathers changes until the next round is due. */
  async #gather(reading: RoundDeps): Promise<void> {
    const { monotonicNow, clock } = this.#loop.deps;
    const soonest = monotonicNow() + gathering;
    let isOver = false;
    while (!isOver && !this.#loop.isHurried()) {
      const left = (this.#leftUntil ?? Number.POSITIVE_INFINITY) - monotonicNow();
      const wakes = this.#wakes;
      const paced = await this.#readPaced(reading);
      if (this.#wakes !== wakes) continue;
      const isUrgent = this.#isUrgent || paced.isUrgent;
      const isChanged = this.#again || this.#leftUntil === undefined || isUrgent;
      const wait = isChanged ? Math.min(left, roundWait({ ...paced, isUrgent }, clock().getTime())) : left;
      isOver = await this.#wait(Math.max(soonest - monotonicNow(), wait));
    }
  }

  /** The pace of the incident; a calm one while the database cannot be read. */
  async #readPaced({ rooms, lines }: RoundDeps): Promise<Paced> {
    try {
      const stored = await rooms.find(this.#incidentID);
      if (!stored) return calm;
      const waits = await lines.waiting(stored.room.announcementTs !== '');
      return { ...waits, writes: parseWrites(stored.row.written) };
    } catch {
      return calm;
    }
  }

  /** Waits; false when the wait was cut short. */
  #wait(milliseconds: number): Promise<boolean> {
    return new Promise(resolve => {
      const timer = setTimeout(() => resolve(true), milliseconds);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }

  /** Runs one round. False when there is something newer to show. */
  async #show(reading: RoundDeps, isUrgent: boolean, answered: ChangeAnswer | undefined): Promise<boolean> {
    const { deps, retries, isHurried } = this.#loop;
    const { leases, monotonicNow, clock, log } = deps;
    const id = this.#incidentID;
    const stored = await reading.rooms.find(id);
    // An incident without a row has nothing to show, and one that was registered since has another.
    const leased = stored?.row.incident_id === id ? await leases.take(stored.row) : undefined;
    // The process that has the lease sees what was changed meanwhile.
    if (!leased) return true;
    const { lines, visibility } = reading;
    if (!leased.isSure) await lines.recover();
    const waits = await lines.waiting(stored?.room.announcementTs !== '');
    const paced = { ...waits, isUrgent: isUrgent || waits.isUrgent, writes: leased.writes };
    const pace = new RoundPace({ paced, clock, isHurried: isHurried() });
    let shown: Partial<BoardDigests> = leased.shown;
    let [pause, isBehind] = [restAfterFailure, false];
    try {
      const round = isGroupMessage(id)
        ? await showGroupMessage(reading, id, leased, pace)
        : isProvisional(id)
          ? await showUnregistered(reading, id, pace)
          : await showIncident(reading, id, leased, pace, answered);
      ({ shown } = round);
      this.#isUrgent ||= pace.owesCard;
      if (pace.isIncomplete && round.reception !== 'later') {
        await leases.leave(leased, { shown, isBehind: true, writes: pace.writes, lines });
        this.#leftUntil = monotonicNow() + pace.leftWait;
        return true;
      }
      if (round.reception === 'refused' && retries.refused(id)) pause = remembered;
      else {
        retries.taken(id);
        // Where Slack does not tell who reads a channel, something was held back that is shown later.
        if (round.reception !== 'later' && !visibility.isUnsure)
          return await leases.shown(leased, { shown, writes: pace.writes, lines });
      }
    } catch (err) {
      // There is nothing to show any more, and asking again would not change that.
      if (isNotFound(err)) return await leases.shown(leased, { shown: leased.shown, lines });
      log.warn({ err, incident: id }, 'card: could not be rendered');
      shown = await showWithoutApi(reading, id, shown, pace, err);
      isBehind = isUnread(err);
    }
    // What could not be shown now is shown when it is caught up.
    retries.rest(id, pause);
    await leases.leave(leased, {
      shown,
      isBehind: isBehind || visibility.isUnsure,
      writes: pace.writes,
      lines,
    });
    return true;
  }
}

/** What Slack shows of each incident now: its card and topic, its announcement and its lines, kept up to date by one process at a time. */
export class Cards {
  readonly #deps: CardDeps;
  readonly #loop: Loop;
  readonly #refusals: Refusals;
  readonly #rounds = new Map<string, Rounds>();
  #heart: NodeJS.Timeout | undefined;
  /** When it tried last whether channels are open again, by the steady clock; a process that starts tries at once. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** The channels that opened are being brought up to date, one after the other. */
  #opening = Promise.resolve();
  /** Callers of `idle`. */
  #waiting = 0;

  constructor(deps: CardDeps) {
    this.#deps = deps;
    this.#refusals = new Refusals({ ...deps, isPrivate: channel => deps.channels.isKnownPrivate(channel) });
    const refusals = this.#refusals;
    const refresh = this.refresh.bind(this);
    this.#loop = {
      deps,
      retries: new Retries(deps.monotonicNow),
      open: incidentID => {
        const read = deps.knowing();
        return { ...deps, ...read, refusals, refresh, lines: deps.lines.round(incidentID, read.known) };
      },
      isHurried: () => this.#waiting > 0,
      endFormer: async (incidentID, { rooms }) => {
        if (isProvisional(incidentID)) return;
        for (const [id, { showing }] of this.#rounds)
          if (showing && isProvisional(id) && (await rooms.currentID(id)) === incidentID)
            await showing.catch(() => undefined);
      },
    };
  }

  /** The card to post in the incident's channel. */
  card(incident: Incident): Promise<Words> {
    return toCard(this.#deps, incident);
  }

  /** The announcement: what others need to know, and the way to the room; of an incident without one, an offer. */
  announcement(incident: Incident, room: { readonly channelId: string; readonly channelName: string }): Promise<Words> {
    return toAnnouncement(this.#deps, incident, room);
  }

  /** The address of the incident's page; `""` when it opens nowhere. */
  overview(incident: Incident): Promise<string> {
    return this.#deps.overviewOf(incident);
  }

  /** The card of an incident that is declared and not registered; with `hint`, also what can be done with it until then. */
  declared(declared: DeclaredIncident, hint: boolean, channelId = ''): Words {
    const { settings, declaredButtonsOf, joinOf } = this.#deps;
    const buttons = hint ? declaredButtonsOf(declared.incidentID) : channelId === '' ? [] : joinOf(declared.incidentID);
    const { severities, apiName: api } = settings;
    return declaredWords(declared, { hint, channelId, severities, api, buttons });
  }

  /** Replaces card and announcement where people of another organisation read. */
  stub(incidentID: string): Words {
    return stubWords(incidentID);
  }

  /**
   * Updates card, announcement and topic in the background, where they differ, and tells the room what changed. Requests during a round
   * become one more round; in a busy minute rounds are rarer, and only what is urgent is shown at once. `answered`: the API's answer to the
   * change, which is read again only if the incident has changed since.
   */
  refresh(incidentID: string, isUrgent = false, answered?: ChangeAnswer): void {
    const running = this.#rounds.get(incidentID);
    if (running) {
      running.change(isUrgent, answered);
      return;
    }
    const rounds = new Rounds(this.#loop, incidentID, isUrgent, answered);
    this.#rounds.set(incidentID, rounds);
    this.#heart ??= setInterval(() => void this.#beat(), leaseTime / 4).unref();
    rounds.done = this.#run(incidentID, rounds);
  }

  async #run(incidentID: string, rounds: Rounds): Promise<void> {
    await rounds.run();
    this.#rounds.delete(incidentID);
    if (this.#rounds.size > 0) return;
    clearInterval(this.#heart);
    this.#heart = undefined;
  }

  async #beat(): Promise<void> {
    const { leases, log } = this.#deps;
    await leases.hold().catch(err => log.warn({ err }, 'card: could not renew leases'));
  }

  /**
   * Slack may take again in a channel what it refused there: all of that is out of date. Cards, topics, announcements, offers and lines are shown
   * as they are now. `isSure`: something says so; else it is tried. Never throws.
   */
  reopened(channelId: string, isSure = true): void {
    this.#refusals.forget(channelId);
    this.#opening = this.#opening.then(() => this.#outdate(channelId, isSure));
  }

  async #outdate(channelId: string, isSure: boolean): Promise<void> {
    const { lines, leases, furnish, log } = this.#deps;
    try {
      // A round that runs may yet store that Slack refused something.
      await Promise.allSettled([...this.#rounds.values()].map(each => each.showing));
      const said = await lines.sayAgain(channelId);
      const outdated = await leases.outdate(channelId);
      for (const id of new Set([...said, ...outdated])) {
        if (isSure) this.#loop.retries.taken(id);
        this.refresh(id, true);
      }
      for (const id of outdated) if (!isGroupMessage(id) && !isProvisional(id)) await furnish(id);
    } catch (err) {
      log.warn({ err, channel: channelId }, 'card: a channel that is open again could not be brought up to date');
    }
  }

  /** Slack may have lost the event that says that a channel is open again, and of some reasons it sends none. */
  async #lookForOpened(): Promise<void> {
    const { lines, leases } = this.#deps;
    const channels = [...(await lines.refusing(openedTogether)), ...(await leases.refusing(openedTogether))];
    for (const each of new Set(channels)) if (each !== '') this.reopened(each, false);
  }

  /** Updates the cards that are behind, for example because their process died. */
  async catchUp(): Promise<void> {
    const { updates, nextSteps, leases, clock, monotonicNow } = this.#deps;
    if (monotonicNow() - this.#lookedAt > openedEvery) {
      this.#lookedAt = monotonicNow();
      await this.#lookForOpened();
    }
    await updates.markOverdue(clock());
    await nextSteps.wake();
    this.#loop.retries.wake();
    // A round that runs sees for itself whether anything was changed meanwhile.
    for (const incidentID of await leases.outdated())
      if (!this.#rounds.has(incidentID) && !this.#loop.retries.isResting(incidentID)) this.refresh(incidentID);
  }

  /** Resolves when every card is up to date; nothing more is gathered meanwhile. */
  async idle(): Promise<void> {
    this.#waiting += 1;
    for (const each of this.#rounds.values()) each.wake();
    await this.#opening;
    while (this.#rounds.size > 0) await Promise.allSettled([...this.#rounds.values()].map(each => each.done));
    this.#waiting -= 1;
  }
}
