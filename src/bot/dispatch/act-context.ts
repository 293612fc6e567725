import type { KnownBlock } from '@slack/types';
import type { Logger } from 'pino';
import { type IntentKind, type Origin, toOwner } from '../incident/acts/intent-kind.ts';
import { noteAct, toCurrentID } from '../incident/acts/registration.ts';
import { aimOf } from '../incident/lines/did.ts';
import { AlreadyAnswered, type NotDone, type Outcome } from '../journal/intent.ts';
import { provisionalIDsIn } from '../journal/provisional-id.ts';
import type { Location, Person } from '../people/person.ts';
import { mustPass, whyNotAdmin } from '../people/reach.ts';
import type { IsFirst } from '../schema/deliveries.ts';
import { isPassing, slackReason, slackRefusal } from '../slack/clients.ts';
import { actions, code, section, type Words } from '../text/blocks.ts';
import { addAboutLine, type RequestedAct } from './answers/about-line.ts';
import { afterwards, askBeforeStoring, askedFor, failedWords, questionWords, queuedWords } from './answers/receipts.ts';
import { tellPerson } from './answers/tell-person.ts';
import { addTypedText } from './answers/typed-back.ts';
import {
  type Context,
  type Modal,
  type PendingConfirmation,
  type Performed,
  type PerformOptions,
  type SubmitOptions,
  type Submitted,
  Unanswered,
} from './feature/context.ts';
import { type Delivery, type Reply, toDraft } from './feature/delivery.ts';
import { type Deps, guardDeps, incidentIn, Sight } from './feature/deps.ts';
import type { Draft, Filled, Offered } from './feature/drafts.ts';
import { pressable } from './feature/feature.ts';
import { resumeButton } from './feature/resume.ts';
import type { Turn } from './feature/turn.ts';
import { toView, toWindow } from './forms/modal.ts';

/** Slack's words for a trigger id whose three seconds are over. */
const tooLate = [
  'expired_trigger_id',
  'exchanged_trigger_id',
  'invalid_trigger_id',
  'trigger_expired',
  'trigger_exchanged',
];

/** A context's delivery and person, and how the dispatcher takes up a draft. */
interface Circumstances {
  readonly delivery: Delivery;
  readonly reply: Reply;
  readonly turn: Turn;
  readonly person: Person;
  /** Slack says that the person acts in that place now, and not that they did when a form was opened. */
  readonly isHere: boolean;
  resume(ctx: ActContext, id: string, draft: Draft, incidentID: string): Promise<void>;
}

/** The context of one attempt to carry out a delivery for one person. */
export class ActContext implements Context {
  readonly actor: Person;
  /** Intents whose outcome this delivery tells. */
  readonly unreported: string[] = [];
  #hasSubmitted = false;
  #hasChanged = false;
  /** The acts that were submitted since the last answer. */
  #asked: RequestedAct[] = [];
  /** Those of the bot. The context's own `deps` read once, and show what its person may see. */
  readonly #deps: Deps;
  readonly #of: Circumstances;
  #read: { readonly sight: Sight; readonly deps: Deps } | undefined;

  constructor(deps: Deps, of: Circumstances) {
    this.actor = of.person;
    this.#deps = deps;
    this.#of = of;
  }

