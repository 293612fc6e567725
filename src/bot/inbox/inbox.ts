import type { Logger } from 'pino';
import { leaseTime } from '../../db/leases.ts';
import { retryWhileUnavailable } from '../../db/retry-while-unavailable.ts';
import type { Arrival } from '../dispatch/arrival.ts';
import { Unanswered } from '../dispatch/context.ts';
import { DeliveryBody, toDraft } from '../dispatch/delivery.ts';
import type { Dispatcher, Plan } from '../dispatch/dispatcher.ts';
import { withTyped } from '../dispatch/help.ts';
import { Stopped } from '../journal/intent.ts';
import { createReplayGuard } from '../slack/replay-guard.ts';
import { sentence } from '../text/blocks.ts';
import { withTimeout } from '../text/timeout.ts';
import { formatDuration } from '../text/times.ts';
import { ChannelHold } from './channel-hold.ts';
import { ChannelOrder } from './channel-order.ts';
import { type DeliveryStore, type LeftDelivery, maxAttempts, type StoredDelivery } from './delivery-store.ts';

/** Short-lived credentials that come with a delivery. They are never stored. */
export type ReplyHandles = Pick<Arrival, 'triggerId' | 'respond' | 'replaceable'>;

/** A delivery, parsed. */
export interface Received {
  readonly key: string;
  readonly body: DeliveryBody;
  readonly plan: Plan;
  readonly handles?: ReplyHandles;
}

/** No credentials: the answer goes where the delivery came from, or to the person directly. */
const noHandles: ReplyHandles = { triggerId: '', respond: undefined, replaceable: false };

/** How long Slack's acknowledgement waits for storing, in milliseconds: Slack itself waits for three seconds. */
const storingTime = 2000;
/** How long a person waits for storing, in milliseconds; then the delivery is handled all the same. */
const patience = 1000;
/** A person is told, after so many milliseconds, that their act waits for an earlier one. */
const waitNotice = 2500;
/** How often left deliveries are looked for, and leases are renewed, in milliseconds. */
const lookEvery = 2500;
const beatEvery = leaseTime / 4;
/** Deliveries taken up at a time. */
const takenTogether = 20;
/** A delivery that was left for so long is not carried out unasked, in milliseconds. */
const stale = 3_600_000;

const waitingWords = sentence(
  ':hourglass_flowing_sand: I have that. Something asked for earlier in this channel comes first, so it takes a little longer; you will be told.',
);

type Handler = Pick<Dispatcher, 'plan' | 'say'>;

/**
 * Handles each delivery once, whichever process it comes to and whichever dies: stored before it is acknowledged, carried out in the
 * order of its channel, handled again by another process when this one does not finish.
 */
export class Inbox {
  readonly #dispatcher: Handler;
  readonly #store: DeliveryStore;
  readonly #order: ChannelOrder;
  readonly #clock: () => Date;
  readonly #log: Logger;
  readonly #seen = createReplayGuard();
  /** Everything that goes on. */
  readonly #inFlight = new Set<Promise<void>>();
  /** Deliveries that this process handles. */
  readonly #handled = new Set<string>();
  #looking: Promise<void> | undefined;
  #timers: readonly NodeJS.Timeout[] = [];
  #isClosed = false;

  constructor(deps: { dispatcher: Handler; store: DeliveryStore; clock: () => Date; log: Logger }) {
    this.#dispatcher = deps.dispatcher;
    this.#store = deps.store;
    this.#order = new ChannelOrder(deps.store);
    this.#clock = deps.clock;
    this.#log = deps.log;
  }

  /** Whether this process sees a delivery for the first time: the quick look, before anything is stored. */
  isNew(key: string): boolean {
    return this.#seen.isNew(key, this.#clock());
  }

  /** Handles a delivery. Resolves when it is stored, or when storing takes too long for the person who waits. */
  async take(received: Received): Promise<void> {
    const now = this.#clock();
    const storing = this.#keep(received, now);
    const stored = await this.#inPatience(storing, received);
    if (stored.isNew) this.#start(() => this.#handle(received, now, stored, storing));
    else if (received.body.act.kind === 'form') this.#start(() => this.#answerAgain(received, now));
    else this.#logOf(received).info('delivery: it was delivered before');
  }

