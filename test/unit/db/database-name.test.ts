import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { nameDatabase } from '../../../src/db/database-name.ts';

test.each([
  ['sqlite:/var/lib/muster/muster.db', '/var/lib/muster/muster.db'],
  ['sqlite:./data/muster.db', resolve('data/muster.db')],
  ['sqlite::memory:', 'in memory'],
  ['sqlite:data/a b.db', resolve('data/a b.db')],
  ['postgres://muster:secret@db.example.com/muster', 'postgres://db.example.com/muster'],
  [
    'postgres://muster:s%40cret@db.example.com:6432/muster?sslmode=verify-full',
    'postgres://db.example.com:6432/muster',
  ],
  ['postgresql://secret@[::1]:5432/muster', 'postgres://[::1]:5432/muster'],
  ['postgres:///muster?host=/var/run/postgresql&password=secret', 'postgres:///var/run/postgresql/muster'],
  ['postgres://muster:secret@/muster?host=/var/run/postgresql', 'the Postgres of DATABASE_URL'],
  ['postgres://db/muster?password=secret&user=secret', 'postgres://db/muster'],
  ['postgres://db/muster#secret', 'postgres://db/muster'],
  ['postgres://muster:sec/ret@db/muster', 'the Postgres of DATABASE_URL'],
])('%s is named without a secret', (url, name) => {
  expect(nameDatabase(url)).toBe(name);
  expect(nameDatabase(url)).not.toContain('secret');
});