  /** Made when it is first asked for: most contexts lead to another one before anything is read. */
  get #reading(): { readonly sight: Sight; readonly deps: Deps } {
    if (this.#read) return this.#read;
    const { delivery, turn, person, isHere } = this.#of;
    const channelId = isHere && !turn.mayAlreadyExist ? delivery.location.channelId : '';
    const knowing = { ...this.#deps, ...this.#deps.knowing() };
    const sight = new Sight(knowing.visibility, { ...person, channelId });
    this.#read = { sight, deps: guardDeps(knowing, sight) };
    return this.#read;
  }

  get deps(): Deps {
    return this.#reading.deps;
  }

  /** A context of its own for the same attempt, with other circumstances. */
  but(other: Partial<Circumstances>): ActContext {
    return new ActContext(this.#deps, { ...this.#of, ...other });
  }

  get delivery(): Delivery {
    return this.#of.delivery;
  }

  get reply(): Reply {
    return this.#of.reply;
  }

  get turn(): Turn {
    return this.#of.turn;
  }

  get key(): string {
    return this.delivery.key;
  }

  get location(): Location {
    return this.delivery.location;
  }

  get now(): Date {
    return this.turn.now;
  }

  get mayAlreadyExist(): boolean {
    return this.turn.mayAlreadyExist;
  }

  get log(): Logger {
    return this.turn.log;
  }

  get draft(): Draft | undefined {
    return toDraft(this.delivery.act);
  }

  async answer(spoken: Words): Promise<void> {
    const { respond } = this.reply;
    this.#releaseOrder();
    const words = await numberIncidents(this.deps, spoken);
    if (respond) {
      try {
        await respond(words, 'add');
        return;
      } catch (error) {
        this.log.info({ reason: slackReason(error) }, 'answer: the response URL refused a message');
      }
    }
    const addressee = { userId: this.actor.userId, location: this.location };
    const asked = this.#asked;
    this.#asked = [];
    const elsewhere = () => addAboutLine(this.deps, words, asked);
    try {
      await tellPerson(this.deps.slack, addressee, words, { unsure: 'directly', log: this.log, elsewhere });
    } catch (error) {
      throw isPassing(error) ? new Unanswered('Slack cannot be reached', { cause: error }) : error;
    }
  }

  async show(title: string, spoken: Words): Promise<void> {
    const { triggerId } = this.reply;
    const { act } = this.delivery;
    if (triggerId === '') return this.answer(spoken);
    this.#releaseOrder();
    const { views } = this.deps.slack.quick;
    const view = toWindow(title, await numberIncidents(this.deps, spoken), this.location);
    const open = act.kind === 'press' ? act.form : undefined;
    try {
      if (open) await views.update({ view_id: open.viewId, hash: open.hash, view });
      else await views.open({ trigger_id: triggerId, view });
    } catch (error) {
      this.#whyNotOpened(view.callback_id, error);
      await this.answer(spoken);
    }
  }

  async reject(mrkdwn: string, below: readonly KnownBlock[] = []): Promise<void> {
    await this.answer(addTypedText(mrkdwn, this.draft, below));
  }

  async replace(spoken: Words): Promise<void> {
    const { respond, replaceable, replaceOnHome } = this.reply;
    if (replaceOnHome) return replaceOnHome(await numberIncidents(this.deps, spoken));
    if (!respond || !replaceable) return this.answer(spoken);
    await this.#replaceBy(respond, spoken);
  }

  async #replaceBy(respond: NonNullable<Reply['respond']>, spoken: Words): Promise<void> {
    this.#releaseOrder();
    try {
      await respond(await numberIncidents(this.deps, spoken), 'replace');
    } catch (error) {
      this.log.info({ reason: slackReason(error) }, 'answer: a message could not be replaced');
      await this.answer(spoken);
    }
  }

  keepMessage(): string {
    const { respond, replaceable } = this.reply;
    return respond && replaceable ? this.deps.replaceable.keep(respond, this.now) : '';
  }

  async replaceKept(place: string, spoken: Words): Promise<void> {
    const respond = this.deps.replaceable.find(place, this.now);
    if (!respond) return this.answer(spoken);
    await this.#replaceBy(respond, spoken);
  }

  async openForm<S, V>(
    modal: Modal<S, V>,
    state: S,
    filled: Filled = {},
    offered?: Offered,
    isAgain = false,
  ): Promise<void> {
    const about = incidentIn(state);
    if (about !== undefined) await this.#reading.sight.mustSee('form', { incidentID: about });
    // The form waits for the person, and its submission is a delivery of its own.
    this.#releaseOrder();
    const facts = { settings: this.deps.settings, now: this.now, offered, isAgain };
    const view = toView(modal, state, filled, facts, this.location);
    let reason = 'Slack opens forms only from a command or a button.';
    const { triggerId } = this.reply;
    if (triggerId !== '') {
      try {
        await this.deps.slack.quick.views.open({ trigger_id: triggerId, view });
        return;
      } catch (error) {
        reason = this.#whyNotOpened(modal.id, error);
      }
    }
    const draft = await this.#keep({ kind: 'form', modal: modal.id, state, filled, offered });
    const text = `${reason} What you typed is kept: press the button and the form opens with it.`;
    const button = pressable(
      resumeButton,
      { draft: draft ?? '', incidentID: '' },
      { label: 'Open the form', style: 'primary' },
    );
    await this.answer({ text, blocks: [section(text), actions([button])] });
  }

  resume(id: string, draft: Draft, incidentID: string): Promise<void> {
    return this.#of.resume(this, id, draft, incidentID);
  }

  async submit<P, R>(intent: IntentKind<P, R>, payload: P, options: SubmitOptions = {}): Promise<Submitted<R>> {
    const outcome = await this.#submit(intent, payload, options);
    const tell = async () =>
      outcome.state === 'done'
        ? this.answer(await afterwards(this, intent, payload, outcome))
        : this.#tellNotDone(intent, payload, outcome);
    return { ...outcome, tell };
  }

  async #submit<P, R>(
    intent: IntentKind<P, R>,
    payload: P,
    options: SubmitOptions,
  ): Promise<Outcome<R> | PendingConfirmation> {
    const { location, turn } = this;
    const { teamId, userId } = this.actor;
    this.#mustBeAllowed(intent);
    const about = incidentIn(payload);
    if (about !== undefined) await this.#reading.sight.mustSee('write', { incidentID: about });
    const key = options.key ?? `${this.key}/${intent.kind}${options.step ? `/${options.step}` : ''}`;
    const { incidentID = '', others = [], undoes } = options;
    const write = { key, incidentID, others: [...others] };
    const held = options.isExamined ? undefined : await askBeforeStoring(this, intent, payload, write);
    if (held) return held;
    await turn.awaitTurn();
    this.#hasSubmitted = true;
    const actor = await this.deps.people.toKnown(this.actor);
    const people = { actor, others: write.others };
    const origin: Origin = { people, teamId, userId, ...location, ...(undoes === undefined ? {} : { undoes }) };
    const subject = await toCurrentID(this.deps, incidentID);
    this.#asked.push({ incidentID: subject, what: aimOf(intent, payload) });
    const submitted = this.deps.journal.submit(intent, {
      key,
      renews: options.key !== undefined,
      payload,
      subject,
      ...(intent.lane ? { lane: intent.lane(payload) } : {}),
      owner: toOwner(this.actor),
      origin,
      caller: turn.caller,
      ...(options.hasMore || options.keepsTurn ? {} : { also: turn.releaseWithin, onStored: turn.released }),
    });
    const outcome = await (options.hasMore ? submitted.catch(error => toTold<R>(error)) : submitted);
    noteAct(this, intent, subject, outcome.id);
    // The room is told how much waits.
    if (outcome.state === 'queued') this.deps.cards.refresh(subject);
    return this.#owe(outcome);
  }

