import { type Db, type IntentRow, nothingDue } from './rows.ts';
import { covered, isOver } from './table.ts';

/*
 * Ends that are told later are usually told by the process at which they came about, a run of a lane together. So only the first of
 * a run is noted as due, and stands for the others: telling them writes one row in place of a hundred. Only when that process is gone,
 * or could not tell them, are they noted as due one by one.
 */

/** The ids of those of a run whose ends are due as long as that of the first is; `""` when somebody waits for that one. */
export function toCovers([first, ...others]: readonly Pick<IntentRow, 'id' | 'late'>[]): string {
  return first && first.late !== 0 ? others.map(each => each.id).join(' ') : '';
}

/** Whether another end stands for this one. */
export function isCovered({ aftermath }: Pick<IntentRow, 'aftermath'>): boolean {
  return aftermath === covered;
}

/** Whether an end stands for others, or another one for it: these are told together or not at all. */
export function isOfCover(row: Pick<IntentRow, 'covers' | 'aftermath'>): boolean {
  return row.covers !== '' || isCovered(row);
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

/** Notes that nothing more is due for ends that were told later, with all that each covers. */
export async function closeTold(db: Db, told: readonly IntentRow[]): Promise<void> {
  const heads = told.filter(each => each.covers !== '');
  const isIntact = (await countCovering(db, toIDs(heads))) === heads.length;
  // Of a head that was renewed or discarded meanwhile, what it covered is due by itself.
  const due = isIntact ? told.filter(each => !isCovered(each)) : told;
  const over = db.updateTable('bot_intent').set(nothingDue).where('id', 'in', toIDs(due)).where(isOver);
  await over.where('aftermath', '=', 1).execute();
}

async function countCovering(db: Db, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const covering = db.selectFrom('bot_intent').select('id').where('id', 'in', ids).where('covers', '!=', '');
  return (await covering.execute()).length;
}

function toIDs(rows: readonly IntentRow[]): readonly string[] {
  return rows.map(each => each.id);
}
