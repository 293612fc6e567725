import { hash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
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
const day = 24 * 60 * 60_000;
/** For how many days a cookie holds. */
const cookieDays = 30;
/** For how many days cookies are renewed after a person came in. */
const signInDays = 90;
/** A cookie older than this is renewed, in milliseconds. */
const renewAfter = day;
/** How far ahead of this machine's clock another process may date a cookie, in milliseconds. */
const maxAhead = 5 * 60_000;
const cookieName = 'muster';
const fullName = `__Host-${cookieName}`;
const host = { prefix: 'host', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' } as const;

/** A person who came in with a link of their own, in one browser: what its cookie says. */
export interface Badge {
  /** Slack's id. */
  readonly userId: string;
  /** When the cookie was made, in epoch milliseconds. */
  readonly madeAt: number;
  /** When the person came in, in epoch milliseconds. */
  readonly since: number;
  /** The newest revocation of the person's cookies when they came in, as `reader_end.ended_at` has it; 0 where there was none. */
  readonly revokedAt: number;
  /** Random: the hash of it is stored when the person signs out. */
  readonly session: string;
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
   * Whose key it is, which leaves it as it is. Undefined when it opens nothing: each reason for that takes one statement, and as long
   * as the others. `reader` has shown a cookie: another person's key does not take their place.
   */
  async findOwner(key: string, reader: Badge | undefined): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('reader_key')
      .select('user_id')
      .where('hash', '=', hash('sha256', key))
      .where('expires_at', '>', toMicros(this.#clock()))
      .$if(reader !== undefined, keys => keys.where('user_id', '=', reader?.userId ?? ''))
      .executeTakeFirst();
    return row?.user_id;
  }

  /** Uses a key up: whose it is and where it leads. Undefined when it opens nothing any more. */
  async takeKey(key: string) {
    const row = await this.#write(db =>
      db
        .deleteFrom('reader_key')
        .where('hash', '=', hash('sha256', key))
        .where('expires_at', '>', toMicros(this.#clock()))
        .returning(['user_id', 'path'])
        .executeTakeFirst(),
    );
    return row && isOwnPath(row.path) ? { userId: row.user_id, path: row.path } : undefined;
  }

  /** Whose cookie a `Cookie` header holds; undefined when none holds any more. */
  async read(header = ''): Promise<Badge | undefined> {
    const found = await this.#readSigned(header);
    if (!found || found.isOver || found.badge.revokedAt < found.revokedAt) return undefined;
    const { madeAt, since } = found.badge;
    const now = this.#clock();
    const isAhead = Math.max(madeAt, since) > now.getTime() + maxAhead;
    const isOld = madeAt <= daysBefore(now, cookieDays).getTime() || since <= daysBefore(now, signInDays).getTime();
    return isAhead || isOld ? undefined : found.badge;
  }

  /** The `Set-Cookie` header that signs a person in. */
  async signIn(userId: string): Promise<string> {
    const ended = this.#db.selectFrom('reader_end').select('ended_at').where('user_hash', '=', toUserHash(userId));
    const { ended_at: revokedAt = 0 } = (await ended.executeTakeFirst()) ?? {};
    const now = this.#clock().getTime();
    const session = randomBytes(16).toString('base64url');
    return await this.#toCookie({ userId, madeAt: now, since: now, revokedAt, session });
  }

  /** The cookie for a person who was signed in with one that is more than a day old. */
  async renew(badge: Badge): Promise<string | undefined> {
    const madeAt = this.#clock().getTime();
    return madeAt - badge.madeAt > renewAfter ? await this.#toCookie({ ...badge, madeAt }) : undefined;
  }

  /** Ends the sign-in of a `Cookie` header, in every copy of it. The answer is the `Set-Cookie` header that signs the browser out. */
  async signOut(header = ''): Promise<string> {
    const session = (await this.#readSigned(header))?.badge.session;
    if (session !== undefined) {
      const row = { session_hash: hash('sha256', session), ended_at: toMicros(this.#clock()) };
      const tooOld = toMicros(daysBefore(this.#clock(), signInDays + 1));
      await this.#write(db => db.deleteFrom('reader_sign_out').where('ended_at', '<', tooOld).execute());
      await this.#write(db =>
        db
          .insertInto('reader_sign_out')
          .values(row)
          .onConflict(conflict => conflict.column('session_hash').doNothing())
          .execute(),
      );
    }
    return await toCookie('', randomBytes(32).toString('hex'), 0);
  }

  /** What the cookie of a `Cookie` header says, if the key of this service signed it; and what has ended since, in one statement. */
  async #readSigned(header: string) {
    if (!header.includes(fullName)) return undefined;
    const { parse, parseSigned } = await import('hono/utils/cookie');
    const badge = toBadge(parse(header, fullName)[fullName]);
    if (!badge) return undefined;
    const row = await this.#db
      .selectFrom('reader_secret')
      .leftJoin('reader_end', join => join.on('reader_end.user_hash', '=', toUserHash(badge.userId)))
      .leftJoin('reader_sign_out', join => join.on('session_hash', '=', hash('sha256', badge.session)))
      .select(['reader_secret.secret', 'reader_end.ended_at', 'session_hash'])
      .where('reader_secret.id', '=', 1)
      .executeTakeFirst();
    if (!row || !(await parseSigned(header, row.secret, fullName))[fullName]) return undefined;
    return { badge, revokedAt: row.ended_at ?? 0, isOver: row.session_hash !== null };
  }

  async #toCookie({ userId, madeAt, since, revokedAt, session }: Badge): Promise<string> {
    const value = [userId, ...[madeAt, since, revokedAt].map(each => each.toString(36)), session].join('.');
    const left = Math.min(cookieDays * day, since + signInDays * day - madeAt);
    return await toCookie(value, await this.#secret(), Math.ceil(left / 1000));
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

/** The value of a cookie: {@link Badge}, its times in base 36, and the signature. */
const cookieValue = /^([A-Z0-9]{1,40})\.([0-9a-z]{1,12})\.([0-9a-z]{1,12})\.([0-9a-z]{1,12})\.([\w-]{22})\.[^.]+$/;

function toBadge(value = ''): Badge | undefined {
  const [, userId, madeAt = '', since = '', revokedAt = '', session = ''] = cookieValue.exec(value) ?? [];
  if (userId === undefined) return undefined;
  const time = (text: string) => Number.parseInt(text, 36);
  return { userId, madeAt: time(madeAt), since: time(since), revokedAt: time(revokedAt), session };
}

/** A cookie for so many seconds, as a header sets it. Its library is loaded with the first one: a start does without it. */
async function toCookie(value: string, secret: string, maxAge: number): Promise<string> {
  const { generateSignedCookie } = await import('hono/cookie');
  return await generateSignedCookie(cookieName, value, secret, { ...host, maxAge });
}

/** Ends all cookies and links: of one person, by Slack's id, or of all. */
export async function endReaders(plain: Db, userId: string | undefined, now: Date): Promise<void> {
  const db = toReaderDb(plain);
  if (userId === undefined) {
    for (const table of ['reader_secret', 'reader_end', 'reader_sign_out', 'reader_key'] as const)
      await db.deleteFrom(table).execute();
    return;
  }
  await db.deleteFrom('reader_key').where('user_id', '=', userId).execute();
  // Cookies from before that are too old in any case.
  const tooOld = toMicros(daysBefore(now, signInDays + 1));
  await db.deleteFrom('reader_end').where('ended_at', '<', tooOld).execute();
  const row = { user_hash: toUserHash(userId), ended_at: toMicros(now) };
  // Later than the one before, whatever the clock of that machine said: cookies name the one that they follow.
  const later = sql<number>`case when reader_end.ended_at < ${row.ended_at} then ${row.ended_at} else reader_end.ended_at + 1 end`;
  await db
    .insertInto('reader_end')
    .values(row)
    .onConflict(conflict => conflict.column('user_hash').doUpdateSet({ ended_at: later }))
    .execute();
}

/** Slack's id of a person, from that id or from their id in the API; undefined when they are not known. */
export async function findSlackId(db: Db, named: string): Promise<string | undefined> {
  const plain = named.trim().replace(/^slack:/, '');
  if (/^[UW][A-Z0-9]{2,}$/.test(plain)) return plain;
  const known = db.selectFrom('person').select('slack_user_id').where('user_id', '=', named.trim());
  return (await known.executeTakeFirst())?.slack_user_id || undefined;
}

function toUserHash(userId: string): string {
  return hash('sha256', `reader ${userId}`);
}

/** Whether a path leads to this host in every browser: one slash first, and no mark that browsers read as another. */
function isOwnPath(path: string): boolean {
  return /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(path) && URL.parse(path, 'http://own.example')?.host === 'own.example';
}
