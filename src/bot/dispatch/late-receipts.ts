import type { Logger } from 'pino';
import { isTransient } from '../../contract/errors.ts';
import { type IntentKind, Origin, type ReceiptContext } from '../incident/intent-kind.ts';
import { tellRefused } from '../incident/unregistered.ts';
import type { Completion } from '../journal/entry.ts';
import { toUnverified } from '../people/directory.ts';
import { isPassing, slackReason } from '../slack/clients.ts';
import { section, type Words } from '../text/blocks.ts';
import type { Deps } from './deps.ts';
import { explain } from './error-messages.ts';
import { afterwards, discardRow, failureWords } from './receipts.ts';
import { tellPerson } from './tell-person.ts';

/** Most blocks that one message tells of; Slack takes fifty (docs/slack.md 5). */
const mostBlocks = 40;

/** The receipt of one outcome, made once: the steps in Slack that go with it must not happen twice. */
interface Receipt {
  readonly words: Words | undefined;
  isSent: boolean;
}

/** Outcomes for one person, asked for in one place. */
interface Group {
  readonly receipt: ReceiptContext;
  readonly told: Receipt[];
  isDone: boolean;
}

/** Tells people the outcomes that no delivery waits for: of queued intents, and of intents whose process stopped. */
export class LateReceipts {
  readonly #deps: Deps;
  readonly #clock: () => Date;
  readonly #log: Logger;
  /** Receipts of outcomes that could not be told yet, by intent. */
  readonly #begun = new Map<string, Receipt>();

  constructor(deps: Deps, clock: () => Date, log: Logger) {
    this.#deps = deps;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Sends each person one message for each place. Throws when one could not be sent: all are told again later, but for the messages
   * that this process did send.
   */
  async tell(completions: readonly Completion<IntentKind>[]): Promise<void> {
    const groups = new Map<string, Group>();
    const failures: unknown[] = [];
    for (const completion of completions) {
      try {
        await this.#addTo(groups, completion);
      } catch (error) {
        failures.push(error);
      }
    }
    const sent = await Promise.allSettled([...groups.values()].map(group => this.#send(group)));
    failures.push(...sent.flatMap(each => (each.status === 'rejected' ? [each.reason] : [])));
    if (failures.length > 0) throw failures[0];
    for (const { entry } of completions) this.#begun.delete(entry.id);
  }

  async #addTo(groups: Map<string, Group>, completion: Completion<IntentKind>): Promise<void> {
    const { entry, outcome } = completion;
    const origin = Origin.parse(entry.origin);
    const name = [origin.userId, origin.channelId, origin.threadTs].join('/');
    const group = groups.get(name) ?? { receipt: await this.#toContext(origin), told: [], isDone: true };
    const receipt = this.#begun.get(entry.id) ?? {
      words: await toWords(group.receipt, completion, this.#deps),
      isSent: false,
    };
    this.#begun.set(entry.id, receipt);
    if (!receipt.isSent) group.told.push(receipt);
    if (outcome.state === 'failed') group.isDone = false;
    groups.set(name, group);
  }

  async #toContext({ teamId, userId, channelId, threadTs }: Origin): Promise<ReceiptContext> {
    const deps = this.#deps;
    const unverified = toUnverified({ teamId, userId }, deps.slack.identity.teamId);
    const actor = (await deps.people.find(userId).catch(() => undefined)) ?? unverified;
    return { deps, actor, location: { channelId, threadTs }, now: this.#clock(), mayStand: true, log: this.#log };
  }

  async #send({ receipt, told, isDone }: Group): Promise<void> {
    const words = told.flatMap(each => each.words ?? []);
    const { actor, location } = receipt;
    try {
      if (words.length > 0) {
        const addressee = { userId: actor.userId, location };
        await tellPerson(this.#deps.slack, addressee, toMessage(words, isDone), { unsure: 'throw', log: this.#log });
      }
    } catch (error) {
      if (isPassing(error)) throw error;
      this.#log.warn({ reason: slackReason(error), user: actor.userId }, 'late receipt: Slack refuses to show it');
    }
    for (const each of told) each.isSent = true;
  }
}

async function toWords(
  receipt: ReceiptContext,
  { entry, isQuiet, outcome }: Completion<IntentKind>,
  { drafts }: Deps,
): Promise<Words | undefined> {
  const { kind, payload, askedAt, attachment } = entry;
  if (outcome.state === 'done') {
    const words = await afterwards(receipt, kind, payload, outcome, true, askedAt);
    return isQuiet ? undefined : words;
  }
  await tellRefused(receipt, entry.id, explain(outcome.error), askedAt);
  const draft = attachment === '' ? undefined : await drafts.find(receipt.actor, attachment, receipt.now);
  const typed = { draft, id: draft && attachment };
  const tried = isTransient(outcome.error) ? ', though I tried for seven days' : '';
  const words = failureWords(`I could not ${kind.describe(payload)}${tried}.`, outcome, typed);
  return { text: words.text, blocks: [...(words.blocks ?? []), discardRow(outcome.id)] };
}

function toMessage(told: readonly Words[], isDone: boolean): Words {
  const head = isDone ? ':white_check_mark: What you asked for earlier is done:' : 'About what you asked for earlier:';
  const blocks = told.flatMap(each => each.blocks ?? [section(each.text)]);
  const left = blocks.length - mostBlocks;
  return {
    text: [head, ...told.map(each => each.text)].join('\n'),
    blocks: [
      section(head),
      ...blocks.slice(0, mostBlocks),
      ...(left > 0 ? [section('There is more: `/incident status` shows how things stand.')] : []),
    ],
  };
}
