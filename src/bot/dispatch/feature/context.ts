import type { KnownBlock } from '@slack/types';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { KnownPerson } from '../../../contract/define.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import type { Settings } from '../../incident/state/settings.ts';
import type { Outcome } from '../../journal/intent.ts';
import type { Location, Person } from '../../people/person.ts';
import type { IsFirst } from '../../schema/deliveries.ts';
import type { Words } from '../../text/blocks.ts';
import type { Deps } from './deps.ts';
import type { Draft, Filled, Offered } from './drafts.ts';

/** Thrown when Slack is away and the person could not be answered: the delivery is handled again later. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
}

/** An intent that waits for its author's choice, because a text in it looks like a secret. `id` is its draft's. */
export interface PendingConfirmation {
  readonly state: 'held';
  readonly id: string;
}

/** An intent that was submitted. The person has read nothing of it yet. */
export type Submitted<R> = (Outcome<R> | PendingConfirmation) & {
  /** Answers for it: the whole receipt when it is done, else the reason and the way out. */
  tell(): Promise<void>;
};

/** How an intent is submitted. */
export interface SubmitOptions {
  /** The incident it belongs to; its card is rendered afterwards. */
  readonly incidentID?: string;
  /** Tells apart several intents of one delivery. */
  readonly step?: string;
  /** The handler submits more intents after this one, so later changes of the channel still wait. */
  readonly hasMore?: boolean;
  /** Later changes of the channel wait until the handler ends, though it submits nothing more. */
  readonly keepsTurn?: boolean;
  /**
   * A key that names the effect, in place of the delivery's own: `note/7/T1/C1/1700000000.000100`. An intent that failed under it is
   * tried again.
   */
  readonly key?: string;
  /** Its words are in the incident already, or their author chose to keep them: the secrets guard lets them pass. */
  readonly isExamined?: boolean;
  /** The intent that it undoes: the room sees that one's line marked. */
  readonly undoes?: string;
  /** People the intent names, apart from the person who acts. */
  readonly others?: readonly KnownPerson[];
}

/** How an intent is submitted, and the words where it is not done. */
export interface PerformOptions extends SubmitOptions {
  /** The words where the API does not know its target any more; absent: the error tells it. */
  readonly gone?: Words;
  /** One of several parts of an act: the feature calls `tell` of what was not done, when the other parts are over. */
  readonly isPart?: boolean;
}

/** An intent that was submitted: done with its receipt, or not done and told, unless it is a part. */
export type Performed<R> =
  | (Extract<Submitted<R>, { state: 'done' }> & { readonly words: Words })
  | (Exclude<Submitted<R>, { state: 'done' }> & {
      /** Those of `gone`. Undefined: the person was answered. */
      readonly words?: Words | undefined;
      readonly result?: undefined;
    });

/**
 * One act of a person in Slack, acknowledged and checked, with everything a feature needs to carry it out and to answer. Errors
 * that a feature throws are answered by the error boundary: an RpcError with its reason, anything else with an apology.
 */
export interface Context {
  /** Names the act: carried out again, it has the same key. */
  readonly key: string;
  readonly deps: Deps;
  readonly actor: Person;
  readonly location: Location;
  readonly now: Date;
  /** It was begun before, so some of its messages may be in Slack already. */
  readonly mayAlreadyExist: boolean;
  /**
   * The payload of such an intent that this act submitted when it was begun before; undefined where it did not. What has changed since is its
   * own doing: whether to ask, or to change nothing, was decided then.
   */
  before<P, R>(intent: IntentKind<P, R>): Promise<P | undefined>;
  readonly log: Logger;
  /** The words or fields of the person. They get them back when the act fails. */
  readonly draft: Draft | undefined;

