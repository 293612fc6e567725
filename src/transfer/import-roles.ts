import { roleColumns } from '../service/store/roles.ts';
import { type Db, fold, type RoleRow } from '../service/store/tables.ts';
import { parseTime } from '../service/store/time.ts';
import type { RoleRecord } from './format.ts';
import { keepOrTake } from './ids.ts';
import type { ImportSummary } from './import-summary.ts';

/**
 * Imports roles; gives for each role id of the export the one here. A role of the same name here stays as it is. While there is
 * no incident yet, it becomes the exported one, id included.
 */
export async function importRoles(
  db: Db,
  roles: readonly RoleRecord[],
  summary: ImportSummary,
  now: number,
): Promise<Map<number, number>> {
  const fresh = (await db.selectFrom('incident').select('id').limit(1).executeTakeFirst()) === undefined;
  const ids = new Map<number, number>();
  for (const role of roles) {
    const known = await findKnown(db, role);
    if (known && fresh && !role.deleted) await db.deleteFrom('role').where('id', '=', known.id).execute();
    else if (known) {
      ids.set(role.roleID, known.id);
      summary.present.roles += 1;
      continue;
    }
    ids.set(role.roleID, await insertRole(db, role, now));
    if (known) summary.present.roles += 1;
    else summary.added.roles += 1;
  }
  return ids;
}

async function findKnown(db: Db, role: RoleRecord): Promise<RoleRow | undefined> {
  const created = parseTime(role.createdTime);
  const namesakes = await db
    .selectFrom('role')
    .selectAll()
    .where('name_folded', '=', fold(role.name))
    .where('deleted', '=', role.deleted ? 1 : 0)
    .orderBy('id')
    .execute();
  return role.deleted ? namesakes.find(each => created === undefined || each.created_at === created) : namesakes[0];
}

async function insertRole(db: Db, role: RoleRecord, now: number): Promise<number> {
  const find = (number: number) => db.selectFrom('role').select('id').where('id', '=', number).executeTakeFirst();
  const id = await keepOrTake(db, 'role', role.roleID, async number => (await find(number)) !== undefined);
  const created = parseTime(role.createdTime) ?? now;
  await db
    .insertInto('role')
    .values({
      id,
      ...roleColumns(role),
      deleted: role.deleted ? 1 : 0,
      created_at: created,
      updated_at: parseTime(role.updatedTime) ?? created,
    })
    .execute();
  return id;
}
