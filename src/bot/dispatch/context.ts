import type { Logger } from 'pino';
import type { KnownPerson } from '../../contract/define.ts';
import type { IntentKind, Outcome, Undone } from '../journal/intent.ts';
import type { Person, Place } from '../people/person.ts';
import type { Words } from '../text/blocks.ts';
import type { Deps } from './deps.ts';
import type { Draft, Filled, Offered } from './drafts.ts';
import type { Modal } from './modal.ts';

/** Thrown when nobody could be told anything, since Slack is away: the answer is given later. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** How an intent is submitted. */
export interface SubmitOptions {
  /** The incident it belongs to; its card is brought up to date afterwards. */
  readonly incidentID?: string;
  /** Tells apart several intents of one turn. */
  readonly step?: string;
  /**
   * A key that says what happens once, in place of the turn's own: `note/7/C1/1700000000.000100`. What was refused under it
   * is tried anew.
   */
  readonly key?: string;
  /** People the intent names, besides who acts. */
  readonly others?: readonly KnownPerson[];
}

/**
 * One thing somebody did in Slack, already acknowledged and checked, with everything needed to carry it out and to
 * answer. Whatever a feature throws is answered by the frame: an RpcError with its reason, anything else with an apology.
 */
export interface Context {
  /** Names what the person did, for ever: carried out again, it is the same. */
  readonly key: string;
  readonly deps: Deps;
  readonly actor: Person;
  readonly place: Place;
  readonly now: Date;
  readonly log: Logger;
  /** What was typed or filled, to be given back if it cannot go on. */
  readonly draft: Draft | undefined;

  /** Tells the person alone, where they are, or in a direct message when that is not possible. */
  answer(words: Words): Promise<void>;
  /** Puts other words in place of the message whose button was pressed; where there is none, answers. */
  replace(words: Words): Promise<void>;
  /**
   * Opens a form. When Slack's three seconds are over, what was filled is kept and a button offers it again. `offered` are
   * options for its lists that would not fit into its state.
   */
  openForm<S, V>(modal: Modal<S, V>, state: S, filled?: Filled, offered?: Offered): Promise<void>;
  /** Submits an intent and leaves the words to the caller; whatever is not done is answered by {@link Context.answerUndone}. */
  submit<P, R>(intent: IntentKind<P, R>, payload: P, options?: SubmitOptions): Promise<Outcome<R>>;
  /** Tries a refused or kept intent of whoever acts again, and leaves the words to the caller; undefined when they have none of that id. */
  again(id: string): Promise<Outcome<unknown> | undefined>;
  /** Submits an intent and answers: its words when done, else the reason and the way out (then: undefined). */
  carryOut<P, R>(intent: IntentKind<P, R>, payload: P, options?: SubmitOptions): Promise<R | undefined>;
  /**
   * Answers what is not done, of one intent or of one among several: what was wanted, why not, and what happens next. What is
   * kept is done by itself later; what was refused can be tried again or changed with a button.
   */
  answerUndone<P, R>(intent: IntentKind<P, R>, payload: P, undone: Undone): Promise<void>;
}
