import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { NoTables } from '../../db/engine.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Heart } from '../../db/heart.ts';
import { mostHangs } from '../../db/leases.ts';
import { isOvertaken } from '../../db/pulse.ts';
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts';
import type { Deadlines } from '../../deadlines.ts';
import { addTypedText } from '../dispatch/answers/typed-back.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { Unanswered } from '../dispatch/feature/context.ts';
import { type Act, type Delivery, noReply, type Reply, readDelivery, toDraft } from '../dispatch/feature/delivery.ts';
import { type Hold, noHold, type Plan, type Turn } from '../dispatch/feature/turn.ts';
import type { Visit } from '../incident/state/visits.ts';
import { Stopped } from '../journal/intent.ts';
import { hung } from '../journal/rows.ts';
import type { BotTables } from '../schema/tables.ts';
import { isPassing, isSlackError } from '../slack/clients.ts';
import { createReplayGuard } from '../slack/http-receiver.ts';
import { sentence, type Words } from '../text/blocks.ts';
import { incidentSigns } from '../text/signs.ts';
import { withTimeout } from '../text/timeout.ts';
import { formatDuration } from '../text/times.ts';
import { type DeliveryStore, type EditedMessage, maxAttempts, type StoredDelivery } from './delivery-store.ts';

/** How often left deliveries are looked for, in milliseconds. */
const pollEvery = 2500;
/** Deliveries taken up at a time. */
const takenTogether = 20;
/** The pause between two tries to store a delivery, and how long one that was late waits for earlier ones of other processes, in milliseconds. */
const lateness = { pause: 100, others: 500 };
/** The most deliveries that this process keeps in memory until they are stored, and their characters: with two bytes each, 64 MB. */
const mostUnstored = { count: 10_000, size: 32_000_000 };

/** What an inbox needs. `monotonicNow`: milliseconds of a clock that never steps. */
interface InboxDeps {
  readonly dispatcher: Pick<Dispatcher, 'plan' | 'say'>;
  readonly store: DeliveryStore;
  /** Stores by `store` that the persons who asked for these intents know their outcomes; absent: that alone. */
  readonly journal: { told(ids: readonly string[], store?: () => Promise<void>): Promise<void> };
  readonly visits: { unstoredOf(userId: string): Visit | undefined; stored(visit: Visit): void };
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly monotonicNow: () => number;
  readonly heart: Heart;
  /** Whether a channel is the room of incidents that go on: what wakes people there waits for nothing. Absent: no channel is one. */
  isLive?(channelId: string): Promise<boolean>;
  /** A delivery was acknowledged before it was stored. */
  onUnstored?(): void;
  /** A delivery is not tried any more: it failed too often, or processes ended with it. */
  readonly onGivenUp?: ((why: 'failed' | 'set aside') => void) | undefined;
  readonly log: Logger;
}

/** A delivery with its plan. `mayAlreadyExist`: it was begun before. */
interface Task {
  readonly delivery: Delivery;
  readonly reply: Reply;
  readonly plan: Plan;
  readonly mayAlreadyExist: boolean;
}

/**
 * Handles each delivery once, whichever process it comes to and whichever dies: stored before it is acknowledged, carried out in the
 * order of its channel, handled again by another process when this one does not finish.
 */
