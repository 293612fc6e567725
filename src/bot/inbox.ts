import type { Logger } from 'pino';
import type { Arrival } from './arrival.ts';
import { sentence } from './blocks.ts';
import { Delivered, toDraft } from './delivered.ts';
import type { Frame } from './frame.ts';
import { withTyped } from './help.ts';
import { persistently } from './journal/persistently.ts';
import { type Deliveries, type LeftDelivery, maxAttempts } from './memory/deliveries.ts';
import { createSeenLately } from './replay-guard.ts';
import { formatDuration } from './times.ts';
import { Unanswered } from './turn.ts';

/** What comes with a delivery, is good for minutes, and is never stored. */
export type Means = Pick<Arrival, 'triggerId' | 'respond' | 'replaceable'>;

/** Carries out what Slack delivers, each delivery once, whichever replica it comes to and whichever dies. */
export interface Inbox {
  /** Whether this process sees it for the first time: the quick look, before anything is stored. */
  isNew(key: string): boolean;
  /** Carries it out after it was acknowledged. It is stored first, so that it is taken up again when this process dies. */
  take(key: string, delivered: Delivered, means: Means): void;
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
/** How often what was left is looked for and what is held is held on to, in milliseconds. */
const lookEvery = 15_000;
/** How much is taken up at a time. */
const takenTogether = 20;
/** After so long a person is told that it was left, and it is not carried out unasked, in milliseconds. */
const stale = 3_600_000;

/** Opens the inbox. Nothing is taken up before it is started. */
export function openInbox(deps: { frame: Frame; deliveries: Deliveries; clock: () => Date; log: Logger }): Inbox {
  const { frame, deliveries, clock } = deps;
  const seen = createSeenLately();
  const inFlight = new Set<Promise<void>>();
  const held = new Set<string>();
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function toArrival(key: string, { actor, place, act }: Delivered, means: Means, now: Date): Arrival {
    const log = deps.log.child({ delivery: key, user: actor.userId, channel: place.channelId });
    return { actor, place, key, ...means, draft: toDraft(act), log, now };
  }

  function perform({ act }: Delivered, arrival: Arrival): Promise<void> {
    switch (act.kind) {
      case 'command': {
        const plan = frame.command(act.root, act.text);
        return 'words' in plan ? frame.say(plan.words, arrival) : plan.run(arrival);
      }
      case 'press':
        return frame.press(act.actionId, act.value, act.picked, arrival);
      case 'form':
        return frame.submit(act.modal, act.filled, act.state, arrival);
      case 'shortcut':
        return frame.shortcut(act.id, act.message, arrival);
    }
  }

  function keep(key: string, delivered: Delivered, now: Date): Promise<boolean> {
    return deliveries.keep({ key, kind: delivered.act.kind, body: JSON.stringify(delivered) }, now);
  }

  /** Whether it is ours to do. What cannot be stored in time is done: what it changes has a key of its own in the journal. */
  async function isOurs(kept: Promise<boolean>, log: Logger): Promise<boolean> {
    try {
      return await inTime(patience, kept);
    } catch (error) {
      log.warn({ err: error }, 'a delivery could not be stored in time, and is carried out all the same');
      return true;
    }
  }

  function goOn(work: () => Promise<void>): void {
    const running = work().finally(() => inFlight.delete(running));
    inFlight.add(running);
  }

  /** Carries it out and settles what is stored of it. Whatever the frame itself could not answer is in the log. */
  async function carryOut(delivered: Delivered, arrival: Arrival, kept: Promise<boolean>): Promise<void> {
    const { key, log } = arrival;
    const began = performance.now();
    // Whoever stored it first does it, so only they hold it, and say that it is done.
    const isFirst = kept.then(
      first => {
        if (first) held.add(key);
        return first;
      },
      () => false,
    );
    let isDone = false;
    try {
      await perform(delivered, arrival);
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

  /** Takes up some of what was left behind, in the order in which it came, and says how much. */
  async function takeUp(): Promise<number> {
    const left = await deliveries.takeUp(clock(), [...held], takenTogether);
    for (const each of left) held.add(each.key);
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
    return left.length;
  }

  async function resume({ key, body, attempts, receivedAt }: LeftDelivery): Promise<void> {
    const ours = Promise.resolve(true);
    const stored = Delivered.safeParse(readJson(body));
    if (!stored.success) {
      deps.log.warn({ delivery: key }, 'a delivery of another version was left, and cannot be read');
      return settle(key, true, deps.log);
    }
    const delivered = stored.data;
    const arrival = toArrival(key, delivered, noMeans, receivedAt);
    if (attempts > maxAttempts) return settle(key, false, arrival.log);
    const age = clock().getTime() - receivedAt.getTime();
    arrival.log.warn({ attempts, ms: age }, 'a delivery that was left is taken up');
    if (age < stale) return carryOut(delivered, arrival, ours);
    const text = `You asked for this ${formatDuration(age / 1000)} ago, and Muster was stopped before it had answered. It may or may not have happened: look at \`/incident status\`, and do it again if it is missing.`;
    const words = arrival.draft ? withTyped(text, arrival.draft) : sentence(text);
    await frame.say(words, arrival);
    await settle(key, true, arrival.log);
  }

  async function look(): Promise<void> {
    try {
      if (held.size > 0) await deliveries.hold([...held], clock());
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
    take: (key, delivered, means) => {
      const now = clock();
      const arrival = toArrival(key, delivered, means, now);
      const kept = keep(key, delivered, now);
      goOn(async () => {
        if (await isOurs(kept, arrival.log)) await carryOut(delivered, arrival, kept);
        else arrival.log.info('it was delivered before');
      });
    },
    takeStored: async (key, delivered) => {
      const now = clock();
      const arrival = toArrival(key, delivered, noMeans, now);
      const kept = keep(key, delivered, now);
      // However late it is stored, it is ours then.
      goOn(async () => {
        const isFirst = await kept.catch(() => false);
        if (isFirst) await carryOut(delivered, arrival, kept);
      });
      await inTime(storing, kept);
    },
    takeForm: async (key, delivered, now) => {
      const arrival = toArrival(key, delivered, noMeans, now);
      const kept = keep(key, delivered, now);
      await isOurs(kept, arrival.log);
      goOn(() => carryOut(delivered, arrival, kept));
    },
    start: () => {
      lookOnce();
      timer = setInterval(lookOnce, lookEvery).unref();
    },
    idle: async () => {
      while (inFlight.size > 0 || looking) await Promise.allSettled([...inFlight, looking]);
    },
    close: () => {
      stopped = true;
      clearInterval(timer);
    },
    handBack: async () => {
      try {
        await deliveries.handBack();
      } catch (error) {
        deps.log.warn({ err: error }, 'deliveries could not be handed back, and are taken up later');
      }
    },
  };
}

/** The result of work that ends within that many milliseconds; throws when it does not, and it goes on. */
async function inTime<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`It took longer than ${ms} ms.`)), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
