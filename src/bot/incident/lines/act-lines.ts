import type { Kysely } from 'kysely';
import type { NoTables } from '../../../db/engine.ts';
import type { LinePlace } from '../../schema/lines.ts';
import type { BotTables } from '../../schema/tables.ts';
import { signs } from '../../text/signs.ts';
import { takeBackOffers } from '../state/alert-store.ts';
import { beginChains } from '../state/call-store.ts';
import { roomMention } from '../state/incident-name.ts';
import { fold } from '../state/roles.ts';
import type { Settings } from '../state/settings.ts';
import { forgetOutcome, type UpdateChange } from '../state/update-store.ts';
import { type About, type Did, linesOf, type RoomLine } from './did.ts';
import {
  type Difference,
  isReopened,
  isSameState,
  type OwnChange,
  readKnownState,
  recordOwnChange,
} from './known-state.ts';
import { newsLines, updateNews } from './news.ts';
import { addLine, findLines, forReaders, markLines } from './outbox.ts';

/*
 * The lines about an act of Muster's own. The transaction that stores an act as done adds its lines, or marks the lines of the act that it
 * takes back. A table decides which, since an act may have been tried before, or lie in a backup that took the place of the database.
 */

/** The members of an intent's kind that its lines are made of. */
interface LineKind {
  did(payload: unknown, about: About): Did;
  stateChange?(result: unknown, payload: unknown, isUnsure: boolean): OwnChange | undefined;
  update?(result: unknown, payload: unknown): UpdateChange | undefined;
  /** It finds what an earlier attempt did. */
  readonly reconcile?: unknown;
}

