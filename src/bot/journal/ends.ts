import { sql } from 'kysely';
import type { Books } from './books.ts';
import { closeTold, uncover } from './covers.ts';
import type { Leases } from './leases.ts';
import { closeRows, type Db, type IntentRow } from './rows.ts';
import { free, hasAftermath, isOver, isUnfinished, toldLater } from './table.ts';

/** What is due once intents have ended: the answer to the person, and what must follow in Slack. */
export interface Ends {
  /** Marks an unfinished intent as one whose end is told later; false when it is finished already. */
  promise(id: string): Promise<boolean>;
  /** Leases some of those that nobody answers for, but for what ended in lanes where more is about to end; oldest first. */
  claimEnds(most: number, busy: readonly string[]): Promise<readonly IntentRow[]>;
  /** Nothing more is due for these, about which somebody was answered. */
  close(ids: readonly string[]): Promise<void>;
  /** Nothing more is due for these, which were told later; what one covers is among them. */
  closeTold(told: readonly IntentRow[]): Promise<void>;
  /** Nobody was answered about these, of what this process was to answer: it is told later. */
  leave(ids: readonly string[]): Promise<void>;
}

/** Opens the ends for one process. */
export function openEnds({ withLock, clock, owner }: Books, leases: Leases): Ends {
  /** Some of what nobody sees to; oldest first. */
  async function findLeft(trx: Db, most: number, busy: readonly string[]): Promise<readonly IntentRow[]> {
    const rows = await trx
      .selectFrom('bot_intent')
      .selectAll()
      .where(hasAftermath)
      .where('lane', 'not in', ['', ...busy])
      .where(({ or, eb }) => or([eb('lease_owner', '=', ''), eb('key', 'in', ['', ...leases.leftKeys()])]))
      .orderBy('changed_at')
      .orderBy('lane')
      .orderBy('seq')
      .limit(sql.lit(most))
      .execute();
    return rows.filter(leases.isLeft);
  }

  return {
    promise: id =>
      withLock(async trx => {
        const open = trx.updateTable('bot_intent').where('id', '=', id).where(isUnfinished);
        const { numUpdatedRows } = await open.set({ late: toldLater }).executeTakeFirstOrThrow();
        return numUpdatedRows > 0n;
      }),
    claimEnds: (most, busy) =>
      withLock(async trx => {
        const found = await findLeft(trx, most, busy);
        const covering = found.filter(each => each.covers !== '');
        await uncover(trx, covering);
        const ours = covering.length > 0 ? await findLeft(trx, most, busy) : found;
        if (ours.length === 0) return [];
        const ids = ours.map(each => each.id);
        const claimed = trx.updateTable('bot_intent').where('id', 'in', ids);
        await claimed.set({ ...leases.taken(clock()), late: toldLater }).execute();
        return ours;
      }),
    close: ids => withLock(trx => closeRows(trx, ids)),
    closeTold: told => withLock(trx => closeTold(trx, told)),
    leave: ids =>
      withLock(async trx => {
        const left = trx.updateTable('bot_intent').where('id', 'in', ids).where(isOver).where(hasAftermath);
        await left
          .set({ late: 1, ...free })
          // What is told later already is left to whoever tells it.
          .where('late', '=', 0)
          .where('lease_owner', '=', owner)
          .execute();
      }),
  };
}
