import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Run } from './run.ts';

/** A process that lives through one world after another. It is apart, since a world takes the clock of its process over. */
export class WorldProcess implements AsyncDisposable {
  readonly #child: ChildProcess = fork(new URL('./worker.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  readonly #ended = once(this.#child, 'exit');

  /** Lives through the world of a seed, of a variant or of troubles by name. A run without violations comes without its history. */
  async live(seed: number, name?: string): Promise<Run> {
    const run = once(this.#child, 'message');
    this.#child.send({ seed, variant: name });
    const ended = this.#ended.then(([code, signal]) => {
      throw new Error(`the process of seed ${seed} ended with ${code ?? signal}`);
    });
    const [message] = await Promise.race([run, ended]);
    return message as Run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
