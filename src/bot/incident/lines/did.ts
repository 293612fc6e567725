import { toObject } from '../../../json-object.ts';
import { sentence, toMrkdwn, type Words } from '../../text/blocks.ts';
import { incidentLabel, incidentName } from '../state/incident-name.ts';
import type { Settings } from '../state/settings.ts';

/*
 * One sentence says what an act does. The room reads it with a person as its subject, the person with "You", and what waits with "I’ll".
 */

/** The verbs of acts, and their past. */
const verbs = {
  add: 'added',
  archive: 'archived',
  assign: 'assigned',
  call: 'called',
  change: 'changed',
  create: 'created',
  declare: 'declared',
  delete: 'deleted',
  finish: 'finished',
  give: 'gave',
  hand: 'handed',
  keep: 'kept',
  link: 'linked',
  make: 'made',
  mark: 'marked',
  move: 'moved',
  note: 'noted',
  page: 'paged',
  post: 'posted',
  put: 'put',
  record: 'recorded',
  remind: 'reminded',
  remove: 'removed',
  rename: 'renamed',
  reopen: 'reopened',
  resolve: 'resolved',
  restore: 'restored',
  save: 'saved',
  say: 'said',
  set: 'set',
  start: 'started',
  take: 'took',
  tell: 'told',
  unarchive: 'unarchived',
  unassign: 'unassigned',
  unlink: 'unlinked',
} as const;

/** The facts for the line about a change. */
interface LineContext {
  /** The person who made it, as mrkdwn. */
  readonly by: string;
  /** Slack's id of them; `""` when that is not known. */
  readonly userId: string;
  readonly settings: Settings;
  /** An earlier attempt whose answer was lost may have made the change. */
  readonly isUnsure: boolean;
  /** The incident's severity as an update finds it; `""` for any other act, and where it is not known. */
  readonly severity: string;
}

/** The line about a change: mrkdwn, or a line with a message of its own, or in another place than the room. */
export type RoomLine =
  | string
  | {
      /** mrkdwn */
      readonly words: string;
      /** People must notice it, so it has a message of its own. */
      readonly isOwnMessage: true;
      /**
       * `channel`: it is about the channel itself, so that a quiet room reads it too, and no undo marks it. `origin`: it is posted where the
       * incident was declared. Absent: a change, in the room.
       */
      readonly of?: 'channel' | 'origin';
      /** Absent: the room's. */
      readonly channel?: string;
      readonly thread?: string;
    };

/** The sentence of an act: `add`, `task 3: “fix it”`. */
interface Sentence {
  readonly sign?: string;
  readonly verb: keyof typeof verbs;
  /** mrkdwn, without a full stop. */
  readonly what: string;
  /** More for the person alone, as sentences of mrkdwn. */
  readonly more?: string;
  /** The lines in place of the sentence: news, lines elsewhere, or none (`[]`). */
  readonly room?: RoomLine | readonly RoomLine[];
}

/**
 * The sentence of an act; or a fact, as sentences of mrkdwn, where that is no act of a person: nothing was changed, or Muster did it by
 * itself. Its room does not read a fact.
 */
export type Did =
  | Sentence
  | {
      readonly fact: string;
      /** This attempt changed nothing. The person reads that too, unless an earlier attempt may have made the change. */
      readonly isUnchanged?: boolean;
    };

/** The facts for the sentence of an act. */
export interface About<R = unknown> {
  /** Undefined until it is done. */
  readonly result: R | undefined;
  /** The incident as the reader knows it (mrkdwn): `the incident` in its own room, elsewhere `incident 7`. */
  readonly incident: string;
  /** Slack's id of who does it; `""` when that is not known. */
  readonly userId: string;
  /** The facts for its lines. Absent: no line is made now. */
  readonly line?: LineContext;
}

/** A kind of act, as far as its sentence goes. */
interface SentenceKind<P, R> {
  did(payload: P, about: About<R>): Did;
  readonly declares?: { subject(result: R): string };
}

/** The lines that tell the room of an act that is done. Without a `line` they have no names. */
export function linesOf<P, R>(
  kind: SentenceKind<P, R>,
  payload: P,
  result: R,
  line?: LineContext,
): readonly RoomLine[] {
  const { by = '', userId = '' } = line ?? {};
  const did = kind.did(payload, { result, incident: 'the incident', userId, ...(line ? { line } : {}) });
  if ('fact' in did) return [];
  const { sign = '', verb, what, room } = did;
  return [room ?? `${sign} ${by} ${ending(verbs[verb], what)}`.trim()].flat();
}

/**
 * The receipt of an act that is done. `repeated`: `who` had done it before, and nothing happened now. `isUnsure`: an earlier attempt whose
 * answer was lost may have done it.
 */
export function receiptOf<P, R>(
  kind: SentenceKind<P, R>,
  payload: P,
  { result, repeated, isUnsure }: { readonly result: R; readonly repeated: boolean; readonly isUnsure: boolean },
  userId: string,
  who: 'You' | 'Your team' = 'You',
): Words {
  const incident = kind.declares ? incidentLabel(kind.declares.subject(result)) : nameIn(payload);
  const did = kind.did(payload, { result, incident, userId });
  if ('fact' in did) return sentence(did.isUnchanged && !isUnsure ? `${did.fact} Nothing was changed.` : did.fact);
  const { sign = '', verb, what, more = '' } = did;
  const said = `${repeated ? '' : sign} ${who} ${repeated ? 'already ' : ''}${ending(verbs[verb], what)}`.trim();
  const rest = repeated ? 'Nothing was done twice.' : more;
  // A list and a quote end by themselves.
  return sentence(what.includes('\n') ? `${said}\n${rest}`.trim() : `${said}. ${rest}`.trim());
}

/** The aim of an act, as the end of a sentence such as “I’ll …” (mrkdwn). */
export function aimOf<P, R>(kind: SentenceKind<P, R>, payload: P): string {
  const did = kind.did(payload, { result: undefined, incident: nameIn(payload), userId: '' });
  return 'fact' in did ? did.fact : ending(did.verb, did.what);
}

/** The end of the sentence. Words that are quoted may follow a verb at once: `noted: “it works”`. */
function ending(verb: string, what: string): string {
  return what.startsWith(':') ? `${verb}${what}` : `${verb} ${what}`;
}

/** The incident of a payload, as people away from its room know it (mrkdwn). */
function nameIn(payload: unknown): string {
  const { incidentID: id } = toObject(payload);
  return toMrkdwn(incidentName(typeof id === 'string' ? id : ''), 60);
}
