import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { NoTables } from '../../../db/engine.ts';
import type { IsFirst } from '../../schema/deliveries.ts';
import type { Words } from '../../text/blocks.ts';
import type { Delivery, Reply } from './delivery.ts';

/** The hold of a delivery on its channel: later changes there do not start while it may still submit one. */
export interface Hold {
  /**
   * Resolves when the delivery may submit an intent: at once, unless it was begun before it was stored and knew its place. Throws
   * Stopped when the process stops first.
   */
  awaitTurn(): Promise<void>;
  /** It submits nothing any more. Safe to call again. */
  release(): void;
  /** Releases it in the transaction that stores its last intent. */
  releaseWithin(trx: Kysely<NoTables>): Promise<void>;
  /** That transaction is committed, or the delivery has ended. Safe to call again. */
  released(): void;
  /** Asked by a change that is no intent. */
  readonly isFirst: IsFirst;
}

/** The hold of a delivery that nothing waits for. */
export const noHold: Hold = {
  awaitTurn: async () => {},
  release: () => {},
  releaseWithin: async () => {},
  released: () => {},
  isFirst: async () => true,
};

/** One attempt to carry out a delivery. */
export interface Turn extends Hold {
  /** Names the attempt: a form that is sent again is another caller of the same key. */
  readonly caller: string;
  /** The delivery was begun before, so some of its messages may be in Slack already. */
  readonly mayAlreadyExist: boolean;
  readonly log: Logger;
  readonly now: Date;
  /** Intents whose outcome the person has been told. They are stored together with the end of the delivery. */
  readonly answered: string[];
}

/** The plan for an act, before anything is done: words that ride in the acknowledgement, or work to do after it. */
export type Plan =
  | { readonly words: Words; readonly mayChange?: false; readonly isUrgent?: false }
  | {
      readonly run: (delivery: Delivery, reply: Reply, turn: Turn) => Promise<void>;
      /** Later changes of the channel wait until this one has submitted its intents. */
      readonly mayChange: boolean;
      /** It wakes people: it goes before others, and no later change waits for it. */
      readonly isUrgent?: boolean;
    };
