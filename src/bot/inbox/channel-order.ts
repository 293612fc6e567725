import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { NoTables } from '../../db/engine.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Deadlines } from '../../deadlines.ts';
import type { Turn } from '../dispatch/feature/arrival.ts';
import { Stopped } from '../journal/intent.ts';
import type { StoredDelivery } from './delivery-rows.ts';
import { type DeliveryStore, releaseWithin } from './delivery-store.ts';

/** How often the first delivery that waits looks for a release by another process, in milliseconds: without words of that process, and with them. */
const pollEvery = { untold: 200, told: 2000 } as const;

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

/** What the order of channels needs of the deliveries. */
type OrderStore = Pick<DeliveryStore, 'hasEarlier' | 'release' | 'tellReleased' | 'onReleased' | 'isToldOfReleases'>;

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
        const wait = this.#store.isToldOfReleases() ? pollEvery.told : pollEvery.untold;
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
  turnFor({ key, channelId, isOrdered, stored, storing, log }: Place): Turn {
    let held = isOrdered && stored.seq > 0;
    const released = () => {
      if (held) this.released(channelId);
      held = false;
    };
    const awaitTurn = async () => {
      if (!isOrdered || stored.seq > 0) return;
      const late = await storing?.catch(() => undefined);
      if (late && !(await this.turnOf(channelId, late.seq, () => {}))) throw new Stopped();
    };
    return {
      awaitTurn,
      release: () => {
        if (!held) return;
        held = false;
        this.#store.release(key).then(
          () => this.released(channelId),
          err => log.warn({ err }, 'inbox: could not release the order of a channel'),
        );
      },
      releaseWithin: async (trx: Kysely<NoTables>) => {
        if (held) await releaseWithin(trx, key);
      },
      released,
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