export class Inbox {
  readonly #deps: InboxDeps;
  readonly #order: ChannelOrder;
  readonly #cutOff = new AbortController();
  readonly #seen = createReplayGuard();
  /** Work in progress. */
  readonly #inFlight = new Set<Promise<void>>();
  /** The deliveries that this process handles, by key. */
  readonly #handled = new Set<string>();
  /** The deliveries that are being stored, and their characters. */
  readonly #unstored = { count: 0, size: 0 };
  /** Resolves when none of them is left. */
  #stored: Promise<unknown> = Promise.resolve();
  /** The database did not take the last one. */
  #isAway = false;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
    this.#order = new ChannelOrder(deps);
  }

  /** Whether this process sees a delivery for the first time: the quick look, before anything is stored. */
  isNew(key: string): boolean {
    return this.#seen.isNew(key, this.#deps.clock());
  }

  /**
   * Handles a delivery. Resolves when it is stored, or when storing takes too long for the person who waits: if the act may change
   * something, they read that it is not stored. It is stored when the database answers. Where too many wait for that, it is not taken, and
   * the person reads so at once.
   */
  async take(delivery: Delivery, reply: Reply, plan = this.#deps.dispatcher.plan(delivery.act)): Promise<void> {
    const now = this.#deps.clock();
    const task = { delivery, reply, plan, mayAlreadyExist: false };
    const size = JSON.stringify(delivery).length;
    const unstored = this.#unstored;
    if (unstored.count >= mostUnstored.count || unstored.size + size > mostUnstored.size) {
      this.#logOf(delivery).warn('inbox: too many deliveries wait for the database, this one is not taken');
      this.#deps.onUnstored?.();
      this.#tell(task, this.#toTurn(task, now, { isNew: false, seq: 0 }), notTakenWords(delivery.act));
      return;
    }
    unstored.count += 1;
    unstored.size += size;
    const storing = this.#keep(task, this.#stored, now).finally(() => {
      unstored.count -= 1;
      unstored.size -= size;
    });
    this.#stored = Promise.allSettled([this.#stored, storing]);
    const stored = await this.#inTime(storing, task);
    if (stored.isNew) this.#start(() => this.#handle(task, now, stored, storing));
    else if (delivery.act.kind === 'form') this.#start(() => this.#answerAgain(task, now));
    else this.#logOf(delivery).info('delivery: it was delivered before');
  }

  /** Handles a delivery that Slack repeats until it is acknowledged: throws when it cannot be stored. */
  async takeStored(delivery: Delivery | EditedMessage): Promise<void> {
    const { dispatcher, store, deadlines, clock } = this.#deps;
    const now = clock();
    const toTask = (one: Delivery): Task => {
      return { delivery: one, reply: noReply, plan: dispatcher.plan(one.act), mayAlreadyExist: false };
    };
    const edited = 'edit' in delivery ? delivery : undefined;
    const first = toTask('edit' in delivery ? delivery.message : delivery);
    const isOrdered = keepsOrder(first);
    const { isUrgent } = first.plan;
    const storing = edited
      ? store.keepEdited(edited, isOrdered, now)
      : store.keep(first.delivery, isOrdered, now, { isUrgent });
    // A delivery that is stored too late for Slack is carried out too.
    this.#start(async () => {
      const stored = await storing.catch(() => undefined);
      const task = edited && stored && 'as' in stored && stored.as === 'edit' ? toTask(edited.edit) : first;
      if (stored?.isNew) await this.#handle(task, now, stored, storing);
    });
    await withTimeout(deadlines.storeEvent, storing);
  }

  /** Takes up what was left, now and every few seconds. `isSoleProcess`: no other process uses the database. */
  async start(isSoleProcess: boolean): Promise<void> {
    if (isSoleProcess) await this.#deps.store.freeOthers();
    this.#look();
    this.#timer = setInterval(() => this.#look(), pollEvery).unref();
  }

  /** Resolves when everything begun is done. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0 || this.#looking) await Promise.allSettled([...this.#inFlight, this.#looking]);
  }

  /** Takes nothing up any more; everything begun goes on, but for what waits for its turn. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#order.stop();
  }

  /** Hands back what is not done: the process that looks next takes it up. */
  async handBack(): Promise<void> {
    this.#cutOff.abort();
    try {
      await this.#deps.store.handBack();
    } catch (err) {
      this.#deps.log.warn({ err }, 'inbox: could not hand deliveries back, others take them up later');
    }
  }

  #start(work: () => Promise<void>): void {
    const running = work().finally(() => this.#inFlight.delete(running));
    this.#inFlight.add(running);
  }

  /**
   * Stores a delivery, as soon as the database answers; this process has it in memory until then. While the database is away, each is stored
   * behind those that came `before`. A connection that hangs holds up no other for long.
   */
  async #keep(task: Task, before: Promise<unknown>, now: Date): Promise<StoredDelivery> {
    const { store, deadlines, monotonicNow } = this.#deps;
    const { delivery, plan } = task;
    const isOrdered = keepsOrder(task);
    const late = monotonicNow() + deadlines.storeDelivery;
    for (let [isAgain, isLate] = [false, this.#isAway]; ; [isAgain, isLate] = [true, true]) {
      if (isLate) await Promise.race([before, pause(deadlines.database.connect, undefined, { ref: false })]);
      try {
        const stored = await store.keep(delivery, isOrdered, now, { isUrgent: plan.isUrgent, isAgain, isLate });
        this.#isAway = false;
        if (isLate) return { ...stored, isLate };
        if (!stored.isNew || monotonicNow() < late) return stored;
        return { isNew: true, seq: await store.moveBack(delivery.key), isLate: true };
      } catch (err) {
        if (!isUnavailable(err) || this.#cutOff.signal.aborted) throw err;
        this.#isAway = true;
        this.#logOf(delivery).warn({ err }, 'inbox: a delivery is kept until the database takes it');
      }
      await pause(lateness.pause);
    }
  }

  /** A delivery that cannot be stored in time is carried out anyway: its changes have keys of their own in the journal. */
  async #inTime(storing: Promise<StoredDelivery>, task: Task): Promise<StoredDelivery> {
    try {
      return await withTimeout(this.#deps.deadlines.storeDelivery, storing);
    } catch (err) {
      this.#logOf(task.delivery).warn({ err }, 'inbox: storing a delivery takes too long, it is carried out anyway');
      this.#deps.onUnstored?.();
      const stored = { isNew: true, seq: 0 };
      if (task.plan.mayChange) this.#tell(task, this.#toTurn(task, this.#deps.clock(), stored), unstoredWords);
      return stored;
    }
  }

  /** Tells a person how their act stands, before its answer. */
  #tell({ delivery, reply }: Task, turn: Turn, words: Words): void {
    // An answer gives up the place in the channel, and this is none.
    const say = () => this.#deps.dispatcher.say(words, delivery, reply, { ...turn, ...noHold });
    this.#start(() => say().catch(err => turn.log.warn({ err }, 'inbox: could not say how an act stands')));
  }

  /** Answers a person who sends a form again with its outcome. Its intents have keys of their own, so nothing happens twice. */
  async #answerAgain(task: Task, now: Date): Promise<void> {
    const stored = { isNew: false, seq: 0 };
    const again = {
      ...this.#toTurn({ ...task, mayAlreadyExist: true }, now, stored),
      caller: `${task.delivery.key}/again`,
    };
    await this.#carryOut(task, again, Promise.resolve(stored));
  }

  /** Handles a delivery in its turn, and stores its end. */
  async #handle(task: Task, receivedAt: Date, stored: StoredDelivery, storing: Promise<StoredDelivery>): Promise<void> {
    const { key, location } = task.delivery;
    const turn = this.#toTurn(task, receivedAt, stored, storing);
    this.#handled.add(key);
    try {
      const onWait = () => this.#tell(task, turn, waitingWords);
      const mustWait = waits(task) && stored.seq > 0 && !(await this.#isFree(task));
      // When the process stops first, the next one handles the delivery.
      if (mustWait && !(await this.#order.turnOf(location.channelId, stored.seq, onWait))) return;
      if (task.mayAlreadyExist && stored.isNew) await this.#deps.store.begin(key);
      await this.#carryOut(task, turn, storing);
    } catch (err) {
      turn.log.warn({ err }, 'inbox: a delivery could not be finished, it is handled again later');
    } finally {
      this.#handled.delete(key);
      turn.released();
    }
  }

  /** Whether it wakes people, and nothing that was typed before in its channel can change whom, or about what. */
  async #isFree({ delivery, plan }: Task): Promise<boolean> {
    if (plan.isUrgent !== true) return false;
    return (await this.#deps.isLive?.(delivery.location.channelId).catch(() => false)) === true;
  }

  async #carryOut(task: Task, turn: Turn, storing: Promise<StoredDelivery>): Promise<void> {
    const { log } = turn;
    const { key, actor } = task.delivery;
    const end = await this.#run(task, turn);
    // A delivery that was stored before belongs to the process that stored it.
    const { isNew } = end === 'stopped' ? { isNew: false } : await storing.catch(() => ({ isNew: false }));
    const patiently = (work: () => Promise<void>) => retryWhileUnavailable({ ...this.#deps, log }, work);
    if (isNew && end === 'done') return await patiently(() => this.#end(key, actor.userId, turn.answered));
    await this.#tellAnswered(turn);
    if (isNew && end !== 'done' && end !== 'stopped') await patiently(() => this.#settle(key, end, log));
  }

  async #run({ delivery, reply, plan }: Task, turn: Turn): Promise<End | 'stopped'> {
    const { dispatcher, heart } = this.#deps;
    const { log } = turn;
    const began = performance.now();
    const run = async (): Promise<End | 'stopped'> => {
      try {
        if ('words' in plan) await dispatcher.say(plan.words, delivery, reply, turn);
        else await plan.run(delivery, reply, turn);
        log.info({ ms: Math.round(performance.now() - began) }, 'delivery: done');
        return 'done';
      } catch (err) {
        if (err instanceof Stopped) return 'stopped';
        const end = toEnd(err);
        // The error would say that Slack cannot be reached: the call to it was held back.
        if (end === 'overtaken') log.warn('delivery: cut off, since this process or its database stood still');
        else
          log[end === 'failed' ? 'error' : 'warn']({ err }, 'delivery: failed, and the person could not be answered');
        return end;
      }
    };
    return await heart.pulse.run(run, this.#cutOff.signal);
  }

  /** Stores the end of a delivery, and with it that its person knows these outcomes. */
  async #end(key: string, userId: string, answered: readonly string[]): Promise<void> {
    const { journal, store, visits } = this.#deps;
    await journal.told(answered, async () => {
      const visit = visits.unstoredOf(userId);
      await store.done(key, { answered, visit });
      if (visit) visits.stored(visit);
    });
  }

  /** The delivery goes on, or ended before, and its person knows these outcomes. If this cannot be stored, they may be told again. */
  async #tellAnswered({ answered, log }: Turn): Promise<void> {
    if (answered.length === 0) return;
    const telling = this.#deps.journal.told(answered);
    await telling.catch(err => log.warn({ err }, 'journal: an outcome may be told twice'));
  }

  async #settle(key: string, end: Exclude<End, 'done'>, log: Logger): Promise<void> {
    if (end === 'overtaken') await this.#deps.store.handBack(key);
    else if ((await this.#deps.store.failed(key, this.#deps.clock(), end)) === 'given up') {
      log.error('delivery: given up');
      this.#deps.onGivenUp?.('failed');
    }
  }

  #toTurn(task: Task, now: Date, stored: StoredDelivery, storing?: Promise<StoredDelivery>): Turn {
    const { delivery, mayAlreadyExist } = task;
    const { key, location } = delivery;
    const log = this.#logOf(delivery);
    const isOrdered = keepsOrder(task) && stored.isNew;
    const hold = this.#order.holdOf({ key, channelId: location.channelId, isOrdered, stored, storing, log });
    return { ...hold, caller: key, mayAlreadyExist, log, now, answered: [] };
  }

  #logOf({ key, actor, location }: Delivery): Logger {
    return this.#deps.log.child({ delivery: key, user: actor.userId, channel: location.channelId });
  }

  /** One look at a time: what it takes up may take longer than the pause between two. */
  #look(): void {
    this.#looking ??= this.#takeUp().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Takes up what was left. The order of each channel is kept by turns, so nothing here waits for an outcome. */
  async #takeUp(): Promise<void> {
    const { store, clock, heart } = this.#deps;
    try {
      for (let taken = takenTogether; taken === takenTogether && !this.#isClosed; ) {
        const left = await store.takeUp(clock(), this.#handled, takenTogether, heart.trials);
        for (const each of left)
          this.#start(() => (heart.trials.has(each.key) ? this.#tryAlone(each) : this.#handleAgain(each)));
        taken = left.length;
      }
    } catch (err) {
      this.#deps.log.warn({ err }, 'inbox: could not take up deliveries that were left');
    }
  }

  /** Handles a delivery with which processes may have ended. */
  async #tryAlone(left: BotTables['bot_delivery']): Promise<void> {
    try {
      const isTried = left.hangs < mostHangs && left.attempts < maxAttempts;
      await (isTried ? this.#handleAgain(left) : this.#setAside(left));
    } finally {
      this.#deps.heart.trials.end(left.key);
      if (!this.#isClosed) this.#look();
    }
  }

  /** Tells the person, without the words that may have been the cause, and the operator. */
  async #setAside({ key, body, received_at, seq }: BotTables['bot_delivery']): Promise<void> {
    await this.#deps.store.setAside(key);
    const delivery = readDelivery(key, body);
    this.#deps.log.error(
      { delivery: key, user: delivery?.actor.userId },
      'delivery: set aside, processes hung or ended with it',
    );
    this.#deps.onGivenUp?.('set aside');
    if (!delivery) return;
    const task = { delivery, reply: noReply, plan: { words: sentence(hung.message) }, mayAlreadyExist: true };
    const stored = { isNew: false, seq };
    await this.#carryOut(task, this.#toTurn(task, new Date(received_at), stored), Promise.resolve(stored));
  }

  async #handleAgain({ key, body, attempts, received_at, seq }: BotTables['bot_delivery']): Promise<void> {
    const stored = { isNew: true, seq };
    const delivery = readDelivery(key, body);
    if (!delivery) {
      this.#deps.log.warn({ delivery: key }, 'inbox: dropped a delivery that this version cannot read');
      return this.#deps.store.done(key);
    }
    const log = this.#logOf(delivery);
    const { act } = delivery;
    const age = this.#deps.clock().getTime() - received_at;
    log.warn({ attempts, ms: age }, 'inbox: takes up a delivery that a process left');
    // However late: the home tab is made again, and no person waits to hear that Muster followed their edit.
    const isWelcome = age < stale || act.kind === 'home' || act.kind === 'change';
    const plan = isWelcome ? this.#deps.dispatcher.plan(act) : { words: tooOld(act, age) };
    const task = { delivery, reply: noReply, plan, mayAlreadyExist: true };
    await this.#handle(task, new Date(received_at), stored, Promise.resolve(stored));
  }
}

