import type { Implementation } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import type { RolesService } from '../../contract/roles.ts';
import type { Context } from '../call/context.ts';
import { notFound } from '../call/errors.ts';
import { readText } from '../call/input.ts';
import { raiseDirectory, takeNumber } from '../store/counters.ts';
import { roleColumns, toRole } from '../store/roles.ts';
import type { Db, RoleRow } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { findRoleByName } from './find.ts';

/** The most characters of a role's name (docs/api-rules.md A8). */
const maxName = 100;
/** Bounds on active roles, where the options enforce them (docs/api-rules.md A8). */
const mostActive = 5;
const fewestActive = 2;

/** RolesService on the database (docs/api-rules.md A8). */
export const roles: Implementation<typeof RolesService, Context> = {
  async ArchiveRole(context, { roleID }) {
    const role = await findRole(context, roleID);
    if (role.archived === 0) {
      await keepEnoughActive(context);
      await updateRole(context, roleID, { archived: 1 });
    }
    return { error: '' };
  },
  async CreateRole(context, { role }) {
    const name = await readFreeName(context, role.name);
    await keepFewActive(context);
    const time = toMicros(context.now);
    const row = {
      id: await takeNumber(context.db, 'role'),
      ...roleColumns({ ...role, name }),
      deleted: 0,
      created_at: time,
      updated_at: time,
    };
    await context.db.insertInto('role').values(row).execute();
    await takeNumber(context.db, 'homescreen');
    return { role: toRole(row, context.options.orgID), error: '' };
  },
  async DeleteRole(context, { roleID }) {
    await findRole(context, roleID);
    await keepEnoughActive(context);
    await updateRole(context, roleID, { deleted: 1 });
    return { error: '' };
  },
  async GetRoles({ db, options }) {
    const rows = await db.selectFrom('role').selectAll().where('deleted', '=', 0).orderBy('id').execute();
    return { roles: rows.map(row => toRole(row, options.orgID)), error: '' };
  },
  async UnarchiveRole(context, { roleID }) {
    const role = await findRole(context, roleID);
    if (role.archived === 1) {
      await keepFewActive(context);
      await updateRole(context, roleID, { archived: 0 });
    }
    return { error: '' };
  },
  async UpdateRole(context, { role }) {
    const before = await findRole(context, role.roleID);
    const columns = roleColumns({ ...role, name: await readFreeName(context, role.name, before) });
    const after = { ...before, ...columns };
    if (
      (['name', 'description', 'important', 'mandatory', 'archived'] as const).every(
        column => before[column] === after[column],
      )
    )
      return { role: toRole(before, context.options.orgID), error: '' };
    await updateRole(context, role.roleID, columns);
    return { role: toRole({ ...after, updated_at: toMicros(context.now) }, context.options.orgID), error: '' };
  },
};

/** The role of an id, or `not_found`. */
async function findRole({ db }: Context, roleID: number): Promise<RoleRow> {
  const found = db.selectFrom('role').selectAll().where('id', '=', roleID).where('deleted', '=', 0);
  const row = await found.executeTakeFirst();
  if (!row) throw notFound('role', roleID);
  return row;
}

/** The names of the roles that an incident should not be without. */
export async function readImportantRoles(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('role')
    .select('name')
    .where('important', '=', 1)
    .where('archived', '=', 0)
    .where('deleted', '=', 0)
    .orderBy('id')
    .execute();
  return rows.map(({ name }) => name);
}

async function updateRole(context: Context, roleID: number, change: Partial<RoleRow>): Promise<void> {
  await context.db
    .updateTable('role')
    .set({ ...change, updated_at: toMicros(context.now) })
    .where('id', '=', roleID)
    .execute();
  await takeNumber(context.db, 'homescreen');
  await raiseDirectory(context.db);
}

async function readFreeName(context: Context, written: string, own?: RoleRow): Promise<string> {
  const name = readText('role.name', written, maxName);
  const taken = await findRoleByName(context, name);
  if (taken && taken.id !== own?.id) {
    throw new RpcError('conflict', `role ${JSON.stringify(taken.name)} exists already`, {
      reason: 'roles.duplicate_name',
    });
  }
  return name;
}

async function countActive({ db }: Context): Promise<number> {
  const { count } = await db
    .selectFrom('role')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('deleted', '=', 0)
    .where('archived', '=', 0)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function keepFewActive(context: Context): Promise<void> {
  if (!context.options.enforceRoleBounds || (await countActive(context)) < mostActive) return;
  throw new RpcError(
    'conflict',
    `too many active roles: at most ${mostActive} can be active, so archive another first`,
    { reason: 'roles.maximum_active_reached' },
  );
}

async function keepEnoughActive(context: Context): Promise<void> {
  if (!context.options.enforceRoleBounds || (await countActive(context)) > fewestActive) return;
  throw new RpcError(
    'conflict',
    `too few active roles: at least ${fewestActive} must stay active, so add another first`,
    { reason: 'roles.minimum_active_required' },
  );
}
