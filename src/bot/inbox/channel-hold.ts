import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { NoTables } from '../../db/engine.ts';
import type { OrderHold } from '../dispatch/arrival.ts';
import type { ChannelOrder } from './channel-order.ts';
import { type DeliveryStore, releaseWithin } from './delivery-store.ts';

/** The hold of one delivery on the order of its channel. */
export class ChannelHold implements OrderHold {
  readonly #store: Pick<DeliveryStore, 'release'>;
  readonly #order: Pick<ChannelOrder, 'released'>;
  readonly #key: string;
  readonly #channelId: string;
  readonly #log: Logger;
  #isHeld: boolean;

  constructor(
    store: Pick<DeliveryStore, 'release'>,
    order: Pick<ChannelOrder, 'released'>,
    delivery: { readonly key: string; readonly channelId: string; readonly isHeld: boolean; readonly log: Logger },
  ) {
    this.#store = store;
    this.#order = order;
    this.#key = delivery.key;
    this.#channelId = delivery.channelId;
    this.#isHeld = delivery.isHeld;
    this.#log = delivery.log;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#store.release(this.#key).then(
      () => this.#order.released(this.#channelId),
      err => this.#log.warn({ err }, 'inbox: could not release the order of a channel'),
    );
  }

  readonly releaseWithin = async (trx: Kysely<NoTables>): Promise<void> => {
    if (this.#isHeld) await releaseWithin(trx, this.#key);
  };

  readonly released = (): void => {
    if (this.#isHeld) this.#order.released(this.#channelId);
    this.#isHeld = false;
  };
}
