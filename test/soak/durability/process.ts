import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type MusterProcess, spawnMuster } from '../../support/muster-process.ts';

/** The token that {@link startProcess} lets in, as Admin. */
export const token = 'glsa_of_the_durability_test';

/** A `muster service` in a process of its own. */
export interface ServiceProcess {
  /** Where it is reached, without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  /** Ends it as a crash would, and resolves when it is gone. */
  kill(): Promise<void>;
  /** Everything it printed after it said where it listens. */
  readonly printed: readonly string[];
}

/** A process that starts; `ready` rejects when it ends before. */
export interface StartingProcess {
  readonly ready: Promise<ServiceProcess>;
  kill(): Promise<void>;
}

/** Starts `muster service` on a database, with flags for Node where given. */
export function startProcess(databaseUrl: string, webhookUrl: string, flags: readonly string[] = []): StartingProcess {
  const words = ['--port', '0', '--token', `${token}:Admin`, '--webhook-urls', webhookUrl, '--webhook-secret', 's'];
  const child = spawnMuster(['service', '--database', databaseUrl, ...words], {}, { flags });
  const ended = once(child, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { kill, ready: toReady(child, kill) };
}

async function toReady(child: MusterProcess, kill: () => Promise<void>): Promise<ServiceProcess> {
  const printed: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', line => {
      const url = /listens on (http:\S+)/.exec(line)?.[1];
      if (url) resolve(url);
      else printed.push(line);
    });
  }
  child.once('close', () => reject(new Error(`the service ended: ${printed.join('\n')}`)));
  return { url: await promise, pid: child.pid ?? 0, kill, printed };
}