  async retry(id: string): Promise<Outcome<unknown> | undefined> {
    const stored = await this.deps.journal.find(id, toOwner(this.actor));
    if (stored) this.#mustBeAllowed(stored.kind);
    const outcome = await this.deps.journal.retry(id, toOwner(this.actor), this.turn.caller);
    return outcome && this.#owe(outcome);
  }

  async perform<P, R>(
    intent: IntentKind<P, R>,
    payload: P,
    { gone, isPart, ...options }: PerformOptions = {},
  ): Promise<Performed<R>> {
    const outcome = await this.submit(intent, payload, options);
    if (gone && outcome.state === 'failed' && outcome.error.code === 'not_found') return { ...outcome, words: gone };
    if (outcome.state !== 'done') {
      if (!isPart) await outcome.tell();
      return outcome;
    }
    return { ...outcome, words: await afterwards(this, intent, payload, outcome) };
  }

  async before<P, R>({ kind, payload }: IntentKind<P, R>): Promise<P | undefined> {
    if (!this.mayAlreadyExist) return undefined;
    const before = await this.deps.journal.findByKey(`${this.key}/${kind}`, toOwner(this.actor));
    return before && payload.parse(before.payload);
  }

  async carryOut<P, R>(intent: IntentKind<P, R>, payload: P, options: SubmitOptions = {}): Promise<R | undefined> {
    const outcome = await this.perform(intent, payload, options);
    if (outcome.state !== 'done') return undefined;
    await this.answer(outcome.words);
    return outcome.result;
  }

