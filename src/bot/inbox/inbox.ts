import type { Logger } from 'pino';
import type { Arrival } from '../dispatch/arrival.ts';
import { Unanswered } from '../dispatch/context.ts';
import { Delivered, toDraft } from '../dispatch/delivery.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import { withTyped } from '../dispatch/help.ts';
import { persistently } from '../journal/persistently.ts';
import { createSeenLately } from '../slack/replay-guard.ts';
import { sentence } from '../text/blocks.ts';
import { inTime } from '../text/timeout.ts';
import { formatDuration } from '../text/times.ts';
import { type Deliveries, type KeptDelivery, type LeftDelivery, leaseTime, maxAttempts } from './delivery-store.ts';

/** What comes with a delivery, is good for minutes, and is never stored. */
export type Means = Pick<Arrival, 'triggerId' | 'respond' | 'replaceable'>;

/** Carries out what Slack delivers, each delivery once, whichever replica it comes to and whichever dies. */
export interface Inbox {
  /** Whether this process sees it for the first time: the quick look, before anything is stored. */
  isNew(key: string): boolean;
  /**
   * Carries it out. Resolves when it is stored, so that it is taken up again when this process dies, or when that takes too
   * long for whoever waits for the acknowledgement.
   */
  take(key: string, delivered: Delivered, means: Means): Promise<void>;
  /**
   * The same for what Slack delivers again when it is not acknowledged: resolves when it is stored, also when it was before,
   * and throws when it cannot be.
   */
  takeStored(key: string, delivered: Delivered): Promise<void>;
  /**
   * The same for a form, whose fields are gone once it is acknowledged: resolves when it is stored, or that takes too long.
   * Every time it comes it is carried out, and the answer is what came of it the first time.
   */
  takeForm(key: string, delivered: Delivered, now: Date): Promise<void>;
  /** Takes up what was begun and left, now and every few seconds. */
  start(): void;
  /** Resolves when everything begun is done. */
  idle(): Promise<void>;
  /** Takes nothing up any more; what is begun goes on. */
  close(): void;
  /** Hands back what is not done: whoever looks next takes it up. */
  handBack(): Promise<void>;
}

/** No means at all: the answer goes where the delivery came from, or to the person directly. */
const noMeans: Means = { triggerId: '', respond: undefined, replaceable: false };

/** How long storing may take where the acknowledgement waits for it, in milliseconds: Slack waits for three seconds. */
const storing = 2000;
/** How long a person waits for it to be stored, in milliseconds; then it is carried out all the same. */
const patience = 1000;
/** How often what was left is looked for, and what is held is held on to, in milliseconds. */
const lookEvery = 2500;
const beatEvery = leaseTime / 4;
/** How much is taken up at a time. */
const takenTogether = 20;
/** After so long a person is told that it was left, and it is not carried out unasked, in milliseconds. */
const stale = 3_600_000;

