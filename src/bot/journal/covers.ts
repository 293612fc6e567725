import type { Db, IntentRow } from './rows.ts';
import { covered } from './table.ts';

/*
 * Ends that are told later are usually told by the process at which they came about, a run of a lane together. So only the first of
 * a run is noted as due, and stands for the others: telling them writes one row in place of a hundred. Only when that process is gone,
 * or could not tell them, are they noted as due one by one.
 */

/** The ids of those of a run whose ends are due as long as that of the first is; `""` when somebody waits for that one. */
export function toCovers([first, ...others]: readonly Pick<IntentRow, 'id' | 'late'>[]): string {
  return first && first.late !== 0 ? others.map(each => each.id).join(' ') : '';
}

/** Whether an end stands for others, or another one for it: these are told together or not at all. */
export function isOfCover({ covers, aftermath }: Pick<IntentRow, 'covers' | 'aftermath'>): boolean {
  return covers !== '' || aftermath === covered;
}

/** The end of each is due by itself from now on, in place of with that of one of these. */
export async function uncover(db: Db, heads: readonly Pick<IntentRow, 'id' | 'covers'>[]): Promise<void> {
  for (const { id, covers } of heads) {
    if (covers === '') continue;
    await db
      .updateTable('bot_intent')
      .set({ aftermath: 1, lease_owner: '' })
      .where('id', 'in', covers.split(' '))
      .where('aftermath', '=', covered)
      .where('lease_owner', '=', id)
      .execute();
    await db.updateTable('bot_intent').set({ covers: '' }).where('id', '=', id).execute();
  }
}
