import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { NoTables } from '../../db/engine.ts';
import { isUnavailable } from '../../db/failure.ts';
import type { Turn } from '../dispatch/feature/arrival.ts';
import { Stopped } from '../journal/intent.ts';
import type { StoredDelivery } from './delivery-rows.ts';
import { type DeliveryStore, releaseWithin } from './delivery-store.ts';

/** How often a delivery that waits looks whether another process has released the channel, in milliseconds. */
const pollEvery = 200;
/** After this time, in milliseconds, a person reads that their act waits for an earlier one. */
const waitNotice = 2500;

/** A delivery that waits for the earlier ones of its channel. */
interface Waiting {
  readonly seq: number;
  wake(): void;
}

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
  readonly #store: Pick<DeliveryStore, 'hasEarlier' | 'release'>;
  /** Who waits in this process, by channel, in order. */
  readonly #waiting = new Map<string, Waiting[]>();
  #isStopped = false;

  constructor(store: Pick<DeliveryStore, 'hasEarlier' | 'release'>) {
    this.#store = store;
  }

  /** Resolves when the delivery may start; false when this process stops first. `onWait` is called once if that takes long. */
  async turnOf(channelId: string, seq: number, onWait: () => void): Promise<boolean> {
    let notice: NodeJS.Timeout | undefined;
    try {
      while (!this.#isStopped) {
        // It waits before it looks: a release that comes during the look wakes it too.
        const waiting = this.#wait(channelId, seq);
        try {
          if (!(await this.#mustWait(channelId, seq))) return !this.#isStopped;
          notice ??= setTimeout(onWait, waitNotice);
          await waiting.isWoken;
        } finally {
          waiting.end();
        }
      }
      return false;
    } finally {
      clearTimeout(notice);
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

  #wait(channelId: string, seq: number): { readonly isWoken: Promise<void>; end(): void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, pollEvery);
    const mine = { seq, wake: resolve };
    const all = this.#waiting.get(channelId) ?? [];
    all.push(mine);
    all.sort((one, other) => one.seq - other.seq);
    this.#waiting.set(channelId, all);
    const end = () => {
      clearTimeout(timer);
      all.splice(all.indexOf(mine), 1);
      if (all.length === 0 && this.#waiting.get(channelId) === all) this.#waiting.delete(channelId);
    };
    return { isWoken: promise, end };
  }
}
