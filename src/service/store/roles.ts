import type { Role } from '../../contract/roles.ts';
import { fold, type RoleRow } from './tables.ts';
import { formatTime } from './time.ts';

/** A role as it is sent. */
export function toRole(row: RoleRow, orgID: string): Role {
  return {
    roleID: row.id,
    orgID,
    name: row.name,
    description: row.description,
    important: row.important === 1,
    mandatory: row.mandatory === 1,
    archived: row.archived === 1,
    createdAt: formatTime(row.created_at),
    updatedAt: formatTime(row.updated_at),
  };
}

/** The columns that hold what people say of a role. */
export function roleColumns(role: Pick<Role, 'name' | 'description' | 'important' | 'mandatory' | 'archived'>) {
  return {
    name: role.name,
    name_folded: fold(role.name),
    description: role.description,
    important: role.important ? 1 : 0,
    mandatory: role.mandatory ? 1 : 0,
    archived: role.archived ? 1 : 0,
  };
}
