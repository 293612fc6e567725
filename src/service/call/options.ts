import type { PagesMode } from '../../config/page-settings.ts';
import type { KnownPerson } from '../../contract/define.ts';

/** A severity that incidents can have: 1 is the worst, -1 is not yet known (docs/api-rules.md A2). */
export interface Severity {
  readonly label: string;
  readonly level: number;
}

/**
 * How an installation wants the service to behave. It is in call/, because the context of every call holds it and the files of the
 * service's root come last in the order of layers.
 */
export interface ServiceOptions {
  /**
   * The severities of the installation. An incident that names none gets `pending`, or the first one where there is no
   * `pending`.
   */
  readonly severities: readonly Severity[];
  /** Whether changing roles takes an Admin, rather than an Editor. */
  readonly rolesNeedAdmin: boolean;
  /** Whether active roles are kept between 2 and 5 (docs/api-rules.md A8). */
  readonly enforceRoleBounds: boolean;
  /** Whether the person who declares becomes an observer (docs/api-rules.md A3). */
  readonly assignCreatorAsObserver: boolean;
  /** Whether new incidents get the system's tasks (docs/api-rules.md A9). */
  readonly systemTasks: boolean;
  /** The address under which people reach the service, without a trailing slash. Short links begin with it. */
  readonly rootUrl: string;
  readonly orgID: '1';
  /** Whether deleted dashboards can be restored, and for how many days. */
  readonly trash: { readonly enabled: boolean; readonly days: number };
  /**
   * For how many days a short link that is not followed is kept; 0: without an end. One that a timeline names stays (docs/api-rules.md B,
   * Cleanup).
   */
  readonly shortUrlDays: number;
  /** Whether saving a dashboard creates the folder it names, when there is none (docs/api-rules.md C5). */
  readonly autoCreateFolders: boolean;
  /** The shortest refresh interval of a dashboard, as Grafana writes durations. */
  readonly minRefresh: string;
  /** For how many days a resolved incident is kept; 0: without an end. */
  readonly incidentRetentionDays: number;
  /** For how many hours a webhook is tried before it is given up. */
  readonly webhookRetryHours: number;
  /** For how many days the log of webhooks keeps deliveries that have ended. */
  readonly webhookLogDays: number;
  /** Whether `/goto` links work without a token. */
  readonly publicGoto: boolean;
  /** Who may read the pages: nobody, the people of Slack by links of their own, or all who reach the service. */
  readonly pages: PagesMode;
  /** What people type in Slack for a link of their own. */
  readonly pageCommand: string;
  /** Uid of the dashboard that is the home page, when one is. */
  readonly home?: string;
  /** The folders that dashboards can be in (docs/api-rules.md C5). */
  readonly folders: readonly { readonly uid: string; readonly title: string }[];
  /** Dashboards that belong to plugins; `model` is the dashboard's JSON (docs/api-rules.md C2, step 14). */
  readonly pluginDashboards: readonly {
    readonly pluginId: string;
    readonly pluginName: string;
    readonly model: Readonly<Record<string, unknown>>;
  }[];
  /** Models of dashboards that callers cannot change or delete (docs/api-rules.md C2, step 16). */
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
  shortUrlDays: 7,
  autoCreateFolders: true,
  minRefresh: '5s',
  incidentRetentionDays: 0,
  webhookRetryHours: 24,
  webhookLogDays: 30,
  publicGoto: false,
  pages: 'off',
  pageCommand: '/muster web',
  folders: [],
  pluginDashboards: [],
  provisionedDashboards: [],
  users: [],
};
