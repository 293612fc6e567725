import type { Logger } from 'pino';
import { decodePeople, peopleHeader } from '../../contract/acting.ts';
import { unversionedBase } from '../../contract/contract.ts';
import type { AccessRole, Effect, People } from '../../contract/define.ts';
import { RpcError } from '../../contract/errors.ts';
import {
  type IncidentType,
  incidentTypeHeader,
  incidentTypes,
  readIncidentType,
} from '../../contract/incident-type.ts';
import type { Database } from '../../db/database.ts';
import { type Door, openDoor } from '../door/door.ts';
import { nothingKnown } from '../store/known.ts';
import { findPeople, rememberPeople } from '../store/people.ts';
import { type Db, serviceLock, type Tables } from '../store/tables.ts';
import { toMicros } from '../store/time.ts';
import { toTokenDb } from '../store/tokens.ts';
import { createAuthenticator, requireRole, type ServiceToken, toServiceAccount } from './bearer-auth.ts';
import { type Caller, type CallOrigin, type Context, defaultPluginID } from './context.ts';
import { invalidArgument } from './errors.ts';
import type { ServiceOptions } from './options.ts';
import { atTheDoor, type Readers, slackAway } from './readers.ts';
import { type ObserveRefusal, tellRefusal } from './refusals.ts';
import { createResponseCache } from './response-cache.ts';
import { findSender } from './senders.ts';
import { isTokenForm } from './tokens.ts';

/**
 * What a call needs and does: `anyone` may call without a token, and a `reader` is who may read the pages, as the options say; a
 * `read` runs without a transaction.
 */
export interface CallRequirements {
  readonly access: AccessRole | 'anyone' | 'reader';
  readonly effect: Effect;
  /** Reads as much as its caller likes, so that it may hold up nobody but its like (`Database.forSearches`). */
  readonly isSearch?: boolean;
  /** Makes or changes an incident, whose type its header gives (docs/api-rules.md A6, Private incidents). */
  readonly takesType?: boolean;
}

/** The one way from a request to a {@link Context}: every RPC method, HTTP endpoint and page goes through it. */
export interface CallGate {
  readonly options: ServiceOptions;
  readonly log: Logger;
  readonly cache: ReturnType<typeof createResponseCache>;
  /** The door to the pages. */
  readonly door: Door;
  /** The people of Slack; undefined while there is no bot. */
  readers(): Readers | undefined;
  /** The origin of a request that the service's Hono app received. */
  originOf(request: Request): CallOrigin;
  /** Authenticates the caller and checks the role; rejects with `unauthenticated` or `permission_denied`. */
  admit(
    origin: CallOrigin,
    requirements: CallRequirements,
  ): Promise<{
    readonly caller: Caller;
    /** Runs `work`, in a transaction unless the effect is `read`. When `work` throws, its writes are undone and the error is rethrown. */
    run<T>(work: (context: Context) => Promise<T> | T): Promise<T>;
  }>;
}

