import { ActivityService } from './activity.ts';
import { Dashboards } from './dashboards.ts';
import type { Client, HttpContract, RpcContract } from './define.ts';
import { Search } from './discovery.ts';
import { IncidentsService } from './incidents-service.ts';
import { RolesService } from './roles.ts';
import { ShortUrls } from './short-urls.ts';
import { TasksService } from './tasks.ts';
import { UsersService } from './users.ts';

/** The incident API: every service by its name on the wire (docs/incident-api.md). */
export const rpc = {
  ActivityService,
  IncidentsService,
  RolesService,
  TasksService,
  UsersService,
} as const satisfies RpcContract;

/** The short-URL and dashboard API (docs/short-url-api.md). */
export const http = { ShortUrls, Dashboards, Search } as const satisfies HttpContract;

/** Everything that can be called: all RPC services and all HTTP endpoints. */
export type Api = Client<typeof rpc> & Client<typeof http>;

/** Plugin ids whose base paths are served; the first is the newer (docs/api-rules.md A1). */
export const pluginIDs = ['grafana-irm-app', 'grafana-incident-app'] as const;

/** Base path of the RPC services for a plugin id, without a trailing slash. */
export function rpcBase(pluginID: string): string {
  return `${unversionedBase(pluginID)}/v1`;
}

/** Base path of the services that no document describes (unversioned.ts), and of all services on older servers. */
export function unversionedBase(pluginID: string): string {
  return `/api/plugins/${pluginID}/resources/api`;
}