/** How often the first delivery that waits looks for a release by another process, in milliseconds: without words of that process, and with them. */
const lookEvery = { untold: 200, told: 2000 } as const;

/** A delivery that waits for the earlier ones of its channel. Only the first one of a channel looks whether its turn has come. */
class Waiting {
  readonly seq: number;
  wake = (): void => {};

  constructor(seq: number) {
    this.seq = seq;
  }

  /** The next time that it is woken. */
  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    return promise;
  }
}

type OrderStore = Pick<
  DeliveryStore,
  'hasEarlier' | 'release' | 'releaseWithin' | 'isFirst' | 'tellReleased' | 'onReleased' | 'isToldOfReleases'
>;

/** A delivery with a place in the order of its channel. */
interface Place {
  readonly key: string;
  readonly channelId: string;
  /** It has one only if later changes wait for it. */
  readonly isOrdered: boolean;
  /** Its `seq` is 0 while it is not stored: then it is begun before its place is known. */
  readonly stored: StoredDelivery;
  readonly storing: Promise<StoredDelivery> | undefined;
  readonly log: Logger;
}

/**
 * Keeps the order of a channel: a delivery that may change something starts only when no earlier one of its channel may still
 * submit a change, in this process or in any other.
 */
export class ChannelOrder {
  readonly #store: OrderStore;
  readonly #deadlines: Deadlines;
  /** Who waits in this process, by channel, in order. */
  readonly #waiting = new Map<string, Waiting[]>();
  #isStopped = false;