/** The gate as its owner, the service, holds it. */
export interface CallGateController extends CallGate {
  /** Marks a request as made by this process. */
  trust(request: Request): Request;
  /** Stores the names of the service accounts and of the people whom the options name. */
  storeKnownPeople(db: Db, now: Date): Promise<void>;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

/** The account of the process itself, for calls made for no person. */
const ownAccount = toServiceAccount('muster', 'Admin');
const anyone: Caller = { userID: '', name: 'Anonymous', photoURL: '', role: 'Viewer' };

/** What a gate works with. */
interface CallGateDeps {
  readonly options: ServiceOptions;
  readonly log: Logger;
  readonly database: Database;
  readonly clock: () => Date;
  readonly tokens: readonly ServiceToken[];
  /** The people of Slack, where a bot knows them. */
  readonly readers?: (() => Readers | undefined) | undefined;
  /** Called after the commit of a call that enqueued webhooks. */
  readonly announce: () => void;
  /** Called for each request whose token is refused, or may not do what it asks. */
  readonly observeRefusal?: ObserveRefusal | undefined;
}

/** Makes the gate of one service. */
export function createCallGate(deps: CallGateDeps): CallGateController {
  const { database, clock, options, log } = deps;
  const db = database.as<Tables>();
  const searches = database.forSearches<Tables>();
  const tokenStore = openTokenStore({ database, clock, log });
  const authenticator = createAuthenticator(deps.tokens, tokenStore.find, clock);
  const trusted = new WeakSet<Request>();
  const running = new Set<Promise<unknown>>();
  const door = openDoor(deps);
  const readers = deps.readers ?? (() => undefined);

  async function toReader(origin: CallOrigin): Promise<Caller> {
    const badge = await door.read(origin.header('cookie'));
    if (!badge) throw atTheDoor();
    const reader = await (readers()?.find(badge.userId) ?? 'away');
    if (reader === 'away') throw slackAway();
    if (!reader) {
      log.info({ user: badge.userId }, 'pages: a person who may read nothing was refused');
      throw atTheDoor();
    }
    const [userID = ''] = reader.sight.userIDs;
    return { userID, name: reader.name, photoURL: '', role: 'Viewer', reader: { ...reader, badge } };
  }

  async function toAccount(origin: CallOrigin, access: CallRequirements['access']): Promise<Caller> {
    if (origin.trusted) return ownAccount;
    if (access === 'reader' && options.pages === 'slack') return await toReader(origin);
    if (access === 'anyone' || access === 'reader') return anyone;
    let account: Caller | undefined;
    try {
      account = await authenticator.authenticate(origin.header('authorization'));
      requireRole(account.role, access);
      return account;
    } catch (error) {
      tellRefusal(error, { origin, account: account?.name, log, observe: deps.observeRefusal });
      throw error;
    }
  }

  return {
    options,
    log,
    door,
    readers,
    cache: createResponseCache(),
    trust: request => {
      trusted.add(request);
      return request;
    },
    originOf: request => ({
      trusted: trusted.has(request),
      // Without one in the path, the newer plugin is meant.
      pluginID: pluginPath.exec(new URL(request.url).pathname)?.[1] ?? defaultPluginID,
      header: name => request.headers.get(name) ?? undefined,
      gone: () => request.signal.aborted,
      sender: () => findSender(request),
    }),
    async admit(origin, requirements) {
      const account = await toAccount(origin, requirements.access);
      const header = account.role === 'Admin' ? origin.header(peopleHeader) : undefined;
      const people = header === undefined ? undefined : decodePeople(header);
      const incidentType = toIncidentType(origin, requirements);
      const call = { caller: toCaller(account, people), incidentType, pluginID: origin.pluginID, options, log };
      // The process itself asks for people who wait in Slack.
      const reads = requirements.isSearch && !origin.trusted ? searches : db;
      return {
        caller: call.caller,
        async run(work) {
          const ongoing = runCall({ ...deps, db: reads }, call, requirements, people, context => {
            if (origin.gone?.()) throw new RpcError('canceled', 'The caller has broken off the call.');
            return work(context);
          });
          running.add(ongoing);
          try {
            return await ongoing;
          } finally {
            running.delete(ongoing);
          }
        },
      };
    },
    storeKnownPeople: (trx, now) => rememberPeople(trx, [ownAccount, ...authenticator.accounts, ...options.users], now),
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
      await tokenStore.idle();
    },
  };
}

async function runCall<T>(
  { database, db, clock, announce: onAnnounced }: CallGateDeps & { db: Db },
  call: Omit<Context, 'db' | 'known' | 'now' | 'announce'>,
  requirements: CallRequirements,
  people: People | undefined,
  work: (context: Context) => Promise<T> | T,
): Promise<T> {
  let announced = false;
  const announce = () => {
    announced = true;
  };
  if (requirements.effect === 'read') return await work({ ...call, now: clock(), announce, db, known: nothingKnown() });
  const result = await database.withLock<Tables, T>(serviceLock, async trx => {
    // Calls are not carried out in the order in which they begin, and a timeline is read by its times.
    const now = clock();
    const context = { ...call, db: trx, known: nothingKnown(), now, announce };
    await rememberPeople(trx, toPersons(people), now, context.known);
    return await work({ ...context, caller: await withKnownName(context) });
  });
  if (announced) onAnnounced();
  return result;
}

