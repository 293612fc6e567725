import type { Migration } from '../../db/migrate.ts';
import type { IntentTable } from './intents.ts';

/**
 * A message in Slack that became a note on a timeline, or will. The incident, who noted it and when, and whether that is done, are those
 * of the intent that adds the note: the row goes when that is deleted.
 */
export type MessageNoteTable = {
  /** The intent that adds the note. */
  intent_id: string;
  /** The workspace of who adds it. */
  team_id: string;
  channel_id: string;
  /** Slack's time of the message. */
  ts: string;
  /** The order of the notes of one message. */
  seq: number;
  /** The note on the timeline; `""` before it is written. */
  activity_item_id: string;
  /** The newest intent that brings the note up to date with its message's words; `""` for none. */
  followed_by: string;
  /** The intent that removes the note; `""` for none. */
  removed_by: string;
};

/** Makes the table of what the keys of intents said until now. One kind of intent removes a note from now on. */
export const createMessageNotes: Migration['up'] = async plain => {
  await plain.schema
    .createTable('bot_message_note')
    .addColumn('intent_id', 'text', it => it.notNull().primaryKey().references('bot_intent.id').onDelete('cascade'))
    .addColumn('team_id', 'text', column => column.notNull())
    .addColumn('channel_id', 'text', column => column.notNull())
    .addColumn('ts', 'text', column => column.notNull())
    .addColumn('seq', 'integer', column => column.notNull())
    .addColumn('activity_item_id', 'text', column => column.notNull())
    .addColumn('followed_by', 'text', column => column.notNull())
    .addColumn('removed_by', 'text', column => column.notNull())
    .execute();
  const index = (name: string) => plain.schema.createIndex(`bot_message_note_${name}`).on('bot_message_note');
  await index('message').columns(['channel_id', 'ts']).execute();
  await index('item').column('activity_item_id').execute();
  const db = plain.withTables<{ bot_intent: IntentTable; bot_message_note: MessageNoteTable }>();
  const rows = await db
    .selectFrom('bot_intent')
    .select(['id', 'key', 'kind', 'owner', 'payload', 'outcome'])
    .where('kind', 'in', ['timeline.add', 'note.add', 'timeline.follow', 'timeline.takeOff', 'note.remove'])
    .orderBy('created_at')
    .orderBy('seq')
    .execute();
  for (const [seq, { id, key, kind, owner, payload, outcome }] of rows.entries()) {
    const { note = '', activityItemID = '', words } = JSON.parse(payload);
    if (kind.endsWith('.add')) {
      const [, channel_id, ts] = /^(?:message|note\/[^/]+\/[^/]+)\/([^/]+)\/([\d.]+)/.exec(key) ?? [];
      if (channel_id === undefined || ts === undefined) continue;
      // An error, which stands there too, names no item.
      const { activityItemID: activity_item_id = '' } = JSON.parse(outcome || '{}');
      const team_id = owner.split('/')[0] ?? '';
      const row = { intent_id: id, team_id, channel_id, ts, seq, activity_item_id, followed_by: '', removed_by: '' };
      await db.insertInto('bot_message_note').values(row).execute();
    } else if (kind !== 'timeline.follow' || words) {
      const column = kind === 'timeline.follow' ? 'followed_by' : 'removed_by';
      const change = db.updateTable('bot_message_note').set({ [column]: id });
      await change.where(note === '' ? 'activity_item_id' : 'intent_id', '=', note || activityItemID).execute();
    }
  }
  // It found messages by the keys of their intents.
  await plain.schema.dropIndex('bot_intent_kind').execute();
  await db.updateTable('bot_intent').set({ kind: 'note.remove' }).where('kind', '=', 'timeline.takeOff').execute();
};
