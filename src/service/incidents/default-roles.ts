import { lastNumber, takeNumber } from '../store/counters.ts';
import { type Db, fold } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';

/** The roles of a fresh organisation (docs/api-rules.md A3). */
const firstRoles = [
  { name: 'commander', description: 'Owns the incident (has their full-time attention)', proper: 1 },
  { name: 'investigator', description: 'Finds the cause', proper: 1 },
  { name: 'observer', description: 'Watching the incident', proper: 0 },
] as const;

/** Gives a database that never had a role its first three. */
export async function seedRoles(db: Db, now: Date): Promise<void> {
  if ((await lastNumber(db, 'role')) > 0) return;
  const first = await takeNumber(db, 'role', firstRoles.length);
  const time = toMicros(now);
  await db
    .insertInto('role')
    .values(
      firstRoles.map(({ name, description, proper }, index) => ({
        id: first + index,
        name,
        name_folded: fold(name),
        description,
        important: proper,
        mandatory: proper,
        archived: 0,
        deleted: 0,
        created_at: time,
        updated_at: time,
      })),
    )
    .execute();
}