  async change<T>(make: (isFirst: IsFirst) => Promise<T>): Promise<T> {
    if (this.#hasChanged) throw new Error('An act makes one change that is no intent');
    this.#hasChanged = true;
    await this.turn.awaitTurn();
    return make(this.turn.isFirst);
  }

  /**
   * Answers for an intent that is not done: what was wanted, why not, and what happens next. A queued one is done later; a failed
   * one can be tried again or changed with a button. About one that is held back, the person is asked.
   */
  async #tellNotDone<P, R>(
    intent: IntentKind<P, R>,
    payload: P,
    outcome: NotDone | PendingConfirmation,
  ): Promise<void> {
    if (outcome.state === 'held') return this.answer(await questionWords(outcome.id, intent, payload));
    const draft = this.draft && (await this.#keep(this.draft));
    const asked = await askedFor(this, intent, payload, outcome);
    if (outcome.state === 'queued') {
      if (draft) await this.deps.journal.attach(outcome.id, draft);
      await this.answer(await queuedWords(this, intent, asked, outcome));
      return;
    }
    await this.answer(await failedWords(this, intent, asked, outcome, { draft: this.draft, id: draft }));
  }

  /** Rights may have changed since a form was opened or a change was queued. */
  #mustBeAllowed({ needsAdmin }: IntentKind): void {
    if (needsAdmin) mustPass(whyNotAdmin, this.actor);
  }

  /** Slack may take long to show an answer or a form. Nothing is submitted after one unless something was before. */
  #releaseOrder(): void {
    if (!this.#hasSubmitted) this.turn.release();
  }

  /** An outcome of this person's own, which this delivery tells. */
  #owe<R>(outcome: Outcome<R>): Outcome<R> {
    if (outcome.state !== 'queued' && !outcome.repeated) this.unreported.push(outcome.id);
    return outcome;
  }

  #keep(draft: Draft): Promise<string> {
    return this.deps.drafts.keep(this.actor, draft, this.key, this.now);
  }

  #whyNotOpened(modal: string, error: unknown): string {
    const refusal = slackRefusal(error);
    const isLate = refusal === undefined || tooLate.includes(refusal);
    const level = refusal?.startsWith('invalid_') && !isLate ? 'error' : 'warn';
    this.log[level]({ reason: slackReason(error), modal }, 'form: Slack did not open it');
    return isLate
      ? 'Slack gives three seconds to open a form, and they were over.'
      : `Slack did not open the form (${code(refusal, 60)}).`;
  }
}

/** The outcome that the person knows already: the steps after it have yet to be done. Throws every other error. */
function toTold<R>(error: unknown): Outcome<R> {
  if (error instanceof AlreadyAnswered) return error.outcome as Outcome<R>;
  throw error;
}

/** The words with the number of an incident that was registered while they were made. */
async function numberIncidents(deps: Deps, words: Words): Promise<Words> {
  const json = JSON.stringify(words);
  let numbered = json;
  for (const id of provisionalIDsIn(json)) numbered = numbered.replaceAll(id, await deps.rooms.currentID(id));
  return numbered === json ? words : JSON.parse(numbered);
}
