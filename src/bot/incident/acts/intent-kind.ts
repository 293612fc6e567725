import type { ActionsBlockElement, KnownBlock } from '@slack/types';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Api } from '../../../contract/contract.ts';
import type { CallOptions } from '../../../contract/define.ts';
import type { RpcError } from '../../../contract/errors.ts';
import type { Incident } from '../../../contract/incidents.ts';
import type { Deadlines } from '../../../deadlines.ts';
import type { Attempt, Consequence, JobKind } from '../../journal/intent.ts';
import type { Journal } from '../../journal/journal.ts';
import type { People } from '../../people/directory.ts';
import type { Location, Person } from '../../people/person.ts';
import type { Visibility } from '../../people/visibility.ts';
import type { Slack } from '../../slack/clients.ts';
import type { Words } from '../../text/blocks.ts';
import type { ReadOnce } from '../board/deps.ts';
import type { Cards } from '../board/loop.ts';
import type { NextStepsStore } from '../board/next-steps/store.ts';
import type { Calls } from '../lines/calls.ts';
import type { About, Did } from '../lines/did.ts';
import type { OwnChange } from '../lines/known-state.ts';
import type { Lines } from '../lines/store.ts';
import type { Alerts } from '../state/alert-store.ts';
import type { Bursts } from '../state/burst-store.ts';
import type { Channels } from '../state/channels.ts';
import type { DeclaredIncident } from '../state/declared-incident.ts';
import type { MessageNotes, NoteChange } from '../state/message-notes.ts';
import type { Rooms } from '../state/room-store.ts';
import type { Settings } from '../state/settings.ts';
import type { Snapshots } from '../state/snapshots.ts';
import type { TaskNumbers } from '../state/task-numbers.ts';
import type { UpdateChange, Updates } from '../state/update-store.ts';
import type { Visits } from '../state/visits.ts';
import type { Duties } from './duties.ts';
import type { Pagers } from './pagers.ts';

/** Everything that code about incidents may use. Reads go to `api`; writes go through the journal. */
export interface IncidentDeps {
  readonly slack: Slack;
  readonly api: Api;
  readonly journal: IntentJournal;
  readonly rooms: Rooms;
  /** Channels and their members, as they are known. */
  readonly channels: Channels;
  /** Incidents as the API last showed them, for when it cannot be reached. */
  readonly snapshots: Snapshots;
  readonly taskNumbers: TaskNumbers;
  /** Lines about changes in rooms, also of rooms that are quiet. */
  readonly lines: Pick<Lines, 'newest' | 'add' | 'reword'>;
  readonly updates: Updates;
  readonly messageNotes: MessageNotes;
  readonly nextSteps: NextStepsStore;
  readonly bursts: Bursts;
  readonly alerts: Alerts;
  /** When people last looked at incidents. */
  readonly visits: Visits;
  readonly pagers: Pagers;
  readonly duties: Duties;
  readonly calls: Calls;
  readonly people: People;
  /** The one rule for sight. All code that shows an incident to people, or names it, asks it. */
  readonly visibility: Visibility;
  readonly cards: Cards;
  readonly settings: Settings;
  /** The address that opens a path of the pages for one person, by Slack's id, once. Absent where pages need no such link. */
  readonly pageLink: ((userId: string, path: string) => Promise<string>) | undefined;
  readonly deadlines: Deadlines;
  readonly log: Logger;
  /** The readers of one act: they read each thing once. */
  knowing(): ReadOnce;
}

/** The journal as the bot uses it: its owners are people, its subjects incidents. */
export type IntentJournal = Journal<IntentContext, IntentKind>;

/** The parts that an intent uses while it takes effect. */
export interface IntentContext extends Attempt {
  readonly api: Api;
  /** Passed with every call, so that the timeline names the person and not the bot. */
  readonly call: CallOptions;
  readonly log: Logger;
  /** For effects in Slack. */
  readonly deps: IncidentDeps;
}

/** The parts that a receipt uses. */
export interface ReceiptContext {
  readonly deps: IncidentDeps;
  /** The person who reads it. */
  readonly actor: Person;
  readonly location: Location;
  readonly now: Date;
  /** Some of the messages that belong to it may be in Slack already. */
  readonly mayAlreadyExist: boolean;
  readonly log: Logger;
}

/** The parts that an intent uses once it is done or queued, for its messages in Slack. */
export interface AfterDoneContext extends ReceiptContext {
  /** Id of the intent, to mark the messages posted for it. */
  readonly id: string;
  /** It had been done before, and nothing happened now. */
  readonly repeated: boolean;
  /** The person no longer waits: the intent was queued, or the process stopped. */
  readonly isLate: boolean;
  /** When the person asked for it. */
  readonly askedAt: Date;
}

/** Sentences of mrkdwn for the receipt: facts worth knowing, and steps in Slack that did not work. */
export interface AfterDoneResult {
  readonly notes: readonly string[];
  readonly troubles: readonly string[];
  /** Answers to the questions of the notes, as buttons before Undo. */
  readonly buttons?: readonly ActionsBlockElement[];
  /** Rows before these buttons. */
  readonly rows?: readonly KnownBlock[];
}

/** The members of a kind that declares an incident. */
interface Declares<P, R> {
  /** The id of the incident, under which intents that wait for it then run. */
  subject(result: R): string;
  /** The incident itself: the state that its room knows first. */
  incident(result: R): Incident;
  /**
   * The receipt for a person who does not see the incident any more, as mrkdwn: their own words and the incident's number, and nothing
   * that others added. It names the button *Join* below it.
   */
  ownReceipt(result: R, payload: P): string;
}

