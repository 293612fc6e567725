import { hash, randomBytes } from 'node:crypto';
import type { Database } from '../../db/database.ts';
import { toReaderDb } from '../store/readers.ts';
import type { Db, Tables } from '../store/tables.ts';
import { daysBefore, toMicros } from '../store/time.ts';

/*
 * The door to the pages. Slack knows who people are, so the bot asks the door for a link of their own; the link sets a cookie that
 * names the person. All of it is stored, so processes on one database agree.
 */

/** How long a link of a person's own opens, in milliseconds. */
const keyAge = 10 * 60_000;
/** For how many days a cookie holds. */
const cookieDays = 30;
/** A cookie older than this is renewed, in milliseconds. */
const renewAfter = 24 * 60 * 60_000;
const cookieName = 'muster';
const host = { prefix: 'host', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' } as const;

/** A person who opened a link of their own: Slack's id, and when their cookie was made, in epoch milliseconds. */
export interface Badge {
  readonly userId: string;
  readonly madeAt: number;
}

/** The door of one service, on its database. */
export class Door {
  readonly #database: Database;
  readonly #db: ReaderDb;
  readonly #clock: () => Date;

  constructor({ database, clock }: { readonly database: Database; readonly clock: () => Date }) {
    this.#database = database;
    this.#db = toReaderDb(database.as<Tables>());
    this.#clock = clock;
  }

  /** Makes a key that opens `path` once, for that person of Slack, within ten minutes. Throws when the path is not the service's own. */
  async makeKey(userId: string, path: string): Promise<string> {
    if (!isOwnPath(path)) throw new Error('A key opens a path of the service’s own');
    const key = randomBytes(32).toString('base64url');
    const now = this.#clock();
    const row = { hash: hash('sha256', key), user_id: userId, path, expires_at: toMicros(now) + keyAge * 1000 };
    await this.#write(db => db.deleteFrom('reader_key').where('expires_at', '<=', toMicros(now)).execute());
    await this.#write(db => db.insertInto('reader_key').values(row).execute());
    return key;
  }

  /**
   * Uses a key up: whose it is and where it leads. Undefined when it opens nothing: each reason for that takes one statement, and as long
   * as the others. `reader` has shown a cookie: another person's key does not take their place, and stays.
   */
  async takeKey(key: string, reader: Badge | undefined) {
    const row = await this.#write(db =>
      db
        .deleteFrom('reader_key')
        .where('hash', '=', hash('sha256', key))
        .where('expires_at', '>', toMicros(this.#clock()))
        .$if(reader !== undefined, keys => keys.where('user_id', '=', reader?.userId ?? ''))
        .returning(['user_id', 'path'])
        .executeTakeFirst(),
    );
    return row && isOwnPath(row.path) ? { userId: row.user_id, path: row.path } : undefined;
  }

  /** Whose cookie a `Cookie` header holds; undefined when none holds any more. */
  async read(header = ''): Promise<Badge | undefined> {
    const claimed = new RegExp(`__Host-${cookieName}=([A-Z0-9]{1,40})[.]`).exec(header)?.[1];
    if (claimed === undefined) return undefined;
    const row = await this.#db
      .selectFrom('reader_secret')
      .leftJoin('reader_end', join => join.on('reader_end.user_hash', '=', toUserHash(claimed)))
      .select(['reader_secret.secret', 'reader_end.ended_at'])
      .where('reader_secret.id', '=', 1)
      .executeTakeFirst();
    if (!row) return undefined;
    const { parseSigned } = await import('hono/utils/cookie');
    const { [`__Host-${cookieName}`]: value } = await parseSigned(header, row.secret, `__Host-${cookieName}`);
    const [userId, at = ''] = (value || '').split('.');
    const madeAt = Number.parseInt(at, 36);
    if (userId !== claimed || !(toMicros(new Date(madeAt)) > (row.ended_at ?? 0))) return undefined;
    return madeAt > daysBefore(this.#clock(), cookieDays).getTime() ? { userId, madeAt } : undefined;
  }

  /** The `Set-Cookie` header that signs a person in. */
  async signIn(userId: string): Promise<string> {
    const value = `${userId}.${this.#clock().getTime().toString(36)}`;
    return await toCookie(value, await this.#secret(), cookieDays * 86_400);
  }

  /** The cookie for a person who was signed in with one that is more than a day old. */
  async renew({ userId, madeAt }: Badge): Promise<string | undefined> {
    return this.#clock().getTime() - madeAt > renewAfter ? await this.signIn(userId) : undefined;
  }

  /** The `Set-Cookie` header that signs a browser out. */
  signOut(): Promise<string> {
    return toCookie('', randomBytes(32).toString('hex'), 0);
  }

  #write<T>(work: (db: ReaderDb) => Promise<T>): Promise<T> {
    return this.#database.single<Tables, T>(db => work(toReaderDb(db)));
  }

  async #secret(): Promise<string> {
    const find = () => this.#db.selectFrom('reader_secret').select('secret').where('id', '=', 1).executeTakeFirst();
    const known = await find();
    if (known) return known.secret;
    const fresh = { id: 1, secret: randomBytes(32).toString('hex') } as const;
    await this.#write(db =>
      db
        .insertInto('reader_secret')
        .values(fresh)
        .onConflict(conflict => conflict.column('id').doNothing())
        .execute(),
    );
    // Another process may have been first.
    return (await find())?.secret ?? fresh.secret;
  }
}

type ReaderDb = ReturnType<typeof toReaderDb>;

/** A cookie for so many seconds, as a header sets it. Its library is loaded with the first one: a start does without it. */
async function toCookie(value: string, secret: string, maxAge: number): Promise<string> {
  const { generateSignedCookie } = await import('hono/cookie');
  return await generateSignedCookie(cookieName, value, secret, { ...host, maxAge });
}

/** Ends all cookies and links: of one person, by Slack's id, or of all. */
export async function endReaders(plain: Db, userId: string | undefined, now: Date): Promise<void> {
  const db = toReaderDb(plain);
  if (userId === undefined) {
    await db.deleteFrom('reader_secret').execute();
    await db.deleteFrom('reader_end').execute();
    await db.deleteFrom('reader_key').execute();
    return;
  }
  await db.deleteFrom('reader_key').where('user_id', '=', userId).execute();
  // Cookies from before that are too old in any case.
  await db
    .deleteFrom('reader_end')
    .where('ended_at', '<', toMicros(daysBefore(now, cookieDays + 1)))
    .execute();
  const row = { user_hash: toUserHash(userId), ended_at: toMicros(now) };
  await db
    .insertInto('reader_end')
    .values(row)
    .onConflict(conflict => conflict.column('user_hash').doUpdateSet({ ended_at: row.ended_at }))
    .execute();
}

/** Slack's id of a person, from that id or from their id in the API; undefined when they are not known. */
export async function findSlackId(db: Db, named: string): Promise<string | undefined> {
  const plain = named.trim().replace(/^slack:/, '');
  if (/^[UW][A-Z0-9]{2,}$/.test(plain)) return plain;
  const row = await db
    .selectFrom('person')
    .select('slack_user_id')
    .where('user_id', '=', named.trim())
    .executeTakeFirst();
  return row?.slack_user_id || undefined;
}

function toUserHash(userId: string): string {
  return hash('sha256', `reader ${userId}`);
}

/** Whether a path leads to this host in every browser: one slash first, and no mark that browsers read as another. */
function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(path) && URL.parse(path, 'http://own.example')?.host === 'own.example';
}
