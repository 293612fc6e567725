import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../src/db/database.ts';
import { isDatabaseAway } from '../../../src/db/failure.ts';
import { type PostgresServer, startPostgres } from '../../support/databases/postgres-server.ts';
import { lacks, run } from '../../support/deploy/tool.ts';
import { openLastingFolder } from '../../support/folder.ts';

const hasNoOpenssl = lacks('openssl');

/** A server whose certificate is for `localhost`, its authority, and another one. */
interface World {
  readonly server: PostgresServer;
  readonly authority: string;
  readonly stranger: string;
}

let world: World;
const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

beforeAll(async () => {
  if (hasNoOpenssl) return;
  const folder = stack.use(await openLastingFolder()).path;
  const openssl = (...args: readonly string[]) => {
    const { code, text } = run('openssl', args, folder);
    if (code !== 0) throw new Error(`openssl ${args[0]}: ${text}`);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['authority', 'stranger'])
    openssl(
      'req',
      '-x509',
      ...key,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
    );
  openssl(
    'req',
    ...key,
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  );
  const signed = [
    '-CA',
    'authority.pem',
    '-CAkey',
    'authority.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-copy_extensions',
    'copy',
  ];
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.pem');
  const path = (name: string) => join(folder, name);
  const server = stack.use(await startPostgres({ certificate: path('server.pem'), key: path('server.key') }));
  world = { server, authority: path('authority.pem'), stranger: path('stranger.pem') };
});

/** The server's address at a host, with these parameters. */
function addressAt(host: string, parameters: string): string {
  return `${world.server.url('postgres').replace('127.0.0.1', host)}?${parameters}`;
}

/** Whether the connection behind an address is encrypted. */
async function isEncrypted(url: string): Promise<boolean | undefined> {
  await using database = await openDatabase(url);
  const { rows } = await sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(
    database.as(),
  );
  return rows[0]?.ssl;
}

/** Why an address is refused, and whether Muster waits for it. */
async function refusalOf(url: string): Promise<{ words: string; isWaitedFor: boolean }> {
  try {
    await using _database = await openDatabase(url);
    return { words: 'it is not refused', isWaitedFor: false };
  } catch (error) {
    return { words: error instanceof Error ? error.message : '', isWaitedFor: isDatabaseAway(error) };
  }
}

test.skipIf(hasNoOpenssl)('with the authority’s certificate, each mode that checks it connects with TLS', async () => {
  for (const mode of ['verify-full', 'verify-ca', 'require'])
    expect(await isEncrypted(addressAt('localhost', `sslmode=${mode}&sslrootcert=${world.authority}`)), mode).toBe(
      true,
    );
});

test.skipIf(hasNoOpenssl)(
  'no-verify connects with TLS and looks at nothing; without a mode there is no TLS',
  async () => {
    expect(await isEncrypted(addressAt('127.0.0.1', 'sslmode=no-verify'))).toBe(true);
    expect(await isEncrypted(addressAt('127.0.0.1', ''))).toBe(false);
  },
);

test.skipIf(hasNoOpenssl)('a certificate for another host is refused at once, with a sentence', async () => {
  const refused = await refusalOf(addressAt('127.0.0.1', `sslmode=verify-full&sslrootcert=${world.authority}`));
  expect(refused.words).toContain('The database of DATABASE_URL cannot be used: Hostname/IP does not match');
  expect(refused.words).toContain('Its certificate is for another host: name that host in DATABASE_URL');
  expect(refused.isWaitedFor).toBe(false);
});

test.skipIf(hasNoOpenssl)(
  'a certificate that no known authority has signed is refused at once, with a sentence',
  async () => {
    for (const parameters of ['sslmode=verify-full', `sslmode=verify-full&sslrootcert=${world.stranger}`]) {
      const refused = await refusalOf(addressAt('localhost', parameters));
      expect(refused.words).toContain('No authority that Muster knows has signed its certificate: put');
      expect(refused.words).toContain('&sslrootcert=');
      expect(refused.isWaitedFor).toBe(false);
    }
  },
);

test.skipIf(hasNoOpenssl)('the file of an authority that is not there is named', async () => {
  const refused = await refusalOf(addressAt('localhost', 'sslmode=verify-full&sslrootcert=/nowhere/ca.pem'));
  expect(refused.words).toContain('The database of DATABASE_URL cannot be used');
  expect(refused.words).toContain('/nowhere/ca.pem');
  expect(refused.isWaitedFor).toBe(false);
});

test('a server without TLS is refused at once, with a sentence', async () => {
  await using plain = await startPostgres();
  const refused = await refusalOf(`${plain.url('postgres')}?sslmode=verify-full`);
  expect(refused.words).toContain('The server does not support SSL connections');
  expect(refused.words).toContain('Switch TLS on there (ssl = on), or take sslmode out of DATABASE_URL');
  expect(refused.isWaitedFor).toBe(false);
});
