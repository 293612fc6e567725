import type { JsonObject } from '../protocol/json.ts';

/** An organisation of several workspaces (Enterprise Grid), and how it has installed the app (docs/slack.md 3). */
export interface Grid {
  /** In the whole organisation, or in its first workspace alone. */
  install: 'organisation' | 'workspace';
  /** Ids of the workspaces to which an administrator has added the app of the whole organisation. */
  granted: readonly string[];
}

/** A workspace of the organisation. */
interface Team {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
}

/** The organisation. */
export const organisation = { id: 'E0ACME00001', name: 'Acme Group' } as const;

/** Its workspaces. The first one is the only workspace of a Slack without an organisation. */
export const teams = [
  { id: 'T0ACME00001', name: 'Acme', domain: 'acme' },
  { id: 'T0ACMEWEST1', name: 'Acme West', domain: 'acme-west' },
  { id: 'T0ACMELABS1', name: 'Acme Labs', domain: 'acme-labs' },
] as const satisfies readonly Team[];

/** A workspace by its id; the first one when the organisation has none of that id. */
export function teamOf(id: string): Team {
  return teams.find(team => team.id === id) ?? teams[0];
}

/** Whether a workspace is of the organisation. */
export function isOfOrganisation(grid: Grid | undefined, teamId: string): boolean {
  return grid !== undefined && teams.some(team => team.id === teamId);
}

/** Whether the app's token is of the whole organisation. */
export function isOrgInstall(grid: Grid | undefined): boolean {
  return grid?.install === 'organisation';
}

/** The organisation as interactions name it, and whether it has the app. */
export function toEnterprise(grid: Grid | undefined): JsonObject {
  return { enterprise: grid ? { ...organisation } : null, is_enterprise_install: isOrgInstall(grid) };
}
