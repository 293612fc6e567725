import { z } from 'zod';
import { defineMethod } from './define.ts';
import {
  count,
  flag,
  lenient,
  list,
  means,
  requiredNumber,
  requiredText,
  response,
  someone,
  text,
  time,
  wholeNumber,
} from './fields.ts';

/** A role that people can hold in an incident. `important`, `mandatory` and `archived`: docs/api-rules.md A3. */
export const Role = z.object({
  roleID: means(count(), 'The number of the role: commander 1, investigator 2, observer 3, then counting on.'),
  orgID: means(text(), 'The organisation it belongs to: `1`.'),
  name: means(text(), 'Its name, of 1 to 100 characters.'),
  description: means(text(), 'What the person who holds it does.'),
  important: means(flag(), 'Whether assigning it is an important event.'),
  mandatory: means(flag(), 'Whether every incident should have it assigned.'),
  archived: means(flag(), 'Whether it can no longer be assigned. It stays where it was assigned.'),
  createdAt: means(time(), 'When it was made.'),
  updatedAt: means(time(), 'When it was last changed; empty until the first change.'),
});
means(Role, 'A role that people can hold in an incident.');
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
  input: z.object({ roleID: means(requiredNumber(), 'The number of the role.') }),
  output: response({}),
  errors: ['not_found', 'conflict'],
} as const;

const RoleInput = z.object({
  roleID: means(wholeNumber(), 'The number of the role. CreateRole ignores it and gives another one.'),
  orgID: means(text(), 'Ignored: the role belongs to the organisation of the service.'),
  name: means(requiredText(), 'Its name, of 1 to 100 characters. No other role may have it, whatever its case.'),
  description: means(text(), 'What the person who holds it does.'),
  important: means(flag(), 'Whether assigning it is an important event.'),
  mandatory: means(flag(), 'Whether every incident should have it assigned.'),
  archived: means(flag(), 'Whether it cannot be assigned.'),
  createdAt: means(time(), 'Ignored: the server keeps its own time.'),
  updatedAt: means(time(), 'Ignored: the server keeps its own time.'),
});

export const Assignment = z.object({
  user: means(someone(), 'The person who holds the role.'),
  role: means(
    lenient(Role, () => Role.parse({})),
    'The role as it is now, or as it was when it was removed.',
  ),
  roleID: means(count(), 'The number of that role.'),
});
means(Assignment, 'A person holding a role.');
export type Assignment = z.output<typeof Assignment>;

export const AssignmentPreview = z.object({
  user: means(someone(), 'The person who holds the role.'),
  roleID: means(count(), 'The number of that role.'),
});
means(AssignmentPreview, 'A person holding a role, in previews.');
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
    input: z.object({ role: means(RoleInput, 'The role to add.') }),
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
    output: response({ roles: means(list(Role), 'All roles by number, archived ones too.') }),
    errors: [],
  }),
  UnarchiveRole: defineMethod({ summary: 'Let an archived role be assigned again.', effect: 'set', ...onRole }),
  UpdateRole: defineMethod({
    summary: 'Replace a role.',
    effect: 'set',
    access: 'Admin',
    input: z.object({
      role: means(
        RoleInput.extend({ roleID: means(requiredNumber(), 'The number of the role.') }),
        'The whole role: every member replaces the one before.',
      ),
    }),
    output: response({ role: Role }),
    errors: ['not_found', 'conflict'],
  }),
} as const;