  constructor({ store, deadlines }: { readonly store: OrderStore; readonly deadlines: Deadlines }) {
    this.#store = store;
    this.#deadlines = deadlines;
    store.onReleased(channelId => this.#wakeFirst(channelId));
  }

  /** Resolves when the delivery may start; false when this process stops first. `onWait` is called once if that takes long. */
  async turnOf(channelId: string, seq: number, onWait: () => void): Promise<boolean> {
    let notice: NodeJS.Timeout | undefined;
    const mine = this.#join(channelId, seq);
    try {
      while (!this.#isStopped) {
        // It waits before it looks: a release that comes during the look wakes it too.
        const isWoken = mine.next();
        const isFirst = this.#waiting.get(channelId)?.[0] === mine;
        if (isFirst && !(await this.#mustWait(channelId, seq))) return !this.#isStopped;
        notice ??= setTimeout(onWait, this.#deadlines.turn);
        const wait = this.#store.isToldOfReleases() ? lookEvery.told : lookEvery.untold;
        const poll = isFirst ? setTimeout(mine.wake, wait) : undefined;
        await isWoken;
        clearTimeout(poll);
      }
      return false;
    } finally {
      clearTimeout(notice);
      this.#leave(channelId, mine);
    }
  }

  /** The hold of a delivery on the order of its channel. */
  holdOf({ key, channelId, isOrdered, stored, storing, log }: Place): Hold {
    let held = isOrdered && stored.seq > 0;
    let isKnown = !isOrdered;
    const released = () => {
      if (!isKnown) this.released(channelId);
      [held, isKnown] = [false, true];
    };
    const awaitTurn = async () => {
      if (!isOrdered || stored.seq > 0) return;
      const late = await storing?.catch(() => undefined);
      // In this time each process has tried to store what it kept.
      if (late?.isLate) await pause(lateness.others);
      if (late && !(await this.turnOf(channelId, late.seq, () => {}))) throw new Stopped();
    };
    return {
      awaitTurn,
      release: () => {
        if (!held) return;
        held = false;
        this.#store.release(key).then(
          () => released(),
          err => log.warn({ err }, 'inbox: could not release the order of a channel'),
        );
      },
      releaseWithin: async (trx: Kysely<NoTables>) => {
        if (held) await this.#store.releaseWithin(trx, key);
      },
      released,
      isFirst: trx => this.#store.isFirst(trx, key),
    };
  }

  /** A delivery of that channel released its hold. */
  released(channelId: string): void {
    this.#wakeFirst(channelId);
    this.#store.tellReleased(channelId);
  }

  #wakeFirst(channelId: string): void {
    this.#waiting.get(channelId)?.[0]?.wake();
  }

  /** Starts nothing that waits. */
  stop(): void {
    this.#isStopped = true;
    for (const all of this.#waiting.values()) for (const each of [...all]) each.wake();
  }

  /** While the database is away nobody knows, so the delivery waits. */
  async #mustWait(channelId: string, seq: number): Promise<boolean> {
    try {
      return await this.#store.hasEarlier(channelId, seq);
    } catch (error) {
      if (isUnavailable(error)) return true;
      throw error;
    }
  }

  #join(channelId: string, seq: number): Waiting {
    const mine = new Waiting(seq);
    const all = this.#waiting.get(channelId) ?? [];
    all.push(mine);
    all.sort((one, other) => one.seq - other.seq);
    this.#waiting.set(channelId, all);
    return mine;
  }

  /** The next one is the first now, and looks. */
  #leave(channelId: string, mine: Waiting): void {
    const all = this.#waiting.get(channelId) ?? [];
    all.splice(all.indexOf(mine), 1);
    if (all.length === 0) this.#waiting.delete(channelId);
    else this.#wakeFirst(channelId);
  }
}