/** Opens the inbox. Nothing is taken up before it is started. */
export function openInbox(deps: {
  dispatcher: Dispatcher;
  deliveries: Deliveries;
  clock: () => Date;
  log: Logger;
}): Inbox {
  const { dispatcher, deliveries, clock } = deps;
  const seen = createSeenLately();
  const inFlight = new Set<Promise<void>>();
  const held = new Set<string>();
  let looking: Promise<void> | undefined;
  let timers: readonly NodeJS.Timeout[] = [];
  let stopped = false;

  function toArrival(key: string, delivered: Delivered, means: Means, now: Date, kept: KeptDelivery): Arrival {
    const { actor, place, act } = delivered;
    const log = logOf(key, delivered);
    const asked = { delivery: key, place: kept.place };
    // The place of another version's delivery is 0: nothing waits for it.
    let isAhead = kept.isNew && kept.place > 0;
    const letPass = () => {
      if (isAhead && holdsUp(delivered))
        goOn(() => deliveries.letPass(key).catch(err => log.warn({ err }, 'others may wait in vain')));
      isAhead = false;
    };
    return { actor, place, key, ...means, asked, draft: toDraft(act), log, now, letPass };
  }

  function logOf(key: string, { actor, place }: Delivered): Logger {
    return deps.log.child({ delivery: key, user: actor.userId, channel: place.channelId });
  }

  function holdsUp({ act, place }: Delivered): boolean {
    return place.channelId !== '' && dispatcher.mayChange(act);
  }

  function perform({ act }: Delivered, arrival: Arrival): Promise<void> {
    switch (act.kind) {
      case 'command': {
        const plan = dispatcher.command(act.root, act.text);
        return 'words' in plan ? dispatcher.say(plan.words, arrival) : plan.run(arrival);
      }
      case 'press':
        return dispatcher.press(act.actionId, act.value, act.picked, arrival);
      case 'form':
        return dispatcher.submit(act.modal, act.filled, act.state, arrival);
      case 'shortcut':
        return dispatcher.shortcut(act.id, act.message, arrival);
    }
  }

  function keep(key: string, delivered: Delivered, now: Date): Promise<KeptDelivery> {
    const { act, place } = delivered;
    const body = JSON.stringify(delivered);
    const { channelId } = place;
    return deliveries.keep({ key, kind: act.kind, body, channelId, holdsUp: holdsUp(delivered) }, now);
  }

  /** Whether it is ours to do. What cannot be stored in time is done: what it changes has a key of its own in the journal. */
  async function inPatience(keeping: Promise<KeptDelivery>, key: string, delivered: Delivered): Promise<KeptDelivery> {
    try {
      return await inTime(patience, keeping);
    } catch (error) {
      logOf(key, delivered).warn(
        { err: error },
        'a delivery could not be stored in time, and is carried out all the same',
      );
      return { isNew: true, place: 0 };
    }
  }

  function goOn(work: () => Promise<void>): void {
    const running = work().finally(() => inFlight.delete(running));
    inFlight.add(running);
  }

  function carryOut(
    delivered: Delivered,
    arrival: Arrival,
    keeping: Promise<Pick<KeptDelivery, 'isNew'>>,
  ): Promise<void> {
    return seeThrough(() => perform(delivered, arrival), arrival, keeping);
  }

  /** Does the work for a delivery and settles what is stored of it. Whatever the frame itself could not answer is in the log. */
  async function seeThrough(
    work: () => Promise<void>,
    arrival: Arrival,
    keeping: Promise<Pick<KeptDelivery, 'isNew'>>,
  ): Promise<void> {
    const { key, log } = arrival;
    const began = performance.now();
    // Whoever stored it first does it, so only they hold it, and say that it is done.
    const isFirst = keeping.then(
      ({ isNew }) => {
        if (isNew) held.add(key);
        return isNew;
      },
      () => false,
    );
    let isDone = false;
    try {
      await work();
      isDone = true;
      log.info({ ms: Math.round(performance.now() - began) }, 'done');
    } catch (error) {
      // Slack comes back, and then the answer is given.
      const level = error instanceof Unanswered ? 'warn' : 'error';
      log[level]({ err: error }, 'a delivery failed, and so did the answer about it');
    }
    if (!(await isFirst)) return;
    try {
      await persistently(log, () => settle(key, isDone, log));
    } catch (error) {
      log.warn({ err: error }, 'what became of a delivery could not be stored');
    } finally {
      held.delete(key);
    }
  }

  async function settle(key: string, isDone: boolean, log: Logger): Promise<void> {
    if (isDone) await deliveries.done(key);
    else if ((await deliveries.failed(key, clock())) === 'given up') log.error('a delivery is given up');
  }

  /** Takes up some of what was left behind, that of each channel in the order in which it came, and says how much. */
  async function takeUp(): Promise<number> {
    const left = await deliveries.takeUp(clock(), [...held], takenTogether);
    for (const each of left) held.add(each.key);
    const ofChannels = Map.groupBy(left, each => each.channelId);
    await Promise.all([...ofChannels.values()].map(resumeInOrder));
    return left.length;
  }

  async function resumeInOrder(left: readonly LeftDelivery[]): Promise<void> {
    for (const each of left) {
      try {
        if (!stopped) await resume(each);
      } catch (error) {
        // Its lease runs out, and whoever looks then takes it up once more.
        deps.log.warn({ err: error, delivery: each.key }, 'a delivery that was left could not be carried out');
      } finally {
        held.delete(each.key);
      }
    }
  }

  async function resume({ key, body, attempts, receivedAt, place }: LeftDelivery): Promise<void> {
    const ours = { isNew: true, place };
    const stored = Delivered.safeParse(readJson(body));
    if (!stored.success) {
      deps.log.warn({ delivery: key }, 'a delivery of another version was left, and cannot be read');
      return settle(key, true, deps.log);
    }
    const delivered = stored.data;
    const arrival = toArrival(key, delivered, noMeans, receivedAt, ours);
    if (attempts > maxAttempts) return settle(key, false, arrival.log);
    const age = clock().getTime() - receivedAt.getTime();
    arrival.log.warn({ attempts, ms: age }, 'a delivery that was left is taken up');
    if (age < stale) return carryOut(delivered, arrival, Promise.resolve(ours));
    const text = `You asked for this ${formatDuration(age / 1000)} ago, and Muster was stopped before it had answered. It may or may not have happened: look at \`/incident status\`, and do it again if it is missing.`;
    const words = arrival.draft ? withTyped(text, arrival.draft) : sentence(text);
    return seeThrough(() => dispatcher.say(words, arrival), arrival, Promise.resolve(ours));
  }

  async function beat(): Promise<void> {
    if (held.size === 0) return;
    try {
      await deliveries.hold([...held], clock());
    } catch (error) {
      deps.log.warn({ err: error }, 'deliveries could not be held on to');
    }
  }

  async function look(): Promise<void> {
    try {
      // A crash may have left more than is taken up at a time.
      while ((await takeUp()) === takenTogether && !stopped);
    } catch (error) {
      deps.log.warn({ err: error }, 'deliveries that were left could not be taken up');
    }
  }

  /** One look at a time: what it takes up may take longer than the pause between two. */
  function lookOnce(): void {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  }

  return {
    isNew: key => seen.isNew(key, clock()),
    take: async (key, delivered, means) => {
      const now = clock();
      const keeping = keep(key, delivered, now);
      const kept = await inPatience(keeping, key, delivered);
      if (kept.isNew) goOn(() => carryOut(delivered, toArrival(key, delivered, means, now, kept), keeping));
      else logOf(key, delivered).info('it was delivered before');
    },
    takeStored: async (key, delivered) => {
      const now = clock();
      const keeping = keep(key, delivered, now);
      // However late it is stored, it is ours then.
      goOn(async () => {
        const kept = await keeping.catch(() => undefined);
        if (kept?.isNew) await carryOut(delivered, toArrival(key, delivered, noMeans, now, kept), keeping);
      });
      await inTime(storing, keeping);
    },
    takeForm: async (key, delivered, now) => {
      const keeping = keep(key, delivered, now);
      const kept = await inPatience(keeping, key, delivered);
      goOn(() => carryOut(delivered, toArrival(key, delivered, noMeans, now, kept), keeping));
    },
    start: () => {
      lookOnce();
      timers = [setInterval(lookOnce, lookEvery).unref(), setInterval(() => void beat(), beatEvery).unref()];
    },
    idle: async () => {
      while (inFlight.size > 0 || looking) await Promise.allSettled([...inFlight, looking]);
    },
    close: () => {
      stopped = true;
      // What is begun goes on, and is held on to until it is handed back.
      clearInterval(timers[0]);
    },
    handBack: async () => {
      for (const timer of timers) clearInterval(timer);
      try {
        await deliveries.handBack();
      } catch (error) {
        deps.log.warn({ err: error }, 'deliveries could not be handed back, and are taken up later');
      }
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
