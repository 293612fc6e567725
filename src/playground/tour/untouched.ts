import type { Scene } from '../story.ts';

/** A role that the tour creates, and leaves behind. */
export const lastingRole = 'herald';

/** Says why, where the tour cannot play: it counts on a workspace that has none of the roles and dashboards which it makes. */
export const untouched: Scene = async ({ system }) => {
  const { roles } = await system.operator.RolesService.GetRoles({});
  if (!roles.some(role => role.name === lastingRole)) return;
  throw new Error(
    'This story has played in this workspace, and its roles and dashboards are there. It plays once: begin anew with --fresh.',
  );
};
