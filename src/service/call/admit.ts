import { decodePeople, peopleHeader } from '../../contract/acting.ts';
import { rpcBase } from '../../contract/contract.ts';
import type { People } from '../../contract/define.ts';
import type { Database } from '../../db/database.ts';
import { findPeople, rememberPeople } from '../store/people.ts';
import type { Db, Tables } from '../store/tables.ts';
import { createGate, demand, type ServiceToken, toServiceAccount } from './bearer-auth.ts';
import { type Caller, type Calls, type CallTerms, type Context, defaultPluginID, type Origin } from './context.ts';
import { createAnswerMemory } from './response-cache.ts';
import { openTokenBook } from './token-store.ts';

/** The turn that every change of the service waits for, so that checks hold until what they allow is written. */
export const turn = 'service';

/** The account of the process itself, when nobody in particular acts. */
const ownAccount = toServiceAccount('muster', 'Admin');
const anyone: Caller = { userID: '', name: 'Anonymous', photoURL: '', role: 'Viewer' };

type Work<T> = (context: Context) => Promise<T> | T;

/** The service's calls, and who is behind them. */
export interface CallDesk extends Calls {
  /** Marks a request as made by this process. */
  trust(request: Request): Request;
  /** Stores the names of the service accounts and of the people known from the start. */
  introduce(db: Db, now: Date): Promise<void>;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

/** Makes the one way from requests to contexts. */
export function createCalls(
  deps: Pick<Calls, 'options' | 'log'> & {
    database: Database;
    clock: () => Date;
    tokens: readonly ServiceToken[];
    /** Called after a call that left something for webhooks. */
    announce: () => void;
  },
): CallDesk {
  const { database, clock, options, log } = deps;
  const db = database.as<Tables>();
  const book = openTokenBook({ db, clock, log });
  const gate = createGate(deps.tokens, book.find, clock);
  const trusted = new WeakSet<Request>();
  const running = new Set<Promise<unknown>>();

  async function toAccount(origin: Origin, access: CallTerms['access']): Promise<Caller> {
    if (origin.trusted) return ownAccount;
    if (access === 'anyone') return anyone;
    const account = await gate.admit(origin.header('authorization'));
    demand(account.role, access);
    return account;
  }

  async function run<T>(
    call: Omit<Context, 'db' | 'now' | 'announce'>,
    terms: CallTerms,
    people: People | undefined,
    work: Work<T>,
  ) {
    let announced = false;
    const announce = () => {
      announced = true;
    };
    const context = { ...call, now: clock(), announce };
    if (terms.effect === 'read') return await work({ ...context, db });
    const result = await database.withLock<Tables, T>(turn, async trx => {
      await rememberPeople(trx, toPersons(people), context.now);
      return await work({ ...context, caller: await toNamed(trx, context.caller), db: trx });
    });
    if (announced) deps.announce();
    return result;
  }

  return {
    options,
    log,
    answers: createAnswerMemory(),
    trust: request => {
      trusted.add(request);
      return request;
    },
    originOf: request => ({
      trusted: trusted.has(request),
      pluginID: toPluginID(new URL(request.url).pathname),
      header: name => request.headers.get(name) ?? undefined,
    }),
    async admit(origin, terms) {
      const account = await toAccount(origin, terms.access);
      const header = account.role === 'Admin' ? origin.header(peopleHeader) : undefined;
      const people = header === undefined ? undefined : decodePeople(header);
      const call = { caller: toCaller(account, people), pluginID: origin.pluginID, options, log };
      return {
        caller: call.caller,
        async run(work) {
          const ongoing = run(call, terms, people, work);
          running.add(ongoing);
          try {
            return await ongoing;
          } finally {
            running.delete(ongoing);
          }
        },
      };
    },
    introduce: (trx, now) => rememberPeople(trx, [ownAccount, ...gate.accounts, ...options.users], now),
    async idle() {
      while (running.size > 0) await Promise.allSettled(running);
      await book.idle();
    },
  };
}

function toCaller(account: Caller, people: People | undefined): Caller {
  const actor = people?.actor;
  if (!actor) return account;
  return { userID: actor.userID, name: actor.name, photoURL: actor.photoURL ?? '', role: account.role };
}

/** A caller who came without a name, by the name that is known. */
async function toNamed(db: Db, caller: Caller): Promise<Caller> {
  if (caller.name !== '') return caller;
  return { ...caller, ...(await findPeople(db, [caller.userID]))(caller.userID) };
}

function toPersons(people: People | undefined) {
  if (!people) return [];
  return [...(people.actor ? [people.actor] : []), ...(people.others ?? [])];
}

const pluginPath = new RegExp(`^${rpcBase('([^/]+)')}`);

/** The plugin id in a path, else that of the newer plugin. */
export function toPluginID(path: string): string {
  return pluginPath.exec(path)?.[1] ?? defaultPluginID;
}