/** Further things that an act is about, besides its incident. Muster records them in the transaction that stores the act. */
interface Links {
  /** Its effect on the note of a message in Slack, recorded when the act is stored. */
  readonly message?: NoteChange | undefined;
  /** The offer of alerts that gets its incident by it, while the offer has no other; `""` for none. */
  readonly offer?: string;
  /** True if this intent's line announces firing alerts. If they ended before the room existed, their end is posted next. */
  readonly isOfFiring?: boolean;
  /** The incident whose room it makes, as it was declared. */
  readonly room?: DeclaredIncident;
  /** The call whose line shows what the act did; `""` for none. */
  readonly call?: string;
  /** The pager that takes it in place of the incident API. */
  readonly pager?: string;
  /** Why Slack did not let the person into the incident's channel, as a sentence of mrkdwn; `""` when it did. */
  readonly uninvited?: string;
}

/** One kind of write. Its payload's `incidentID` is its subject. */
export interface IntentKind<P = unknown, R = unknown> extends JobKind<IntentContext, P, R> {
  /** The queue it runs in, when that is not its incident's: `roles`. */
  lane?(payload: P): string;
  /** Only administrators of the workspace may submit it. */
  readonly needsAdmin?: boolean;
  /** The sentence that says what it does: the line in the room, the receipt and what waits are made of it. */
  did(payload: P, about: About<R>): Did;
  /**
   * The payload with each text of a person in it as `change` makes it; absent when it has none that others read. The secrets guard
   * examines and redacts these texts.
   */
  mapTexts?(payload: P, change: (text: string) => string): P;
  /** The write that undoes it; undefined when nothing was changed. */
  undo?(result: R, payload: P): Undo | undefined;
  /** Absent: it declares no incident. */
  readonly declares?: Declares<P, R>;
  /** The further things that it is about; `result` is undefined until it is done. Absent: none. */
  links?(payload: P, result?: R): Links;
  /**
   * The facts of the incident that it set, so that the room does not read its own change as one made elsewhere; undefined when it changed
   * nothing. Absent: it sets none.
   * `isUnsure`: an earlier attempt whose answer was lost may have made the change.
   */
  stateChange?(result: R, payload: P, isUnsure: boolean): OwnChange | undefined;
  /** Its effect on the incident's updates. */
  update?(result: R, payload: P): UpdateChange | undefined;
  /** Messages that must follow in Slack once it is done; when it is `repeated`, only notes. */
  afterDone?(ctx: AfterDoneContext, result: R, payload: P): Promise<AfterDoneResult>;
  /** Messages that must follow in Slack once it is queued. */
  whileQueued?(ctx: AfterDoneContext, payload: P): Promise<AfterDoneResult>;
  /**
   * The words after a failure about which the person can decide, with the choices as buttons. Undefined for any other failure: its error
   * tells of it.
   */
  choices?(
    ctx: ReceiptContext,
    failed: { readonly id: string; readonly error: RpcError },
    payload: P,
  ): Promise<Words | undefined>;
}

/** The write that undoes another one. */
export interface Undo {
  readonly kind: IntentKind;
  readonly payload: unknown;
  /** Its key, when other ways lead to the same effect; otherwise each intent is undone under a key of its own. */
  readonly key?: string;
  /** How long the button works, in minutes; ten where nothing is said. */
  readonly minutes?: number;
  /** The way to undo it once the button no longer works, as a sentence of mrkdwn. */
  readonly afterwards?: string;
}

/** The write that undoes another one, with the exact type of its payload. */
export function toUndo<P, R>(kind: IntentKind<P, R>, payload: P, options: Omit<Undo, 'kind' | 'payload'> = {}): Undo {
  return { kind: kind as IntentKind, payload, ...options };
}

/** Describes a kind of write, keeping its exact types. */
export function defineIntent<P, R>(kind: IntentKind<P, R>): IntentKind<P, R> {
  return kind;
}

/** A consequence of another intent, with the exact type of its payload. */
export function toConsequence<P, R>(kind: IntentKind<P, R>, payload: P, name: string, lane?: string): Consequence {
  return { kind, payload, name, ...(lane === undefined ? {} : { lane }) };
}

/** A person whom an intent names, as it is stored. */
export const KnownPerson = z.object({
  userID: z.string(),
  name: z.string().optional(),
  photoURL: z.string().optional(),
  email: z.string().optional(),
  slackUserID: z.string().optional(),
  slackTeamID: z.string().optional(),
});

/** The person who asked for an intent, the place, and the people it names, as the journal keeps them. */
export const Origin = z.object({
  people: z.object({ actor: KnownPerson.optional(), others: z.array(KnownPerson).optional() }),
  teamId: z.string(),
  userId: z.string(),
  channelId: z.string(),
  threadTs: z.string(),
  /** The source of alerts in whose name it is asked for; absent for a person. */
  source: z.string().optional(),
  /** The intent that it undoes. */
  undoes: z.string().optional(),
  /** It was open in a backup that took the place of the database: it may have been done since, and its room told of it. */
  isRestored: z.boolean().optional(),
});
export type Origin = z.output<typeof Origin>;

/** The owner of an intent, as the journal knows people. */
export function toOwner({ teamId, userId }: { readonly teamId: string; readonly userId: string }): string {
  return `${teamId}/${userId}`;
}
