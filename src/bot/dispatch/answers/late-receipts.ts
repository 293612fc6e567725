import type { Logger } from 'pino';
import { isTransient, RpcError } from '../../../contract/errors.ts';
import { type IntentKind, Origin, type ReceiptContext } from '../../incident/acts/intent-kind.ts';
import { tellRefused } from '../../incident/acts/registration.ts';
import { aimOf } from '../../incident/lines/did.ts';
import type { Outages } from '../../incident/lines/outage.ts';
import { incidentLabel } from '../../incident/state/incident-name.ts';
import type { Final } from '../../journal/intent.ts';
import { isProvisional, registrationOf } from '../../journal/provisional-id.ts';
import { hung, type Intent } from '../../journal/rows.ts';
import { toUnknown } from '../../people/directory.ts';
import { type Location, type Person, userOf } from '../../people/person.ts';
import { NotVisible } from '../../people/visibility.ts';
import { isDirectMessage } from '../../slack/channel-ids.ts';
import { isPassing, slackReason } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { section, sentence, type Words } from '../../text/blocks.ts';
import { signs } from '../../text/signs.ts';
import { cutMrkdwn } from '../../text/words.ts';
import { type Deps, Sight } from '../feature/deps.ts';
import { addWayIn } from '../feature/faces.ts';
import { addAboutLine, type RequestedAct } from './about-line.ts';
import { explain } from './error-messages.ts';
import { afterwards, discardRow, doerOf, failureWords, whyOutside } from './receipts.ts';
import { shareMessage } from './shared-message.ts';
import { tellPerson } from './tell-person.ts';

const mostBlocks = slackLimits.messageBlocks - 10;

/** No channel: a direct message. */
const nowhere: Location = { channelId: '', threadTs: '' };
/** How long after asking we assume that a person still watches the channel, in milliseconds. */
const looksFor = 60_000;

/** The receipt of one outcome, made once: the steps in Slack that go with it must not happen twice. */
interface Receipt {
  readonly words: Words | undefined;
  readonly isDone: boolean;
  /** Absent: the person may not read it any more. */
  readonly asked?: RequestedAct;
  /** It has the only way into a channel, so it must not vanish. */
  readonly isKept: boolean;
  isSent: boolean;
}

/** Outcomes for one person, asked for in one place. */
interface Group {
  readonly origin: Origin;
  /** Of their intents, in order. */
  readonly ids: string[];
  /** When the last of them was asked for. */
  askedAt: Date;
}

/** Tells people the outcomes that no delivery waits for: of queued intents, and of intents whose process stopped. */
export class LateReceipts {
  readonly #deps: Deps;
  readonly #clock: () => Date;
  readonly #log: Logger;
  readonly #ofOutages: { readonly outages: Outages; isAway(): boolean };
  /** Receipts of outcomes that could not be told yet, by intent. */
  readonly #begun = new Map<string, Receipt>();

  constructor(deps: Deps, clock: () => Date, log: Logger, ofOutages: { readonly outages: Outages; isAway(): boolean }) {
    this.#deps = deps;
    this.#clock = clock;
    this.#log = log;
    this.#ofOutages = ofOutages;
  }

