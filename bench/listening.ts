import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';

/** A server in a process of its own; disposing ends it. */
export interface Listening extends AsyncDisposable {
  readonly port: number;
}

/** `muster service` on a database, as people start it; `settings` are further ones of its environment. */
export async function startService(
  url: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Listening & { readonly pid: number }> {
  const args = ['service', '--port', '0', '--database', url];
  const child = fork(new URL('../src/main.ts', import.meta.url), args, {
    // Not where a developer may have a `.env`.
    cwd: tmpdir(),
    env: { ...process.env, LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: process.env.BENCH_NODE_ARGS?.split(' ') ?? [],
  });
  let printed = '';
  for await (const chunk of child.stdout ?? []) {
    printed += chunk;
    const port = /:(\d+)\n/.exec(printed)?.[1];
    if (port !== undefined) return toListening(child, Number(port));
  }
  throw new Error(`muster service did not start: ${printed}`);
}

/** The bare Hono app, which has these answers by their paths. */
export async function startBareHono(answers: Readonly<Record<string, string>>): Promise<Listening> {
  const child = fork(new URL('./bare-hono.ts', import.meta.url));
  child.send(answers);
  const [port] = (await once(child, 'message')) as [number];
  return toListening(child, port);
}

function toListening(child: ChildProcess, port: number): Listening & { readonly pid: number } {
  return {
    ...{ port, pid: child.pid ?? 0 },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
