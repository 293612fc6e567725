import type { Incident } from '../../contract/incidents.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import type { Context } from '../call/context.ts';
import { notFound } from '../call/errors.ts';
import { toIncident } from '../store/incident-objects.ts';
import { type Db, fold, type IncidentRow, type RoleRow } from '../store/tables.ts';
import { isVisible, isVisibleTo } from './visibility.ts';

/** The number of an incident id, a decimal without leading zeros; undefined for any other text. */
export function toIncidentNumber(incidentID: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(incidentID) ? Number(incidentID) : undefined;
}

const selectRow = definePrepared((db: Db, value: Params<{ id: number }>) =>
  db.selectFrom('incident').selectAll().where('id', '=', value.id),
);

/** The row of an incident. It does not ask who sees it. */
async function readRow({ db, known }: Context, id: number): Promise<IncidentRow | undefined> {
  const [row] = known.incidents.has(id) ? [known.incidents.get(id)?.row] : await selectRow(db, { id });
  if (row && !known.incidents.has(id)) known.incidents.set(id, { row });
  return row;
}

async function readVisible(context: Context, id: number): Promise<IncidentRow | undefined> {
  const { db, caller } = context;
  // One statement, so that what a person may not see takes the work of what does not exist.
  if (caller.reader)
    return await db
      .selectFrom('incident')
      .selectAll()
      .where('id', '=', id)
      .where(isVisibleTo(caller))
      .executeTakeFirst();
  const row = await readRow(context, id);
  return row && (await isVisible(context, row)) ? row : undefined;
}

/** The incident of an id; `not_found` also when the caller may not see it. */
export async function findIncident(context: Context, incidentID: string): Promise<IncidentRow> {
  const id = toIncidentNumber(incidentID);
  const row = id === undefined ? undefined : await readVisible(context, id);
  if (!row) throw notFound('incident', incidentID);
  return row;
}

/**
 * The whole incident as it is now, as mutations answer it (docs/api-rules.md A6); also to a caller who by this very change no
 * longer sees it.
 */
export async function readIncident(context: Context, id: number): Promise<Incident> {
  const row = await readRow(context, id);
  const known = context.known.incidents.get(id);
  if (!row || !known) throw notFound('incident', String(id));
  known.whole ??= toIncident(context, row);
  return await known.whole;
}

/** The role of a name in any case, archived or not; undefined when there is none. */
export async function findRoleByName({ db }: Context, name: string): Promise<RoleRow | undefined> {
  return await db
    .selectFrom('role')
    .selectAll()
    .where('name_folded', '=', fold(name.trim()))
    .where('deleted', '=', 0)
    .executeTakeFirst();
}
