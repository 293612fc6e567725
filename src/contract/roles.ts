import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  count,
  flag,
  lenient,
  list,
  requiredNumber,
  requiredText,
  response,
  someone,
  text,
  wholeNumber,
} from './fields.ts';

/** A role that people can hold in an incident. `important`, `mandatory` and `archived`: docs/api-rules.md A3. */
export const Role = z.object({
  roleID: count(),
  orgID: text(),
  name: text(),
  description: text(),
  important: flag(),
  mandatory: flag(),
  archived: flag(),
  createdAt: text(),
  updatedAt: text(),
});
/** A role that people can hold in an incident. */
export type Role = z.output<typeof Role>;

/** The roles of a fresh organisation, in order (docs/api-rules.md A3). */
export const defaultRoles = [
  { name: 'commander', description: 'Owns the incident (has their full-time attention)', important: true },
  { name: 'investigator', description: 'Finds the cause', important: true },
  { name: 'observer', description: 'Watching the incident', important: false },
] as const;

/** What operations on one role have in common. */
const onRole = {
  access: 'Admin',
  input: z.object({ roleID: requiredNumber() }),
  output: response({}),
  errors: ['not_found', 'conflict'],
} as const;

const RoleInput = z.object({
  roleID: wholeNumber(),
  orgID: text(),
  name: requiredText(),
  description: text(),
  important: flag(),
  mandatory: flag(),
  archived: flag(),
  createdAt: text(),
  updatedAt: text(),
});

/** A person holding a role. */
export const Assignment = z.object({ user: someone(), role: lenient(Role, () => Role.parse({})), roleID: count() });
/** A person holding a role. */
export type Assignment = z.output<typeof Assignment>;

/** A person holding a role, in previews. */
export const AssignmentPreview = z.object({ user: someone(), roleID: count() });
/** A person holding a role, in previews. */
export type AssignmentPreview = z.output<typeof AssignmentPreview>;

/** The roles an organisation uses (docs/incident-api.md, RolesService). */
export const RolesService = {
  ArchiveRole: defineMethod({
    summary: 'Stop a role from being assigned on new incidents.',
    effect: 'set',
    ...onRole,
  }),
  CreateRole: defineMethod({
    summary: 'Add a role.',
    effect: 'create',
    access: 'Admin',
    input: z.object({ role: RoleInput }),
    output: response({ role: Role }),
    errors: ['conflict'],
  }),
  DeleteRole: defineMethod({
    summary: 'Remove a role; assignments already made keep a copy.',
    effect: 'create',
    ...onRole,
  }),
  GetRoles: defineMethod({
    summary: 'List all roles, archived ones included.',
    effect: 'read',
    access: 'Viewer',
    input: z.object({}),
    output: response({ roles: list(Role) }),
    errors: [],
  }),
  UnarchiveRole: defineMethod({
    summary: 'Let an archived role be assigned again.',
    effect: 'set',
    ...onRole,
  }),
  UpdateRole: defineMethod({
    summary: 'Replace a role.',
    effect: 'set',
    access: 'Admin',
    input: z.object({ role: RoleInput.extend({ roleID: requiredNumber() }) }),
    output: response({ role: Role }),
    errors: ['not_found', 'conflict'],
  }),
} as const;
