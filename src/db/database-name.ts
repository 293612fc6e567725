import { resolve } from 'node:path';

const inMemory = 'sqlite::memory:';

/** The file of a SQLite database, as a whole path; undefined for a Postgres. Throws with a sentence for a database in memory. */
export function toDatabaseFile(url: string): string | undefined {
  if (url === inMemory) throw new Error('A database in memory ends with its process. Name a file in DATABASE_URL.');
  const file = /^sqlite:(.+)$/s.exec(url)?.[1];
  return file === undefined ? undefined : resolve(file);
}

/** Which database a URL names: the path of its file, or host and name of a Postgres. Never a user, a password or a setting. */
export function nameDatabase(url: string): string {
  if (url.startsWith('sqlite:')) return url === inMemory ? 'in memory' : (toDatabaseFile(url) ?? '');
  if (!URL.canParse(url)) return 'the Postgres of DATABASE_URL';
  const { host, pathname, searchParams } = new URL(url);
  return `postgres://${searchParams.get('host') ?? host}${pathname}`;
}
