import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AccessRole } from '../../contract/define.ts';
import { takeNumber } from '../store/counters.ts';
import { rememberPeople } from '../store/people.ts';
import type { Db } from '../store/tables.ts';
import { formatTime, toMicros } from '../store/time.ts';
import { toTokenDb } from '../store/tokens.ts';
import { toServiceAccount, toTokenHash } from './bearer-auth.ts';
import { invalidArgument } from './errors.ts';

/*
 * Bearer tokens of our own. They look like Grafana's (docs/api-rules.md A1): a prefix, a random part, and a checksum that shows
 * a typing error or a foreign token without asking the database. The functions that write run under the service's lock.
 */

/** A stored token as its owner sees it. Times are RFC 3339, or empty. */
interface StoredToken {
  readonly id: number;
  readonly name: string;
  readonly role: AccessRole;
  readonly createdTime: string;
  /** Exact to about a minute. */
  readonly lastUsedTime: string;
  readonly revokedTime: string;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Digits of base 62 that hold 256 bits. */
const digits = 43;
const form = new RegExp(`^(glsa_[0-9A-Za-z]{${digits}})_([0-9a-f]{8})$`);
const nameForm = /^[^\p{Cc}]{1,100}$/u;

/** A new token: 256 random bits. */
function generateToken(): string {
  let number = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let text = '';
  for (let index = 0; index < digits; index += 1) {
    text = `${alphabet[Number(number % 62n)]}${text}`;
    number /= 62n;
  }
  return `glsa_${text}_${toChecksum(`glsa_${text}`)}`;
}

/** Whether a text has the form of our tokens. */
export function isTokenForm(text: string): boolean {
  const [, start, checksum] = form.exec(text) ?? [];
  return start !== undefined && checksum === toChecksum(start);
}

function toChecksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/**
 * Makes a token and stores its hash; only the result holds the token itself. On timelines its bearer is `Service Account:
 * <name>`. Rejects with `invalid_argument` when the name is malformed or belongs to another live token.
 */
export async function createToken(
  db: Db,
  wanted: { readonly name: string; readonly role: AccessRole },
  now: Date,
): Promise<{ id: number; token: string }> {
  const name = wanted.name.trim();
  if (!nameForm.test(name)) throw invalidArgument('a token’s name must have between 1 and 100 characters');
  if (/^\d+$/.test(name))
    throw invalidArgument('a token’s name must not be a number, since tokens are also known by their ids');
  const tokens = toTokenDb(db);
  const same = await tokens
    .selectFrom('api_token')
    .select('id')
    .where('name', '=', name)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (same)
    throw invalidArgument(`token ${same.id} has the name ${JSON.stringify(name)}: revoke it first, or choose another`);
  const token = generateToken();
  const id = await takeNumber(db, 'api_token');
  await tokens
    .insertInto('api_token')
    .values({
      id,
      name,
      role: wanted.role,
      hash: toTokenHash(token),
      created_at: toMicros(now),
      revoked_at: null,
      last_used_at: null,
    })
    .execute();
  await rememberPeople(db, [toServiceAccount(name, wanted.role)], now);
  return { id, token };
}

/** All tokens, revoked ones too, in the order they were made. */
export async function listTokens(db: Db): Promise<StoredToken[]> {
  const rows = await toTokenDb(db).selectFrom('api_token').selectAll().orderBy('id').execute();
  return rows.map(row => ({
    id: row.id,
    name: row.name,
    role: row.role,
    createdTime: formatTime(row.created_at),
    lastUsedTime: formatTime(row.last_used_at),
    revokedTime: formatTime(row.revoked_at),
  }));
}

/** Revokes the live token of that id or name and gives its name; rejects with `invalid_argument` when there is none. */
export async function revokeToken(db: Db, idOrName: string, now: Date): Promise<string> {
  const wanted = idOrName.trim();
  const tokens = toTokenDb(db);
  const row = await tokens
    .selectFrom('api_token')
    .select(['id', 'name'])
    .where('revoked_at', 'is', null)
    .where(({ eb }) => (/^\d{1,9}$/.test(wanted) ? eb('id', '=', Number(wanted)) : eb('name', '=', wanted)))
    .executeTakeFirst();
  if (!row) throw invalidArgument(`there is no token ${JSON.stringify(wanted)} that could be revoked`);
  await tokens
    .updateTable('api_token')
    .set({ revoked_at: toMicros(now) })
    .where('id', '=', row.id)
    .execute();
  return row.name;
}
