import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Several `muster start` on one database, each at its port, started again whenever they have ended. */
export interface Replicas extends AsyncDisposable {
  readonly ports: readonly number[];
  /** Kills one as a crash would; it is started again at once. */
  kill(index: number): void;
  /** Lines of level error and above that they logged. */
  readonly errors: readonly string[];
  readonly count: { starts: number };
}

/** Starts so many; resolves when all of them answer. */
export async function startReplicas(many: number, settings: Readonly<Record<string, string>>): Promise<Replicas> {
  const ports = await Promise.all(Array.from({ length: many }, findPort));
  const children: ChildProcess[] = [];
  const errors: string[] = [];
  const count = { starts: 0 };
  let isOver = false;

  function start(index: number): void {
    count.starts += 1;
    const child = spawn(process.execPath, ['src/main.ts', 'start'], {
      cwd: root,
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...settings, PORT: String(ports[index]) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children[index] = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        errors.push(...text.split('\n').filter(line => /"level":[56]0|Error/.test(line)));
      });
    }
    child.once('exit', () => {
      if (!isOver) start(index);
    });
  }

  for (const index of ports.keys()) start(index);
  await Promise.all(ports.map(untilHealthy));
  return {
    ports,
    errors,
    count,
    kill: index => void children[index]?.kill('SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      await Promise.all(
        children.map(async child => {
          const ended = once(child, 'exit');
          if (child.exitCode === null && child.kill('SIGTERM')) await ended;
        }),
      );
    },
  };
}

async function untilHealthy(port: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await pause(100);
  }
  throw new Error(`Nothing answers at port ${port}.`);
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
