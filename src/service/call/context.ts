import type { Logger } from 'pino';
import { pluginIDs } from '../../contract/contract.ts';
import type { AccessRole, Effect, KnownPerson } from '../../contract/define.ts';
import type { Db } from '../store/tables.ts';
import type { AnswerMemory } from './response-cache.ts';

/** Who makes a call: the person it is made for, else the service account of its token (docs/api-rules.md A1). */
export interface Caller {
  readonly userID: string;
  readonly name: string;
  readonly photoURL: string;
  readonly role: AccessRole;
}

/** What an operation works with. One is made for each call. */
export interface Context {
  /** The transaction of a call that writes; the plain database for a call that reads. See other tables with `withTables`. */
  readonly db: Db;
  /** When the call began; every time it stores is this one. */
  readonly now: Date;
  readonly caller: Caller;
  /** Plugin id of the request's path, for the links in answers. */
  readonly pluginID: string;
  readonly options: ServiceOptions;
  readonly log: Logger;
  /** Says that the call left something to send: as soon as it is committed, the sender of webhooks looks. */
  readonly announce: () => void;
}

/** A severity that incidents can have: 1 is the worst, -1 is not yet known (docs/api-rules.md A2). */
export interface Severity {
  readonly label: string;
  readonly level: number;
}

/** A folder that dashboards can be in (docs/api-rules.md C5). */
export interface FolderSetting {
  readonly uid: string;
  readonly title: string;
}

/** A dashboard that belongs to a plugin; `model` is the dashboard's JSON (docs/api-rules.md C2, step 14). */
export interface PluginDashboard {
  readonly pluginId: string;
  readonly pluginName: string;
  readonly model: Readonly<Record<string, unknown>>;
}

/** How an installation wants the service to behave. */
export interface ServiceOptions {
  /** What severities there are; `pending`, or the first where there is no such, is used when none is named. */
  readonly severities: readonly Severity[];
  /** Whether changing roles takes an Admin, rather than an Editor. */
  readonly rolesNeedAdmin: boolean;
  /** Whether active roles are kept between 2 and 5 (docs/api-rules.md A8). */
  readonly enforceRoleBounds: boolean;
  /** Whether the person who declares becomes an observer (docs/api-rules.md A3). */
  readonly assignCreatorAsObserver: boolean;
  /** Whether incidents begin with the tasks that the system keeps (docs/api-rules.md A9). */
  readonly systemTasks: boolean;
  /** Address under which people reach the service, without a trailing slash; short links begin with it. */
  readonly rootUrl: string;
  readonly orgID: '1';
  /** Whether deleted dashboards can be restored, and for how many days. */
  readonly trash: { readonly enabled: boolean; readonly days: number };
  /** Whether a folder that a dashboard names and nobody made is made then (docs/api-rules.md C5). */
  readonly autoCreateFolders: boolean;
  /** The shortest refresh interval a dashboard may have, as Grafana writes durations. */
  readonly minRefresh: string;
  /** For how many days the log of webhooks keeps what was delivered or given up. */
  readonly webhookLogDays: number;
  /** Whether `/goto` links work without a token. */
  readonly publicGoto: boolean;
  /** Whether anybody who reaches the service may read the pages, without a token. */
  readonly pages: 'off' | 'open';
  /** Uid of the dashboard that is the home page, when one is. */
  readonly home?: string;
  readonly folders: readonly FolderSetting[];
  readonly pluginDashboards: readonly PluginDashboard[];
  /** Models of dashboards that nobody can change or delete (docs/api-rules.md C2, step 16). */
  readonly provisionedDashboards: readonly Readonly<Record<string, unknown>>[];
  /** People whose names are known from the start. */
  readonly users: readonly KnownPerson[];
}

/** Behaviour as decided in docs/api-rules.md, part D. */
export const defaultOptions: ServiceOptions = {
  severities: [
    { label: 'pending', level: -1 },
    { label: 'critical', level: 1 },
    { label: 'major', level: 2 },
    { label: 'minor', level: 3 },
  ],
  rolesNeedAdmin: true,
  enforceRoleBounds: false,
  assignCreatorAsObserver: false,
  systemTasks: false,
  rootUrl: 'http://localhost:3000',
  orgID: '1',
  trash: { enabled: true, days: 30 },
  autoCreateFolders: true,
  minRefresh: '5s',
  webhookLogDays: 30,
  publicGoto: false,
  pages: 'off',
  folders: [],
  pluginDashboards: [],
  provisionedDashboards: [],
  users: [],
};

/** Plugin id of links when a request's path names none. */
export const defaultPluginID = pluginIDs[0];

/** Where a call comes from, over HTTP or in the same process. */
export interface Origin {
  /** True for the process itself, which needs no token and acts as Admin. */
  readonly trusted: boolean;
  readonly pluginID: string;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
}

/** What the call needs and does: `anyone` may call without a token, and reads run without a transaction. */
export interface CallTerms {
  readonly access: AccessRole | 'anyone';
  readonly effect: Effect;
}

/** A call that was let in. */
export interface Admission {
  readonly caller: Caller;
  /**
   * Runs `work`, in a transaction unless the effect is `read`; throws whatever `work` throws, after undoing what it wrote.
   */
  run<T>(work: (context: Context) => Promise<T> | T): Promise<T>;
}

/** The one way from a request to a {@link Context}; every RPC method and every HTTP endpoint goes through it. */
export interface Calls {
  readonly options: ServiceOptions;
  readonly log: Logger;
  readonly answers: AnswerMemory;
  /** The origin of a request that the service's Hono app received. */
  originOf(request: Request): Origin;
  /** Finds out who calls and checks what they may do: rejects with `RpcError` `unauthenticated` or `permission_denied`. */
  admit(origin: Origin, terms: CallTerms): Promise<Admission>;
}