/** The type that the call's header gives. A header that the call cannot heed is refused: its caller must not read that all is well. */
function toIncidentType(origin: CallOrigin, { effect, takesType }: CallRequirements): IncidentType | undefined {
  const value = origin.header(incidentTypeHeader) ?? '';
  if (value.trim() === '' || effect === 'read') return undefined;
  if (takesType !== true)
    throw invalidArgument(`the header ${incidentTypeHeader} is for calls that change an incident: leave it out here`);
  const type = readIncidentType(value);
  if (type === undefined)
    throw invalidArgument(`the header ${incidentTypeHeader} must be one of ${incidentTypes.join(', ')}`);
  return type;
}

function toCaller(account: Caller, people: People | undefined): Caller {
  const actor = people?.actor;
  if (!actor) return account;
  return { userID: actor.userID, name: actor.name ?? '', photoURL: actor.photoURL ?? '', role: account.role };
}

/** Fills in the stored name of a caller whose request gave none, or merely their id. */
async function withKnownName(context: Context): Promise<Caller> {
  const { caller } = context;
  const isNamed = caller.name !== '' && ![caller.userID, caller.userID.replace(/^.*?:/, '')].includes(caller.name);
  if (isNamed) return caller;
  return { ...caller, ...(await findPeople(context, [caller.userID]))(caller.userID) };
}

function toPersons(people: People | undefined) {
  if (!people) return [];
  return [...(people.actor ? [people.actor] : []), ...(people.others ?? [])];
}

const pluginPath = new RegExp(`^${unversionedBase('([^/]+)')}`);

/** How often the use of a token is stored, in milliseconds. */
const recordEvery = 60_000;

interface FoundToken {
  readonly account: Caller;
  readonly revoked: boolean;
  readonly id: number;
}

/** Opens the stored tokens. Other processes may write them too. */
function openTokenStore(deps: { database: Database; clock: () => Date; log: Logger }) {
  const tokens = toTokenDb(deps.database.as<Tables>());
  const recorded = new Map<number, number>();
  const writing = new Set<Promise<void>>();

  async function look(hash: string): Promise<FoundToken | undefined> {
    const row = await tokens
      .selectFrom('api_token')
      .select(['id', 'name', 'role', 'revoked_at'])
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (!row) return undefined;
    return { id: row.id, account: toServiceAccount(row.name, row.role), revoked: row.revoked_at !== null };
  }

  function recordUse({ id }: FoundToken, now: Date): void {
    const time = now.getTime();
    if (Math.abs(time - (recorded.get(id) ?? -Infinity)) < recordEvery) return;
    recorded.set(id, time);
    const write = writeUse(id, now).finally(() => writing.delete(write));
    writing.add(write);
  }

  /** Skips the write when another process has just stored the same use. */
  async function writeUse(id: number, now: Date): Promise<void> {
    try {
      await deps.database.single<Tables, unknown>(db =>
        toTokenDb(db)
          .updateTable('api_token')
          .set({ last_used_at: toMicros(now) })
          .where('id', '=', id)
          .where(({ eb, or }) =>
            or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', toMicros(now) - recordEvery * 1000)]),
          )
          .execute(),
      );
    } catch (err) {
      recorded.delete(id);
      deps.log.warn({ err, tokenID: id }, 'service: could not store the last use of a token');
    }
  }

  return {
    /** The stored token. Its use is stored in the background. */
    async find(token: string, hash: string) {
      if (!isTokenForm(token)) return undefined;
      const entry = await look(hash);
      if (entry && !entry.revoked) recordUse(entry, deps.clock());
      return entry;
    },
    /** Resolves when no write is under way. */
    async idle() {
      await Promise.all(writing);
    },
  };
}
