import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { NoTables } from '../../../db/engine.ts';
import type { IsFirst } from '../../schema/deliveries.ts';
import type { Words } from '../../text/blocks.ts';
import type { Delivery, Reply } from './delivery.ts';
import type { Draft } from './drafts.ts';

/** A delivery from Slack that is verified and acknowledged. Nobody has checked yet whether the actor may act. */
export interface Arrival {
  readonly delivery: Delivery;
  readonly reply: Reply;
  /** Names this attempt to answer it: a form that is sent again is another caller of the same key. */
  readonly caller: string;
  /** It was begun before, so some of its messages may be in Slack already. */
  readonly mayStand: boolean;
  /** Takes the words that would replace a message, where the home tab was pressed. */
  readonly replaceOnHome?: (words: Words) => void;
  readonly draft: Draft | undefined;
  readonly log: Logger;
  readonly now: Date;
  readonly order: Turn;
  /** Intents whose outcome the person has been told of: it is stored together with the end of the delivery. */
  readonly answered: string[];
}

/** The hold that a delivery has on its channel: later changes there are not started while it may still submit one. */
export interface Turn {
  /**
   * Resolves when the delivery may submit an intent: at once, unless it was begun before it was stored and knew its place. Throws
   * Stopped when the process stops first.
   */
  awaitTurn(): Promise<void>;
  /** It submits nothing any more. Safe to call again. */
  release(): void;
  /** The same, written in the transaction that stores its last intent. */
  releaseWithin(trx: Kysely<NoTables>): Promise<void>;
  /** That transaction is committed, or the delivery has ended. Safe to call again. */
  released(): void;
  /** Asked of the change that is no intent. */
  readonly isFirst: IsFirst;
}

/** The hold of an arrival that nothing waits for. */
export const noTurn: Turn = {
  awaitTurn: async () => {},
  release: () => {},
  releaseWithin: async () => {},
  released: () => {},
  isFirst: async () => true,
};

/** What an act comes to, before anything is done: words that ride in the acknowledgement, or work to do after it. */
export type Plan =
  | { readonly words: Words; readonly mayChange?: false }
  | {
      readonly run: (arrival: Arrival) => Promise<void>;
      /** Later changes of the channel wait until this one has submitted its intents. */
      readonly mayChange: boolean;
    };

/** A delivery, parsed. */
export interface Received {
  readonly delivery: Delivery;
  readonly plan: Plan;
  /** It was begun before, so some of its messages may be in Slack already. */
  readonly mayStand?: boolean;
  /** Absent where Slack gave no way to answer, or gave it to another process. */
  readonly reply?: Reply;
}
