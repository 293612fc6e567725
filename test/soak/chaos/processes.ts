import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type MusterProcess, spawnMuster } from '../../support/muster-process.ts';

/** One life of a process: from the moment it is ready until it is killed. */
export interface Life {
  /** Where it is reached, without a trailing slash. */
  readonly url: string;
  /** When it was killed, in epoch milliseconds; undefined while it lives. */
  killedAt: number | undefined;
}

/** What a process is: the subcommand, its settings, and the line that says where it is reached. */
export interface Program {
  readonly args: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  /** Its `main.ts`; today's when absent. */
  readonly program?: string | undefined;
  /** Its first group is the port. */
  readonly ready: RegExp;
  /** Gets every line that it prints. */
  readonly onLine: (line: string) => void;
}

/** A program that runs in a process of its own, and can be killed and started again. */
export class Replica {
  readonly #program: Program;
  #frozen: Life | undefined;
  #child: MusterProcess | undefined;
  #life: Life | undefined;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Undefined while it starts, stops, stands still or has ended: a load balancer sends it nothing then. */
  get life(): Life | undefined {
    return this.#life;
  }

  /** Starts it; resolves when it is ready, rejects with what it printed when it ends before. */
  async start(): Promise<void> {
    const { args, settings, program, ready, onLine } = this.#program;
    const child = spawnMuster(args, settings, program === undefined ? {} : { program });
    this.#child = child;
    const printed: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    child.once('close', () => {
      reject(new Error(`${args[0]} ended: ${printed.slice(-5).join('\n')}`));
      if (this.#child === child) this.#life = undefined;
    });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', line => {
        onLine(line);
        if (this.#life === undefined) printed.push(line);
        const port = ready.exec(line)?.[1];
        if (port) resolve(port);
      });
    }
    this.#life = { url: `http://127.0.0.1:${await promise}`, killedAt: undefined };
  }

  /** Ends it as a crash would; resolves when it is gone. */
  async kill(): Promise<void> {
    const life = this.#life ?? this.#frozen;
    if (life) life.killedAt = Date.now();
    await this.#end('SIGKILL');
  }

  /** Ends it as an update does; resolves when it is gone. */
  async terminate(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Lets it stand still until {@link resume}. */
  freeze(): void {
    this.#frozen = this.#life;
    this.#life = undefined;
    this.#child?.kill('SIGSTOP');
  }

  /** Lets it go on. */
  resume(): void {
    this.#child?.kill('SIGCONT');
    this.#life = this.#frozen;
    this.#frozen = undefined;
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined;
    child.kill(signal);
    this.#life = undefined;
    this.#frozen = undefined;
    await gone;
    this.#child = undefined;
  }
}
