import { once } from 'node:events';
import { spawnMuster } from '../../support/muster-process.ts';

/** Runs a subcommand to its end, in a process of its own as an operator does. Throws with what it printed when it fails. */
export async function runMuster(...args: readonly string[]): Promise<void> {
  const child = spawnMuster(args);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      printed += chunk;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`muster ${args[0]} ended with ${code}: ${printed}`);
}