  /** Tells the person alone, where they are, or in a direct message when that is not possible. */
  answer(words: Words): Promise<void>;
  /**
   * Shows the person alone words about the incident of a press, in a window over the page or in the one that was pressed. `title` is its
   * heading. Where Slack opens none in time, they are an answer.
   */
  show(title: string, words: Words): Promise<void>;
  /** Answers that something is wrong with what was typed, and gives that back; `below` are choices that help. */
  reject(mrkdwn: string, below?: readonly KnownBlock[]): Promise<void>;
  /** Replaces the message whose button was pressed; where it cannot be replaced, answers. */
  replace(words: Words): Promise<void>;
  /**
   * Names the message whose button was pressed, so that a form can replace it later; `""` where it cannot be replaced. This process alone
   * knows the name, for half an hour.
   */
  keepMessage(): string;
  /** Replaces the message of that name, where that is still possible; otherwise answers. */
  replaceKept(place: string, words: Words): Promise<void>;
  /**
   * Opens a form. When Slack's three seconds are over, the fields are kept and a button offers the form again. `offered` are
   * options for its lists that would not fit into its state; `isAgain`: the person filled it in before.
   */
  openForm<S, V>(modal: Modal<S, V>, state: S, filled?: Filled, offered?: Offered, isAgain?: boolean): Promise<void>;
  /** Carries out what the person began: the draft of that id, about that incident (`""` for the one at hand). */
  resume(id: string, draft: Draft, incidentID: string): Promise<void>;
  /**
   * Submits an intent and says nothing: the feature tells of several at once, or calls `tell` of the outcome when it wants to. An
   * intent in which a text looks like a secret is held back: it is stored once its author has chosen.
   */
  submit<P, R>(intent: IntentKind<P, R>, payload: P, options?: SubmitOptions): Promise<Submitted<R>>;
  /** Tries a failed or queued intent of this person again; undefined when they have none of that id. */
  retry(id: string): Promise<Outcome<unknown> | undefined>;
  /**
   * Submits an intent. Done, its outcome comes with the receipt, which the feature shows; else the person was answered: the reason and the
   * way out.
   */
  perform<P, R>(intent: IntentKind<P, R>, payload: P, options?: PerformOptions): Promise<Performed<R>>;
  /**
   * Makes the one change of the act that is no intent: to the bot's own tables, in the order of the channel, and once, however often the act
   * is carried out. The store asks `isFirst` in the transaction of the change, and yields what counts now, which the answer then says.
   */
  change<T>(make: (isFirst: IsFirst) => Promise<T>): Promise<T>;
  /** Submits an intent and answers: its receipt when done (returns its result), else the reason and the way out. */
  carryOut<P, R>(intent: IntentKind<P, R>, payload: P, options?: SubmitOptions): Promise<R | undefined>;
}

/** The facts of a check: the settings of the team, the time, and the options that the form was given. */
export interface FormInput {
  readonly settings: Settings;
  readonly now: Date;
  /** Options for lists that were given when the form was opened. A check never has them. */
  readonly offered?: Offered | undefined;
}

/** Problems by field id. They are shown in the form, and nothing that was typed is lost. */
interface Problems {
  readonly problems: Readonly<Record<string, string>>;
}

/**
 * A form. `S` is what it is about: it rides in `private_metadata`, so at most 3,000 characters of JSON. `V` is what the
 * check makes of the fields. The check is pure, so its problems ride in the acknowledgement.
 */
export interface Modal<S = unknown, V = unknown> {
  readonly id: string;
  /** Only an earlier version opened it. Its submission does what it did. */
  readonly isGone?: true;
  /** It wakes people: it goes before other acts, and waits for none of them. */
  readonly isUrgent?: true;
  readonly state: z.ZodType<S>;
  view(state: S, filled: Filled, facts: FormInput): FormView;
  check(filled: Filled, state: S, facts: FormInput): { readonly value: V } | Problems;
  submit(ctx: Context, value: V, state: S): Promise<void>;
}

/** A form's face: `title` and `submit` at most 24 characters. */
interface FormView {
  readonly title: string;
  readonly submit: string;
  readonly blocks: readonly KnownBlock[];
}
