import type { Logger } from 'pino';
import { pluginIDs } from '../../contract/contract.ts';
import type { AccessRole } from '../../contract/define.ts';
import type { IncidentType } from '../../contract/incident-type.ts';
import type { Sender } from '../../contract/sender.ts';
import type { Known } from '../store/known.ts';
import type { Db } from '../store/tables.ts';
import type { ServiceOptions } from './options.ts';
import type { AdmittedReader } from './readers.ts';

/** The author of a call: the person it is made for, else the service account of its token (docs/api-rules.md A1). */
export interface Caller {
  readonly userID: string;
  readonly name: string;
  readonly photoURL: string;
  readonly role: AccessRole;
  /** A person of Slack who reads pages, and sees what they see in Slack. Absent: the role decides. */
  readonly reader?: AdmittedReader;
}

/** What an operation works with. Each call gets its own. */
export interface Context {
  /** The transaction of a call that writes, the plain database for a read. `withTables` shows other tables. */
  readonly db: Db;
  readonly known: Known;
  /** When a read began, or when a change got its turn. All times that the call stores are this one. */
  readonly now: Date;
  readonly caller: Caller;
  /** The type that the call asks for its incident; undefined when it names none. */
  readonly incidentType: IncidentType | undefined;
  /** Plugin id of the request's path, for links in answers. */
  readonly pluginID: string;
  readonly options: ServiceOptions;
  readonly log: Logger;
  /** Says that the call enqueued webhooks. After the commit, the sender looks at its queue. */
  readonly announce: () => void;
}

/** A context for work that is the same for every caller. */
export type SharedContext = Omit<Context, 'caller'>;

/** Plugin id of links when the path of a request names none. */
export const defaultPluginID = pluginIDs[0];

/** Where a call comes from, over HTTP or in the same process. */
export interface CallOrigin {
  /** True for the process itself, which needs no token and acts as Admin. */
  readonly trusted: boolean;
  readonly pluginID: string;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** Whether the caller has broken off and does not read the answer. Absent: it never does. */
  gone?(): boolean;
  /** Who sent the request, for the log. Absent: the process itself, or it is not known. */
  sender?(): Sender | undefined;
}
