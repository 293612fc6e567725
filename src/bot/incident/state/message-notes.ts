import type { Kysely } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { NoTables } from '../../../db/engine.ts';
import { definePreparedChange } from '../../../db/prepared.ts';
import type { JobKind } from '../../journal/intent.ts';
import type { Intent } from '../../journal/rows.ts';
import type { BotTables } from '../../schema/tables.ts';
import type { MessageAddress } from '../../slack/source-message.ts';

/** The effect of an intent on the note of a message: it adds the note, or `as` says what it does to the one that the intent `note` adds. */
export type NoteChange = MessageAddress | { readonly as: 'followed_by' | 'removed_by'; readonly note: string };

type NoteIntent = Intent<JobKind<never>>;

/** An intent that puts a message on a timeline. */
export interface MessageAddition extends NoteIntent {
  /** The workspace of who adds it. */
  readonly teamId: string;
  /** The note; `""` before it is written. */
  readonly activityItemID: string;
  /** The note is removed, or will be before anything that is submitted now. */
  readonly isRemoved: boolean;
  /** The newest intent that brings the note up to date with the message's words. */
  readonly followed: NoteIntent | undefined;
}

/** The notes of messages in Slack. */
export type MessageNotes = ReturnType<typeof openMessageNotes>;

/** Opens the notes of messages in the bot's database. `findAll` is the journal's. */
export function openMessageNotes(
  database: Database,
  findAll: (ids: readonly string[]) => Promise<readonly NoteIntent[]>,
) {
  const all = database.as<BotTables>().selectFrom('bot_message_note').selectAll();
  return {
    /** The intents of a kind that put a message on any timeline, oldest first. */
    of: async (kind: string, { channelId, ts }: MessageAddress): Promise<readonly MessageAddition[]> => {
      const rows = await all.where('channel_id', '=', channelId).where('ts', '=', ts).orderBy('seq').execute();
      if (rows.length === 0) return [];
      const ids = rows.flatMap(row => [row.intent_id, row.followed_by, row.removed_by]);
      const entries = new Map((await findAll(ids)).map(each => [each.id, each]));
      return rows.flatMap(({ intent_id, team_id: teamId, activity_item_id: activityItemID, ...row }) => {
        const added = entries.get(intent_id);
        if (added?.kind.kind !== kind) return [];
        const isRemoved = row.removed_by !== '' && !isGivenUp(entries.get(row.removed_by));
        return [{ ...added, teamId, activityItemID, isRemoved, followed: entries.get(row.followed_by) }];
      });
    },
    /** The note that an intent has added for a message; `""` when there is none. */
    itemOf: async (id: string): Promise<string> =>
      (await all.where('intent_id', '=', id).executeTakeFirst())?.activity_item_id ?? '',
  };
}

/** Whether an intent takes no effect. */
export function isGivenUp(intent: NoteIntent | undefined): boolean {
  return intent?.state === 'failed' || intent?.state === 'discarded';
}

/** Records what an intent does to the note of a message. Called in the transaction that stores the intent. */
export async function recordNoteChange(
  plain: Kysely<NoTables>,
  { id, owner }: { readonly id: string; readonly owner: string },
  change: NoteChange,
): Promise<void> {
  const trx = plain.withTables<BotTables>();
  if ('as' in change) {
    const { as, note } = change;
    const noted = trx.updateTable('bot_message_note').set({ [as]: id });
    await noted.where(({ or, eb }) => or([eb('intent_id', '=', note), eb('activity_item_id', '=', note)])).execute();
    return;
  }
  const { channelId: channel_id, ts } = change;
  const before = trx.selectFrom('bot_message_note').where('channel_id', '=', channel_id).where('ts', '=', ts);
  const { seq } = await before.select(({ fn }) => fn.max('seq').as('seq')).executeTakeFirstOrThrow();
  const row = { intent_id: id, team_id: owner.split('/')[0] ?? '', channel_id, ts, seq: Number(seq) + 1 };
  const nothingYet = { activity_item_id: '', followed_by: '', removed_by: '' };
  await trx
    .insertInto('bot_message_note')
    .values({ ...row, ...nothingYet })
    .execute();
}

const setItem = definePreparedChange<BotTables, { id: string; item: string }>((db, { id, item }) =>
  db.updateTable('bot_message_note').set({ activity_item_id: item }).where('intent_id', '=', id),
);

/** Records which note the intent `id` has added. Called in the transaction that stores it as done. */
export async function recordWritten(plain: Kysely<NoTables>, id: string, item: string): Promise<void> {
  await setItem(plain.withTables<BotTables>(), { id, item });
}
