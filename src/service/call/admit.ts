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
import { Door } from '../door/door.ts';
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
 * Rights and effect of a call: `anyone` may call without a token, and a `reader` may read the pages as the options say; a `read` runs without a
 * transaction.
 */
export interface CallRequirements {
  readonly access: AccessRole | 'anyone' | 'reader';
  readonly effect: Effect;
  /** Reads as much as its caller likes, so that it delays only other searches (`Database.forSearches`). */
  readonly isSearch?: boolean;
  /** Makes or changes an incident, whose type its header gives (docs/api-rules.md A6, Private incidents). */
  readonly takesType?: boolean;
}

/** The account of the process itself, for calls made for no person. */
const ownAccount = toServiceAccount('muster', 'Admin');
const anyone: Caller = { userID: '', name: 'Anonymous', photoURL: '', role: 'Viewer' };

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

/**
 * The one way from a request to a {@link Context}: each RPC method, HTTP endpoint and page goes through it. It finds the caller by a token, by the
 * cookie of the pages, or in the process itself, and checks the role; then it runs the call, in a transaction unless it only reads.
 */
export class CallGate {
  readonly options: ServiceOptions;
  readonly log: Logger;
  readonly cache = createResponseCache();
  readonly door: Door;
  readonly #deps: CallGateDeps;
  readonly #db: Db;
  readonly #searches: Db;
  readonly #tokens: StoredTokens;
  readonly #authenticator: ReturnType<typeof createAuthenticator>;
  readonly #trusted = new WeakSet<Request>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(deps: CallGateDeps) {
    this.#deps = deps;
    this.options = deps.options;
    this.log = deps.log;
    this.#db = deps.database.as<Tables>();
    this.#searches = deps.database.forSearches<Tables>();
    this.door = new Door(deps);
    this.#tokens = new StoredTokens(deps);
    this.#authenticator = createAuthenticator(deps.tokens, this.#tokens.find, deps.clock);
  }

  /** The people of Slack; undefined while there is no bot. */
  readers(): Readers | undefined {
    return this.#deps.readers?.();
  }

  /** Marks a request as made by this process. */
  trust(request: Request): Request {
    this.#trusted.add(request);
    return request;
  }

  /** The origin of a request that the service's Hono app received. */
  originOf(request: Request): CallOrigin {
    return {
      trusted: this.#trusted.has(request),
      // Without one in the path, the newer plugin is meant.
      pluginID: pluginPath.exec(new URL(request.url).pathname)?.[1] ?? defaultPluginID,
      header: name => request.headers.get(name) ?? undefined,
      gone: () => request.signal.aborted,
      sender: () => findSender(request),
    };
  }

  /**
   * Authenticates the caller and checks the role; rejects with `unauthenticated` or `permission_denied`. `run` does the work of the call. When
   * the work throws, its writes are undone and the error is thrown again.
   */
  async admit(origin: CallOrigin, requirements: CallRequirements) {
    const { options, log } = this;
    const account = await this.#toAccount(origin, requirements.access);
    const header = account.role === 'Admin' ? origin.header(peopleHeader) : undefined;
    const people = header === undefined ? undefined : decodePeople(header);
    const incidentType = toIncidentType(origin, requirements);
    const actor = people?.actor;
    const caller: Caller = actor
      ? { userID: actor.userID, name: actor.name ?? '', photoURL: actor.photoURL ?? '', role: account.role }
      : account;
    const call = { caller, incidentType, pluginID: origin.pluginID, options, log };
    return {
      caller,
      run: async <T>(work: (context: Context) => Promise<T> | T): Promise<T> => {
        const ongoing = this.#run(origin, requirements, call, people, context => {
          if (origin.gone?.()) throw new RpcError('canceled', 'The caller has broken off the call.');
          return work(context);
        });
        this.#running.add(ongoing);
        try {
          return await ongoing;
        } finally {
          this.#running.delete(ongoing);
        }
      },
    };
  }

  /** Stores the names of the service accounts and of the people whom the options name. */
  async storeKnownPeople(db: Db, now: Date): Promise<void> {
    await rememberPeople(db, [ownAccount, ...this.#authenticator.accounts, ...this.options.users], now);
  }

  /** Resolves when no call is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#tokens.idle();
  }

  async #toAccount(origin: CallOrigin, access: CallRequirements['access']): Promise<Caller> {
    if (origin.trusted) return ownAccount;
    if (access === 'reader' && this.options.pages === 'slack') return await this.#toReader(origin);
    if (access === 'anyone' || access === 'reader') return anyone;
    let account: Caller | undefined;
    try {
      account = await this.#authenticator.authenticate(origin.header('authorization'));
      requireRole(account.role, access);
      return account;
    } catch (error) {
      tellRefusal(error, { origin, account: account?.name, log: this.log, observe: this.#deps.observeRefusal });
      throw error;
    }
  }

  async #toReader(origin: CallOrigin): Promise<Caller> {
    const badge = await this.door.read(origin.header('cookie'));
    if (!badge) throw atTheDoor();
    const reader = await (this.readers()?.find(badge.userId) ?? 'away');
    if (reader === 'away') throw slackAway();
    if (!reader) {
      this.log.info({ user: badge.userId }, 'pages: a person who may read nothing was refused');
      throw atTheDoor();
    }
    const [userID = ''] = reader.sight.userIDs;
    return { userID, name: reader.name, photoURL: '', role: 'Viewer', reader: { ...reader, badge } };
  }

  async #run<T>(
    origin: CallOrigin,
    requirements: CallRequirements,
    call: Omit<Context, 'db' | 'known' | 'now' | 'announce'>,
    people: People | undefined,
    work: (context: Context) => Promise<T> | T,
  ): Promise<T> {
    const { database, clock } = this.#deps;
    let announced = false;
    const announce = () => {
      announced = true;
    };
    if (requirements.effect === 'read') {
      // The process itself asks for people who wait in Slack.
      const db = requirements.isSearch && !origin.trusted ? this.#searches : this.#db;
      return await work({ ...call, now: clock(), announce, db, known: nothingKnown() });
    }
    const result = await database.withLock<Tables, T>(serviceLock, async db => {
      // Calls are not carried out in the order in which they begin, and a timeline is read by its times.
      const now = clock();
      const context = { ...call, db, known: nothingKnown(), now, announce };
      const persons = [...(people?.actor ? [people.actor] : []), ...(people?.others ?? [])];
      await rememberPeople(db, persons, now, context.known);
      return await work({ ...context, caller: await withKnownName(context) });
    });
    if (announced) this.#deps.announce();
    return result;
  }
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

/** Fills in the stored name of a caller whose request gave none, or merely their id. */
async function withKnownName(context: Context): Promise<Caller> {
  const { caller } = context;
  const isNamed = caller.name !== '' && ![caller.userID, caller.userID.replace(/^.*?:/, '')].includes(caller.name);
  if (isNamed) return caller;
  return { ...caller, ...(await findPeople(context, [caller.userID]))(caller.userID) };
}

const pluginPath = new RegExp(`^${unversionedBase('([^/]+)')}`);

/** How often the use of a token is stored, in milliseconds. */
const recordEvery = 60_000;

/** The stored tokens. Other processes may write them too. */
class StoredTokens {
  readonly #deps: CallGateDeps;
  readonly #db: ReturnType<typeof toTokenDb>;
  readonly #recorded = new Map<number, number>();
  readonly #writing = new Set<Promise<void>>();

  constructor(deps: CallGateDeps) {
    this.#deps = deps;
    this.#db = toTokenDb(deps.database.as<Tables>());
  }

  /** The stored token, with its account. Its use is stored in the background. */
  readonly find = async (token: string, hash: string) => {
    if (!isTokenForm(token)) return undefined;
    const row = await this.#db
      .selectFrom('api_token')
      .select(['id', 'name', 'role', 'revoked_at'])
      .where('hash', '=', hash)
      .executeTakeFirst();
    if (!row) return undefined;
    const revoked = row.revoked_at !== null;
    if (!revoked) this.#recordUse(row.id, this.#deps.clock());
    return { account: toServiceAccount(row.name, row.role), revoked };
  };

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #recordUse(id: number, now: Date): void {
    const time = now.getTime();
    if (Math.abs(time - (this.#recorded.get(id) ?? -Infinity)) < recordEvery) return;
    this.#recorded.set(id, time);
    const write = this.#writeUse(id, now).finally(() => this.#writing.delete(write));
    this.#writing.add(write);
  }

  /** Skips the write when another process has just stored the same use. */
  async #writeUse(id: number, now: Date): Promise<void> {
    try {
      await this.#deps.database.single<Tables, unknown>(db =>
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
      this.#recorded.delete(id);
      this.#deps.log.warn({ err, tokenID: id }, 'service: could not store the last use of a token');
    }
  }
}
