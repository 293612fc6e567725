import type { Api } from '../../contract/contract.ts';
import type { CallOptions } from '../../contract/define.ts';
import type { Deadlines } from '../../deadlines.ts';
import { type IntentContext, type IntentJournal, type IntentKind, Origin } from '../incident/acts/intent-kind.ts';
import { refuseNewSettings } from '../incident/api/restored.ts';
import type { ChangeAnswer } from '../incident/board/leases.ts';
import type { Cards } from '../incident/board/loop.ts';
import { type DoneAct, tellOfAct, tellOfTwin } from '../incident/lines/act-lines.ts';
import { tellOfEnds } from '../incident/lines/alert-lines.ts';
import { rewordCall } from '../incident/lines/call-line.ts';
import { beginComparing, readKnownState } from '../incident/lines/known-state.ts';
import { Written } from '../incident/notes/notes.ts';
import { alreadyTaken, takeOffer } from '../incident/state/alert-store.ts';
import { beginChains } from '../incident/state/call-store.ts';
import { recordNoteChange, recordWritten } from '../incident/state/message-notes.ts';
import { countChange, renameIncident, versionOf } from '../incident/state/room-store.ts';
import { recordUpdate } from '../incident/state/update-store.ts';
import type { Alongside, DoneIntent } from '../journal/intent.ts';
import { type JournalOptions, openJournal } from '../journal/journal.ts';
import { isProvisional, provisionalID } from '../journal/provisional-id.ts';
import { userOf } from '../people/person.ts';
import type { BotTables } from '../schema/tables.ts';
import { mention } from '../text/blocks.ts';
import type { LateReceipts } from './answers/late-receipts.ts';
import type { Deps } from './feature/deps.ts';

/** The bot as its journal uses it. Parts that use the journal themselves are given as functions. */
interface Parts
  extends Omit<
    JournalOptions<IntentContext, IntentKind>,
    'toContext' | 'bindSubject' | 'alongside' | 'tell' | 'onDone' | 'onPostponed' | 'onTick'
  > {
  readonly api: Api;
  readonly cards: Cards;
  /** Called once a second. */
  onTick(): Promise<unknown>;
  deps(): Deps;
  receipts(): LateReceipts;
}

/** Opens the journal for the bot: its intents call the incident API in the name of the person who asked. */
export function openIntentJournal({ api, cards, onTick, deps, receipts, ...parts }: Parts): Promise<IntentJournal> {
  const restoredApi = refuseNewSettings(api);
  const alongside = new IntentWrites(parts.kinds, deps, parts.clock);
  return openJournal<IntentContext, IntentKind>({
    ...parts,
    toContext: (attempt, { kind, subject, origin }) => {
      const { people, isRestored = false } = Origin.parse(JSON.parse(origin));
      return {
        ...attempt,
        api: isRestored && attempt.isAmbiguous ? restoredApi : api,
        call: new BudgetedCall(people, parts.deadlines, attempt.signal),
        deps: deps(),
        log: parts.log.child({ intent: attempt.id, kind, incident: subject }),
      };
    },
    bindSubject,
    alongside,
    tell: ended => receipts().tell(ended),
    onDone: subject => alongside.show(subject, cards),
    // Its card says how old it is, until the API answers.
    onPostponed: subject => {
      cards.refresh(subject);
      if (isProvisional(subject)) void receipts().tellHeld(subject);
    },
    onTick: async () => void (await onTick()),
  });
}

/** The writes in the transaction that stores an intent, and in the one that ends it. */
class IntentWrites implements Alongside {
  readonly registered = renameIncident;
  readonly #kinds: ReadonlyMap<string, IntentKind>;
  readonly #deps: () => Deps;
  readonly #clock: () => Date;
  /** Offers of alerts whose message shows an incident now. */
  readonly #offers = new Set<string>();
  /** Incidents as changes that are done now were answered. */
  readonly #answered = new Map<string, ChangeAnswer>();

  constructor(kinds: readonly IntentKind[], deps: () => Deps, clock: () => Date) {
    this.#kinds = new Map(kinds.map(kind => [kind.kind, kind]));
    this.#deps = deps;
    this.#clock = clock;
  }