  /** The same for a delivery that Slack repeats until it is acknowledged: throws when it cannot be stored. */
  async takeStored(received: Received): Promise<void> {
    const now = this.#clock();
    const storing = this.#keep(received, now);
    // However late it is stored, it is ours then.
    this.#start(async () => {
      const stored = await storing.catch(() => undefined);
      if (stored?.isNew) await this.#handle(received, now, stored, storing);
    });
    await withTimeout(storingTime, storing);
  }

  /** Takes up what was left, now and every few seconds. `isAlone`: no other process uses the database. */
  async start(isAlone: boolean): Promise<void> {
    if (isAlone) await this.#store.freeOthers();
    this.#look();
    this.#timers = [
      setInterval(() => this.#look(), lookEvery).unref(),
      setInterval(() => void this.#beat(), beatEvery).unref(),
    ];
  }

  /** Resolves when everything begun is done. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0 || this.#looking) await Promise.allSettled([...this.#inFlight, this.#looking]);
  }

  /** Takes nothing up any more; everything begun goes on, but for what waits for its turn. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timers[0]);
    this.#order.stop();
  }

  /** Hands back what is not done: the process that looks next takes it up. */
  async handBack(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    try {
      await this.#store.handBack();
    } catch (err) {
      this.#log.warn({ err }, 'inbox: could not hand deliveries back, others take them up later');
    }
  }

  #start(work: () => Promise<void>): void {
    const running = work().finally(() => this.#inFlight.delete(running));
    this.#inFlight.add(running);
  }

  #keep({ key, body, plan }: Received, now: Date): Promise<StoredDelivery> {
    const { channelId } = body.location;
    const blocksOrder = 'run' in plan && plan.mayChange;
    return this.#store.keep({ key, kind: body.act.kind, body: JSON.stringify(body), channelId, blocksOrder }, now);
  }

  /** A delivery that cannot be stored in time is handled all the same: its changes have keys of their own in the journal. */
  async #inPatience(storing: Promise<StoredDelivery>, received: Received): Promise<StoredDelivery> {
    try {
      return await withTimeout(patience, storing);
    } catch (err) {
      this.#logOf(received).warn({ err }, 'inbox: a delivery could not be stored in time, it is handled all the same');
      return { isNew: true, seq: 0 };
    }
  }

  /** Answers a person who sends a form again with its outcome. Its intents have keys of their own, so nothing happens twice. */
  async #answerAgain(received: Received, now: Date): Promise<void> {
    const arrival = this.#toArrival(received, now, { isNew: false, seq: 0 });
    const again = { ...arrival, caller: `${received.key}/again` };
    await this.#carryOut(received, again, Promise.resolve({ isNew: false, seq: 0 }));
  }

  /** Handles a delivery in its turn, and stores what became of it. */
  async #handle(
    received: Received,
    receivedAt: Date,
    stored: StoredDelivery,
    storing: Promise<StoredDelivery>,
  ): Promise<void> {
    const { key, plan, body } = received;
    const arrival = this.#toArrival(received, receivedAt, stored);
    const mayChange = 'run' in plan && plan.mayChange && body.location.channelId !== '' && stored.seq > 0;
    this.#handled.add(key);
    try {
      if (mayChange && !(await this.#awaitTurn(arrival, stored.seq))) return;
      await this.#carryOut(received, arrival, storing);
    } catch (err) {
      arrival.log.warn({ err }, 'inbox: a delivery could not be finished, it is handled again later');
    } finally {
      this.#handled.delete(key);
      this.#order.released(body.location.channelId);
    }
  }

  /** False when the process stops first: the next one handles the delivery. */
  async #awaitTurn(arrival: Arrival, seq: number): Promise<boolean> {
    let notice: NodeJS.Timeout | undefined;
    const tell = () => {
      notice = setTimeout(() => {
        const told = this.#dispatcher.say(waitingWords, arrival);
        this.#start(() => told.catch(err => arrival.log.warn({ err }, 'inbox: could not say that an act waits')));
      }, waitNotice);
    };
    try {
      return await this.#order.turnOf(arrival.location.channelId, seq, tell);
    } finally {
      clearTimeout(notice);
    }
  }

  async #carryOut({ key, plan }: Received, arrival: Arrival, storing: Promise<StoredDelivery>): Promise<void> {
    const { log } = arrival;
    const began = performance.now();
    let end: 'done' | 'failed' | 'unanswered' = 'failed';
    try {
      await ('words' in plan ? this.#dispatcher.say(plan.words, arrival) : plan.run(arrival));
      end = 'done';
      log.info({ ms: Math.round(performance.now() - began) }, 'delivery: done');
    } catch (error) {
      if (error instanceof Stopped) return;
      if (error instanceof Unanswered) end = 'unanswered';
      log[end === 'unanswered' ? 'warn' : 'error']({ err: error }, 'delivery: failed, and so did its answer');
    }
    // A delivery that was stored before belongs to the process that stored it.
    const { isNew } = await storing.catch(() => ({ isNew: false }));
    if (isNew) await retryWhileUnavailable(log, () => this.#settle(key, end, log));
  }

  async #settle(key: string, end: 'done' | 'failed' | 'unanswered', log: Logger): Promise<void> {
    if (end === 'done') await this.#store.done(key);
    else if ((await this.#store.failed(key, this.#clock(), end)) === 'given up') log.error('delivery: given up');
  }

  #toArrival({ key, body, handles = noHandles }: Received, now: Date, stored: StoredDelivery): Arrival {
    const { actor, location, act } = body;
    const log = this.#logOf({ key, body });
    const order = new ChannelHold(this.#store, this.#order, {
      key,
      channelId: location.channelId,
      isHeld: stored.isNew && stored.seq > 0,
      log,
    });
    return { actor, location, key, caller: key, ...handles, draft: toDraft(act), log, now, order };
  }

  #logOf({ key, body: { actor, location } }: Pick<Received, 'key' | 'body'>): Logger {
    return this.#log.child({ delivery: key, user: actor.userId, channel: location.channelId });
  }

  /** One look at a time: what it takes up may take longer than the pause between two. */
  #look(): void {
    this.#looking ??= this.#takeUp().finally(() => {
      this.#looking = undefined;
    });
  }

  /** Takes up what was left. The order of each channel is kept by turns, so nothing here waits for an outcome. */
  async #takeUp(): Promise<void> {
    try {
      for (let taken = takenTogether; taken === takenTogether && !this.#isClosed; ) {
        const left = await this.#store.takeUp(this.#clock(), this.#handled, takenTogether);
        for (const each of left) this.#start(() => this.#handleAgain(each));
        taken = left.length;
      }
    } catch (err) {
      this.#log.warn({ err }, 'inbox: could not take up deliveries that were left');
    }
  }

  async #handleAgain({ key, body: json, attempts, receivedAt, seq }: LeftDelivery): Promise<void> {
    const stored = { isNew: true, seq };
    const parsed = DeliveryBody.safeParse(readJson(json));
    if (!parsed.success) {
      this.#log.warn({ delivery: key }, 'inbox: a delivery of another version was left, and cannot be read');
      return this.#store.done(key);
    }
    const body = parsed.data;
    const log = this.#logOf({ key, body });
    if (attempts > maxAttempts) return this.#settle(key, 'failed', log);
    const age = this.#clock().getTime() - receivedAt.getTime();
    log.warn({ attempts, ms: age }, 'inbox: a delivery that was left is taken up');
    const plan = age < stale ? this.#dispatcher.plan(body.act) : this.#tooOld(body, age);
    await this.#handle({ key, body, plan }, receivedAt, stored, Promise.resolve(stored));
  }

  #tooOld(body: DeliveryBody, age: number): Plan {
    const text = `You asked for this ${formatDuration(age / 1000)} ago, and Muster was stopped before it had answered. It may or may not have happened: look at \`/incident status\`, and do it again if it is missing.`;
    const draft = toDraft(body.act);
    return { words: draft ? withTyped(text, draft) : sentence(text) };
  }

  async #beat(): Promise<void> {
    if (this.#handled.size === 0) return;
    await this.#store
      .beat([...this.#handled])
      .catch(err => this.#log.warn({ err }, 'inbox: could not renew the leases of deliveries'));
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
