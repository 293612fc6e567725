import { defaultRoles } from '../../contract/roles.ts';
import { lastNumber, takeNumber } from '../store/counters.ts';
import { roleColumns } from '../store/roles.ts';
import type { Db } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';

/** Gives a database that never had a role the three default ones. The important ones are mandatory as well. */
export async function seedRoles(db: Db, now: Date): Promise<void> {
  if ((await lastNumber(db, 'role')) > 0) return;
  const first = await takeNumber(db, 'role', defaultRoles.length);
  const time = toMicros(now);
  await db
    .insertInto('role')
    .values(
      defaultRoles.map((role, index) => ({
        id: first + index,
        ...roleColumns({ ...role, mandatory: role.important, archived: false }),
        deleted: 0,
        created_at: time,
        updated_at: time,
      })),
    )
    .execute();
}