  /**
   * Sends each person one message for each place they asked in: there while they are taken to look at it, else in a direct message
   * (docs/decisions.md, A late receipt arrives). Throws when a message could not be sent. The journal then asks for all of them
   * again, and this process sends only the messages that it did not send before.
   */
  async tell(ended: readonly Intent<IntentKind, Final>[]): Promise<void> {
    const asked = ended.filter(each => this.#hasOwner(each));
    const receipts = this.#makeReceipts(asked);
    const groups = toGroups(asked).map(async group => {
      const made = await Promise.allSettled(group.ids.map(id => receipts.get(id)));
      await this.#send(group, fulfilled(made));
      throwFirst(made);
    });
    throwFirst(await Promise.allSettled(groups));
    for (const { id } of ended) this.#begun.delete(id);
  }

  /** Tells that a declaration fails though the API answers: its room if it has one, else the person who declared. Never throws. */
  async tellHeld(provisionalID: string): Promise<void> {
    const { journal, rooms, cards, slack } = this.#deps;
    try {
      if (this.#ofOutages.isAway()) return void (await this.#ofOutages.outages.goesOn(provisionalID));
      const words = await this.#ofOutages.outages.answers(provisionalID);
      if (words === '') return;
      if (await rooms.ofIncident(provisionalID)) return cards.refresh(provisionalID, true);
      const [declaration] = await journal.findAll([registrationOf(provisionalID)]);
      const userId = userOf(declaration?.owner ?? '');
      const how = { unsure: 'throw', log: this.#log } as const;
      if (userId !== '') await tellPerson(slack, { userId, location: nowhere }, sentence(words), how);
    } catch (err) {
      this.#log.warn({ err, incident: provisionalID }, 'late receipt: could not tell that a declaration fails');
    }
  }

  /** Whether a person asked for the intent. When Muster submitted it, a failure goes to the log alone. */
  #hasOwner({ kind, id, subject: incident, origin, outcome }: Intent<IntentKind, Final>): boolean {
    if (Origin.parse(origin).userId !== '') return true;
    if (outcome.state === 'failed') {
      this.#log.warn(
        { err: outcome.error, kind: kind.kind, intent: id, incident },
        'late receipt: nobody asked for it',
      );
    }
    return false;
  }

  /** The receipts by intent. Those about one incident are made one after the other, since lines in its room go with them. */
  #makeReceipts(ended: readonly Intent<IntentKind, Final>[]): ReadonlyMap<string, Promise<Receipt>> {
    const receipts = new Map<string, Promise<Receipt>>();
    const last = new Map<string, Promise<unknown>>();
    for (const intent of ended) {
      const { id, subject } = intent;
      const receipt = Promise.allSettled([last.get(subject)]).then(() => this.#toReceipt(intent));
      last.set(subject, receipt);
      receipts.set(id, receipt);
    }
    return receipts;
  }

  async #toReceipt(intent: Intent<IntentKind, Final>): Promise<Receipt> {
    const { id, kind, payload, subject: incidentID, outcome } = intent;
    const known = this.#begun.get(id);
    if (known) return known;
    const context = await this.#toContext(Origin.parse(intent.origin));
    const words = await toWords(context, intent, this.#deps);
    const isDone = outcome.state === 'done';
    const isHung = outcome.state === 'failed' && outcome.error.reason === hung.reason;
    const isShown = words === undefined || (await this.#mayTell(context.actor, incidentID));
    const asked = isHung ? {} : { asked: { incidentID, what: aimOf(kind, payload) } };
    const told =
      isShown || isHung ? { words, isKept: false, ...asked } : hiddenWords(intent, this.#deps.settings.apiName);
    const receipt = { ...told, isDone, isSent: false };
    this.#begun.set(id, receipt);
    return receipt;
  }

  /** Whether the person still sees the incident. While that is not known, they do not. */
  async #mayTell(actor: Person, incidentID: string): Promise<boolean> {
    if (incidentID === '') return true;
    const sight = new Sight(this.#deps.visibility, { ...actor, channelId: '' });
    try {
      return await sight.sees('late receipt', { incidentID });
    } catch (error) {
      if (error instanceof RpcError) return false;
      // The API has no such incident, and the outcome says that.
      if (error instanceof NotVisible) return true;
      throw error;
    }
  }

  async #toContext({ teamId, userId, channelId, threadTs }: Origin): Promise<ReceiptContext> {
    const deps = this.#deps;
    const unknown = toUnknown({ teamId, userId }, deps.slack);
    const actor = (await deps.people.find(userId).catch(() => undefined)) ?? unknown;
    return {
      deps,
      actor,
      location: { channelId, threadTs },
      now: this.#clock(),
      mayAlreadyExist: true,
      log: this.#log,
    };
  }

  async #send({ origin, askedAt }: Group, receipts: readonly Receipt[]): Promise<void> {
    const unsent = receipts.filter(each => !each.isSent);
    const told = unsent.filter(each => each.words !== undefined);
    const words = told.flatMap(each => each.words ?? []);
    const isDone = unsent.every(each => each.isDone);
    const { userId, channelId, threadTs } = origin;
    const place = { channelId, threadTs };
    const elsewhere = async () => toMessage(await Promise.all(told.map(each => this.#addAboutLine(each))), isDone);
    const message = isDirectMessage(channelId) ? await elsewhere() : toMessage(words, isDone);
    const tell = (location: Location) =>
      tellPerson(this.#deps.slack, { userId, location }, message, { unsure: 'throw', log: this.#log, elsewhere });
    const isThere = isDirectMessage(channelId) || this.#clock().getTime() - askedAt.getTime() <= looksFor;
    const isKept = unsent.some(each => each.isKept);
    const [first, second] = isThere && !isKept ? [place] : [nowhere, place];
    try {
      if (words.length > 0)
        await tell(first).catch(error => {
          if (isPassing(error) || !second) throw error;
          return tell(second);
        });
    } catch (error) {
      if (isPassing(error)) throw error;
      this.#log.warn({ reason: slackReason(error), user: userId }, 'late receipt: Slack refuses to show it');
    }
    for (const each of receipts) each.isSent = true;
  }

  /** A receipt that names its incident and title itself says what it is about. */
  async #addAboutLine({ words, asked }: Receipt): Promise<Words> {
    const told = words ?? sentence('');
    const isNamed = asked === undefined || told.text.includes(incidentLabel(asked.incidentID).slice(1));
    return isNamed ? told : await addAboutLine(this.#deps, told, [asked]);
  }
}

/** The outcomes of each person in each place, in order. */
function toGroups(ended: readonly Intent<IntentKind, Final>[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const intent of ended) {
    const origin = Origin.parse(intent.origin);
    const name = [origin.userId, origin.channelId, origin.threadTs].join('/');
    const { id, askedAt } = intent;
    const group = groups.get(name) ?? { origin, ids: [], askedAt };
    group.ids.push(id);
    if (askedAt > group.askedAt) group.askedAt = askedAt;
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** The outcome for a person who does not see the incident any more: nothing that others added, and a way in where they were not let in. */
function hiddenWords(
  intent: Intent<IntentKind, Final>,
  api: string,
): { readonly words: Words; readonly isKept: boolean } {
  const { kind, payload, subject, outcome } = intent;
  if (outcome.state === 'done') {
    const outside = whyOutside(kind, payload, outcome.result);
    const which = isProvisional(subject) ? 'the incident that you declared' : incidentLabel(subject);
    const ready = `The channel of ${which} is ready, but you are not in it.`;
    const own =
      outside === undefined
        ? kind.declares?.ownReceipt(outcome.result, payload)
        : `${ready}\n${signs.warning} ${outside}`;
    const incidentID = kind.declares?.subject(outcome.result) ?? subject;
    if (own !== undefined) return { words: addWayIn(sentence(own), incidentID), isKept: true };
    return { words: hidden('A change that you asked for earlier is made.'), isKept: false };
  }
  const words = kind.declares
    ? sentence(`${cutMrkdwn(`I could not ${aimOf(kind, payload)}.`, 700)} ${explain(outcome.error, api)}`)
    : hidden('A change that you asked for earlier could not be made.');
  return { words, isKept: false };
}

function hidden(told: string): Words {
  return sentence(`${told} I show no more of it: its incident is private, and you are not in its channel.`);
}

function fulfilled(made: readonly PromiseSettledResult<Receipt | undefined>[]): readonly Receipt[] {
  return made.flatMap(each => (each.status === 'fulfilled' && each.value ? [each.value] : []));
}

function throwFirst(settled: readonly PromiseSettledResult<unknown>[]): void {
  for (const each of settled) if (each.status === 'rejected') throw each.reason;
}

async function toWords(
  receipt: ReceiptContext,
  intent: Intent<IntentKind, Final>,
  { drafts, settings: { apiName } }: Deps,
): Promise<Words | undefined> {
  const { id, kind, payload, askedAt, attachment, outcome } = intent;
  if (outcome.state === 'done') return await afterwards(receipt, kind, payload, outcome, { isLate: true, askedAt });
  await tellRefused(receipt, id, explain(outcome.error, apiName));
  if (outcome.error.reason === hung.reason) return sentence(hung.message);
  const draft = attachment === '' ? undefined : await drafts.find(receipt.actor, attachment, receipt.now);
  const typed = { draft, id: draft && attachment };
  const choices = await kind.choices?.(receipt, outcome, payload);
  if (choices) return choices;
  const tried = isTransient(outcome.error) ? ', though I tried for seven days' : '';
  const doer = doerOf(receipt, kind, payload);
  const words = failureWords(`I could not ${aimOf(kind, payload)}${tried}.`, outcome, typed, doer);
  return { text: words.text, blocks: [...(words.blocks ?? []), discardRow(outcome.id)] };
}

function toMessage(told: readonly Words[], isDone: boolean): Words {
  const head = isDone
    ? `${signs.done} What you asked for earlier is done:`
    : 'This is the answer to what you asked for earlier:';
  const all = told.flatMap(each => each.blocks ?? [section(each.text)]);
  const blocks = told.length > 1 ? shareMessage(all) : all;
  const left = blocks.length - mostBlocks;
  return {
    text: [head, ...told.map(each => each.text)].join('\n'),
    blocks: [
      section(head),
      ...blocks.slice(0, mostBlocks),
      ...(left > 0 ? [section('There is more: see `/incident status`.')] : []),
    ],
  };
}