/** Whether a delivery waits for the earlier changes of its channel. */
function waits({ delivery, plan }: Task): boolean {
  return plan.mayChange === true && delivery.location.channelId !== '';
}

/** Whether later changes of its channel wait for it. */
function keepsOrder(task: Task): boolean {
  return waits(task) && task.plan.isUrgent !== true;
}

/**
 * How handling a delivery ended. `unanswered`: Slack or the database was away. `overtaken`: this process stood still, and another
 * one may handle it.
 */
type End = 'done' | 'failed' | 'unanswered' | 'overtaken';

/** How handling ended that threw an error. Within the work itself, since only it knows whether it was overtaken. */
export function toEnd(error: unknown): End {
  if (isOvertaken()) return 'overtaken';
  const isSlacks = isSlackError(error) && isPassing(error);
  return error instanceof Unanswered || isUnavailable(error) || isSlacks ? 'unanswered' : 'failed';
}

/** For a person whose act waits for an earlier one of its channel. */
const waitingWords = sentence(
  `${incidentSigns.waiting} I have your request, behind an earlier one in this channel. I answer here when it is done.`,
);

/** For a person whose act was acknowledged before it was stored: the database took too long. */
const unstoredWords = sentence(
  `${incidentSigns.waiting} My database is slow or away, so your request is not stored yet: I keep it, and answer when it is done. If no answer comes, look whether it happened before you ask again.`,
);

/** For a person whose act is not taken. */
function notTakenWords(act: Act): Words {
  const text =
    'My database is away, and too many requests wait for it already. *I did not take yours*: ask again later.';
  const draft = toDraft(act);
  return draft ? addTypedText(text, draft) : sentence(text);
}

/** After this time, in milliseconds, a delivery that a process left is not carried out. The person is asked to look, and to do it again. */
const stale = 3_600_000;

/** For a person whose delivery was left for so long: `age` in milliseconds. */
function tooOld(act: Act, age: number): Words {
  const text = `You asked for this ${formatDuration(age / 1000)} ago, and Muster was stopped before it had answered. It may or may not have happened: look at \`/incident status\`, and do it again if it is missing.`;
  const draft = toDraft(act);
  return draft ? addTypedText(text, draft) : sentence(text);
}