  async stored(...[trx, intent]: Parameters<Alongside['stored']>): Promise<void> {
    const payload = JSON.parse(intent.payload);
    const { message, offer = '' } = this.#kinds.get(intent.kind)?.links?.(payload) ?? {};
    if (message) await recordNoteChange(trx, intent, message);
    const taking = { intent: intent.id, incidentID: payload.incidentID ?? provisionalID(intent.id) };
    if (offer !== '' && !(await takeOffer(trx, { ...taking, offer, actor: userOf(intent.owner) })))
      throw alreadyTaken();
  }

  async done(...[trx, done]: Parameters<Alongside['done']>): Promise<void> {
    const { snapshots, settings } = this.#deps();
    await countChange(trx, done.subject);
    const kind = this.#kinds.get(done.kind);
    if (!kind) return;
    // Its room is made of the answer of a declaration.
    const incident = kind.declares ? undefined : snapshots.takeAnswer(done.subject);
    const version = incident && (await versionOf(trx, done.subject));
    if (incident && version !== undefined) this.#answered.set(done.subject, { version, incident });
    const act = toAct(kind, done, this.#clock());
    const { result, payload, userId } = act;
    const declared = kind.declares?.incident(result);
    if (declared) await beginComparing(trx, done.subject, declared);
    const update = kind.update?.(result, payload);
    const { message, room, call = '', isOfFiring, offer = '' } = kind.links?.(payload, result) ?? {};
    if (update) await recordUpdate(trx, done.subject, userId === '' ? 'somebody' : act.by, update);
    const written = message && !('as' in message) ? Written.safeParse(result).data : undefined;
    if (written) await recordWritten(trx, done.id, written.activityItemID);
    await tellOfAct(trx, kind, act, settings);
    if (done.twin !== '') await tellOfTwin(trx, act, done.twin);
    if (room) {
      // The people on duty are called to an incident that has got its room. The API may not know it yet.
      const known = await readKnownState(trx.withTables<BotTables>(), act.incidentID);
      await beginChains(trx, act.incidentID, { after: known ?? { ...room, status: 'active' } }, settings, act.doneAt);
    }
    if (call !== '') await rewordCall(trx, call);
    if (isOfFiring) await tellOfEnds(trx, done.subject, act.doneAt, settings);
    if (offer === '') return;
    await takeOffer(trx, { offer, intent: done.id, incidentID: done.subject, actor: userOf(done.owner) });
    this.#offers.add(offer);
  }

  /** Shows what a done intent about this subject changed. */
  show(subject: string, cards: Cards): void {
    cards.refresh(subject, false, this.#answered.get(subject));
    this.#answered.delete(subject);
    for (const offer of this.#offers) cards.refresh(offer, true);
    this.#offers.clear();
  }
}

/** A done intent as the act that a room hears of. */
function toAct(kind: IntentKind, done: DoneIntent, doneAt: Date): DoneAct {
  const { id, subject: incidentID, owner: actor, isUnsure, isFound } = done;
  const { userId, undoes, source, isRestored = false } = Origin.parse(JSON.parse(done.origin));
  return {
    ...{ id, incidentID, actor, userId, isUnsure, isFound, isRestored, undoes, doneAt },
    by: userId === '' ? (source ?? 'Somebody') : mention(userId),
    askedAt: new Date(done.created_at),
    result: kind.result.parse(JSON.parse(done.outcome)),
    payload: kind.payload.parse(JSON.parse(done.payload)),
  };
}

/** An intent that was submitted before its incident was registered is about the incident as it is known now. */
function bindSubject(payload: unknown, subject: string): unknown {
  if (typeof payload !== 'object' || payload === null || !('incidentID' in payload)) return payload;
  return isProvisional(String(payload.incidentID)) ? { ...payload, incidentID: subject } : payload;
}

/** How an intent's calls are made: the person who waits is answered in bounded time, whatever the API does. */
class BudgetedCall implements CallOptions {
  readonly people: Origin['people'];
  readonly signal: AbortSignal;
  readonly patience: number;
  readonly #deadlines: Deadlines;
  readonly #until: number;

  constructor(people: Origin['people'], deadlines: Deadlines, signal: AbortSignal) {
    this.people = people;
    this.signal = signal;
    this.patience = deadlines.askedPause;
    this.#deadlines = deadlines;
    this.#until = performance.now() + deadlines.api.budget;
  }

  get budget(): number {
    return Math.max(this.#deadlines.lateCall, this.#until - performance.now());
  }
}
