import type { Kysely } from 'kysely';
import type { NoTables } from '../../../db/engine.ts';
import { fold } from '../state/roles.ts';
import type { HouseRules } from '../state/settings.ts';
import type { OwnChange } from './own-change.ts';
import { addLine, findLine, markLine } from './store.ts';
import { noteOwnChange } from './told.ts';

/*
 * What a room hears of an act of Muster's own: nothing, a line, or a mark on the line of the act that this one takes back.
 */

/** What the line about a change may use. */
export interface LineContext {
  /** Who made it, as mrkdwn. */
  readonly by: string;
  /** Slack's id of them; `""` when that is not known. */
  readonly userId: string;
  readonly house: HouseRules;
  /** An earlier attempt whose answer was lost may have made the change. */
  readonly isUnsure: boolean;
}

/** The line about a change: mrkdwn; `isAlone` when people must notice it, so that it stands in a message of its own. */
export type RoomLine = string | { readonly words: string; readonly isAlone: true };

/** A kind of act, as far as a room hears of it. The members are those of an intent's kind. */
export interface ToldKind {
  leaves?(result: unknown, payload: unknown, isUnsure: boolean): OwnChange | undefined;
  isMadeNow?(result: unknown): boolean;
  line?(result: unknown, payload: unknown, about: LineContext): RoomLine | undefined;
  /** It finds what an earlier attempt did. */
  readonly reconcile?: unknown;
}

/** An act that is done. */
export interface DoneAct {
  /** The id of its intent. */
  readonly id: string;
  readonly incidentID: string;
  /** Who did it, as the journal knows its owner. */
  readonly actor: string;
  readonly by: string;
  readonly userId: string;
  readonly askedAt: Date;
  readonly doneAt: Date;
  readonly result: unknown;
  readonly payload: unknown;
  /** An earlier attempt whose answer was lost may have done it. */
  readonly isUnsure: boolean;
  /** An earlier attempt did it, and this one found that. */
  readonly isFound: boolean;
  /** It was open in a backup that took the place of the database. */
  readonly isRestored: boolean;
  /** The act that it takes back. */
  readonly undoes: string | undefined;
}

/** What decides about the line of an act. */
export interface Circumstances extends Pick<DoneAct, 'isUnsure' | 'isFound' | 'isRestored'> {
  /** What it set of the facts that the room is told of: its kind sets none, it changed none, the room knows them already, or they are new. */
  readonly facts: 'none' | 'unchanged' | 'known' | 'new';
  /** This attempt itself made the change. */
  readonly isMadeNow: boolean;
  /** Its kind finds what an earlier attempt did. */
  readonly isFindable: boolean;
  /** It takes back an act that has a line. */
  readonly takesBack: boolean;
}

/**
 * What becomes of the line: none, a mark on another one, a new one, or one that may stand in Slack already, which is looked for and edited.
 */
export type Telling = 'nothing' | 'mark' | 'look for it' | 'add';

/** The cases, the first that holds decides. */
const cases: readonly (readonly [telling: Telling, holds: (act: Circumstances) => boolean])[] = [
  ['nothing', act => act.facts === 'unchanged'],
  // An earlier attempt made the change, and its room heard of it; or nobody knows whose change it is.
  ['nothing', act => act.facts === 'known' && act.isUnsure && !act.isMadeNow],
  // After a restoration nothing is set anew (incident/api/restored.ts): what is done then had been done before, and was told.
  ['nothing', act => act.isRestored && act.isFound],
  ['nothing', act => act.isRestored && act.isUnsure && (act.facts !== 'none' || !act.isFindable)],
  ['mark', act => act.takesBack],
  ['look for it', act => act.isRestored],
  ['add', () => true],
];

/** Decides what a room hears of an act. */
export function tellingOf(act: Circumstances): Telling {
  return cases.find(([, holds]) => holds(act))?.[0] ?? 'nothing';
}

/**
 * Notes what an act changed, for its room: the facts that it set, and its line or its mark. Called in the transaction that stores the act
 * as done. True when people must notice it.
 */
export async function tellOfAct(
  trx: Kysely<NoTables>,
  kind: ToldKind,
  act: DoneAct,
  house: HouseRules,
): Promise<boolean> {
  if (!kind.leaves && !kind.line) return false;
  const { id, incidentID, result, payload, isUnsure, isFound, isRestored, undoes, by, userId } = act;
  const own = kind.leaves?.(result, payload, isUnsure);
  const isNew = own !== undefined && (await noteOwnChange(trx, incidentID, own));
  const isMine = kind.isMadeNow?.(result) ?? kind.leaves?.(result, payload, false) !== undefined;
  const standing = undoes === undefined ? undefined : await findLine(trx, undoes);
  const telling = tellingOf({
    ...{ isUnsure, isFound, isRestored, isMadeNow: !isFound && isMine },
    facts: !kind.leaves ? 'none' : own === undefined ? 'unchanged' : isNew ? 'new' : 'known',
    isFindable: kind.reconcile !== undefined,
    takesBack: standing !== undefined,
  });
  if (telling === 'nothing') return false;
  const isOfLeader = own?.roles?.some(({ role }) => fold(role) === fold(house.commanderRole)) === true;
  if (standing && telling === 'mark') {
    await markLine(trx, standing.id, by);
    return standing.is_alone === 1 || isOfLeader;
  }
  const line = kind.line?.(result, payload, { by, userId, house, isUnsure });
  if (line === undefined) return false;
  const { words, isAlone } = typeof line === 'string' ? { words: line, isAlone: false } : line;
  const { actor, askedAt, doneAt } = act;
  await addLine(trx, { id, incidentID, actor, askedAt, doneAt, words, isAlone, mayStand: isRestored });
  return isAlone || isOfLeader;
}
