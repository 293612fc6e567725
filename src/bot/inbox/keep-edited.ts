import type { Database } from '../../db/database.ts';
import { keepFor } from '../keep-for.ts';
import type { BotTables } from '../schema/tables.ts';
import { type NewDelivery, put, type StoredDelivery, toRow } from './delivery-rows.ts';

/** A message to the bot that its author has edited. */
export interface EditedMessage {
  /** The message itself, with the words that it has now. */
  readonly message: NewDelivery;
  /** This edit of it. */
  readonly edit: NewDelivery;
  /** When the message was written. */
  readonly writtenAt: Date;
}

/** What an edited message was stored as: the `message`, or the `edit` of one that was delivered before. */
export interface StoredEdit extends StoredDelivery {
  readonly as: 'message' | 'edit';
}

/** An older message counts as delivered, in milliseconds: its key may be forgotten. Less than that, since Slack's clock is another one. */
const knownFor = keepFor.deliveries * 0.75;

/**
 * Stores an edited message, in one transaction. The message itself is delivered now when it was not before: Slack repeats what it
 * could not deliver, so an edit may come first, and an edit may also be the first mention of the bot. An edit that comes after a
 * newer one counts as delivered.
 */
export function keepEdited(
  database: Database,
  owner: string,
  { message, edit, writtenAt }: EditedMessage,
  now: Date,
): Promise<StoredEdit> {
  return database.withLock<BotTables, StoredEdit>(`delivery ${message.key}`, async trx => {
    const keys = trx.selectFrom('bot_delivery').select(['key', 'seq']);
    const edits = await keys.where('key', 'like', `${message.key}/%`).execute();
    const newest = edits.find(each => each.key >= edit.key);
    if (newest) return { as: 'edit', isNew: false, seq: newest.seq };
    const isForgotten = now.getTime() - writtenAt.getTime() > knownFor;
    const [first] = isForgotten ? [] : await put(trx, toRow(message, owner, now));
    const row = toRow(edit, owner, now);
    const handled = { ...row, state: 'done', body: '', lease_owner: '', blocks_order: 0 } as const;
    const [stored] = await put(trx, first ? handled : row);
    return first ? { as: 'message', isNew: true, seq: first.seq } : { as: 'edit', isNew: true, seq: stored?.seq ?? 0 };
  });
}