/** An act that is done. */
export interface DoneAct {
  /** The id of its intent. */
  readonly id: string;
  readonly incidentID: string;
  /** The person, as the journal knows its owner. */
  readonly actor: string;
  /** The person as mrkdwn, and Slack's id of them. */
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

/** The facts that decide about the line of an act. */
interface Circumstances {
  readonly isUnsure: boolean;
  readonly isFound: boolean;
  readonly isRestored: boolean;
  /**
   * The facts of the incident that the act set. `none`: its kind sets no facts. `unchanged`: it changed none. `known`: the room knows them
   * already. `new`: the room does not know them.
   */
  readonly facts: 'none' | 'unchanged' | 'known' | 'new';
  /** This attempt itself made the change. */
  readonly appliedNow: boolean;
  /** Its kind finds what an earlier attempt did. */
  readonly isFindable: boolean;
  /** It takes back an act that has a line. */
  readonly takesBack: boolean;
}

/** The line of an act: none, a mark on another one, a new one, or one that Slack may show already, which is looked for and edited. */
type Telling = 'nothing' | 'mark' | 'look for it' | 'add';

/** The cases, the first that holds decides. */
const cases: readonly (readonly [telling: Telling, holds: (act: Circumstances) => boolean])[] = [
  ['nothing', act => act.facts === 'unchanged'],
  // An earlier attempt made the change, and its room heard of it; or it is unknown whose change it is.
  ['nothing', act => act.facts === 'known' && act.isUnsure && !act.appliedNow],
  // After a restoration nothing is set again (incident/api/restored.ts): what is done then had been done before, and was told.
  ['nothing', act => act.isRestored && act.isFound],
  ['nothing', act => act.isRestored && act.isUnsure && (act.facts !== 'none' || !act.isFindable)],
  ['mark', act => act.takesBack],
  ['look for it', act => act.isRestored],
  ['add', () => true],
];

/** Decides which line a room reads of an act. */
export function tellingOf(act: Circumstances): Telling {
  return cases.find(([, holds]) => holds(act))?.[0] ?? 'nothing';
}

/**
 * Whether the room heard of changes made elsewhere since an act was asked for. If it did not, it does not know the change of an earlier
 * attempt, although the state is the one that it knows: another change lay between, and it did not hear of that one either.
 */
async function hasHeard(trx: Kysely<NoTables>, { incidentID, askedAt }: DoneAct): Promise<boolean> {
  const lines = trx.withTables<BotTables>().selectFrom('bot_line').select('id').where('incident_id', '=', incidentID);
  const heard = lines.where('id', 'like', 'elsewhere/%').where('done_at', '>=', askedAt.getTime());
  return (await heard.limit(1).executeTakeFirst()) !== undefined;
}

/** Records the facts that an act set, and adds its lines or its marks. Called in the transaction that stores the act as done. */
export async function tellOfAct(
  trx: Kysely<NoTables>,
  kind: LineKind,
  act: DoneAct,
  settings: Settings,
): Promise<void> {
  const { result, payload, isUnsure, isFound, isRestored, undoes, by, userId } = act;
  const linesWith = (severity: string) => linesOf(kind, payload, result, { by, userId, settings, isUnsure, severity });
  if (!kind.stateChange && linesWith('').length === 0) return;
  const own = kind.stateChange?.(result, payload, isUnsure);
  const update = kind.update?.(result, payload);
  const given = update?.kind === 'given' ? update : undefined;
  const change = own && (await recordOwnChange(trx, act.incidentID, own));
  if (change) await beginChains(trx, act.incidentID, change, settings, act.doneAt);
  if (change && isReopened(change)) await takeBackOffers(trx, act.incidentID);
  // This time it ended without words.
  if (own?.status === 'resolved' && own.end?.summary === '' && undoes === undefined)
    await forgetOutcome(trx, act.incidentID);
  const isMine = own?.appliedNow ?? kind.stateChange?.(result, payload, false) !== undefined;
  const standing = undoes === undefined ? [] : await findLines(trx, undoes);
  const telling = tellingOf({
    ...{ isUnsure, isFound, isRestored, appliedNow: !isFound && isMine },
    // An update is told whatever facts it sets.
    facts:
      !kind.stateChange || given
        ? 'none'
        : own === undefined
          ? 'unchanged'
          : change && isSameState(change.before, change.after) && !(isFound && !(await hasHeard(trx, act)))
            ? 'known'
            : 'new',
    isFindable: kind.reconcile !== undefined,
    takesBack: standing.some(each => each.place === 'room'),
  });
  if (telling === 'nothing') return;
  const isOfLeader = own?.roles?.some(({ role }) => fold(role) === fold(settings.commanderRole)) === true;
  if (undoes !== undefined) await markLines(trx, undoes, by, isOfLeader);
  const known = given && (await readKnownState(trx.withTables<BotTables>(), act.incidentID));
  const lines = telling === 'mark' ? [] : linesWith(known?.severity ?? '');
  for (const [index, line] of lines.entries()) await addRoomLine(trx, act, line, { index, isOfLeader });
  const unknown = { title: '', status: '', severity: '', isDrill: false, labels: [], roles: [] };
  // The news of a severity that is taken back are marked. An update that sets the severity is one message.
  const isNews = change && !(telling === 'mark' && own.severity !== undefined);
  const news =
    given?.as === 'update'
      ? [updateNews(given, act.incidentID, known ?? unknown, by, settings)]
      : isNews
        ? await newsOf(trx, act, change, own.end, settings)
        : [];
  for (const [index, words] of news.entries())
    await addLine(trx, { ...toLine(act), ...forReaders, id: `${act.id}/news/${index}`, words });
}

/** Says in the room what is there twice, since an earlier attempt at an act took effect late; `twin` is mrkdwn. */
export async function tellOfTwin(trx: Kysely<NoTables>, act: DoneAct, twin: string): Promise<void> {
  const words = `${signs.warning} ${twin}`;
  await addLine(trx, { ...toLine(act), act: '', id: `${act.id}/twin`, words, isOwnMessage: true });
}

function toLine({ id, incidentID, actor, askedAt, doneAt, isRestored: mayAlreadyExist }: DoneAct) {
  return { incidentID, act: id, actor, askedAt, doneAt, mayAlreadyExist };
}

async function addRoomLine(
  trx: Kysely<NoTables>,
  act: DoneAct,
  line: RoomLine,
  { index, isOfLeader }: { readonly index: number; readonly isOfLeader: boolean },
): Promise<void> {
  const id = index === 0 ? act.id : `${act.id}/${index}`;
  if (typeof line === 'string') {
    await addLine(trx, { ...toLine(act), id, words: line, isOwnMessage: false, isUrgent: isOfLeader });
    return;
  }
  const { of, ...rest } = line;
  const place: LinePlace = of === 'origin' ? 'origin' : 'room';
  const audience = of === 'origin' ? 'readers' : of === 'channel' ? 'channel' : 'room';
  const own = { ...toLine(act), ...rest, id, place, audience, isUrgent: of !== 'origin' } as const;
  await addLine(trx, of === 'channel' ? { ...own, act: '' } : own);
}

/** The news of a change for the readers of the announcement. */
async function newsOf(
  trx: Kysely<NoTables>,
  { incidentID }: DoneAct,
  { before, after }: Difference,
  end: OwnChange['end'],
  { severities }: Settings,
): Promise<readonly string[]> {
  const row = await trx
    .withTables<BotTables>()
    .selectFrom('bot_room')
    .select(['channel_id', 'channel_name'])
    .where('incident_id', '=', incidentID)
    .executeTakeFirst();
  const room = roomMention(row && { channelId: row.channel_id, channelName: row.channel_name });
  return newsLines({ incidentID, before, after, end, severities, room });
}
