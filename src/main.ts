import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import type { Host } from './commands/command.ts';
import { type Deadlines, deadlines as usualDeadlines } from './deadlines.ts';

/*
 * The process's entry: environment, signals, exit code. The subcommands are in commands/. What is loaded after the next lines is kept
 * compiled, its types taken out, in the system's folder for temporary files or in NODE_COMPILE_CACHE; the next start reads it from there.
 */

/** What this process gives to a command. */
const toHost = (deadlines: Deadlines): Host => ({
  deadlines,
  environment: process.env,
  terminal: {
    print: text => void process.stdout.write(text),
    note: text => void process.stderr.write(text),
  },
  runUntilStopped: async start => {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const stop = (signal: NodeJS.Signals) => {
      setTimeout(() => process.exit(1), deadlines.stop.all).unref();
      // An exit while another thread runs may keep nothing.
      flushCompileCache();
      stopping.abort(new Error(signal));
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, stop);
    const running = await start(stopping.signal).catch(error => {
      if (!stopping.signal.aborted) throw error;
      // A question under way, to a Slack that stalls say, would hold the process up. It has begun nothing that it could finish.
      process.exit(0);
    });
    await stopped;
    await running[Symbol.asyncDispose]();
  },
  onUncaught: report => {
    // Node brings unhandled rejections here too.
    process.on('uncaughtException', error => {
      try {
        report(error);
      } finally {
        process.exit(1);
      }
    });
  },
  abortOnInterrupt: () => {
    const interrupted = new AbortController();
    process.once('SIGINT', () => interrupted.abort());
    return interrupted.signal;
  },
  setExitCode: code => {
    process.exitCode = code;
  },
});

/** How a run differs from that of `muster`. */
interface Run {
  readonly deadlines?: Deadlines;
  /** Gives the program its options and commands, and returns it. */
  readonly register?: (program: Command, host: Host) => Command | Promise<Command>;
}

/** Runs the command line of this process. An error is a sentence on standard error, and the exit code 1. */
export async function run({ deadlines = usualDeadlines, register = registerMuster }: Run = {}): Promise<void> {
  // A reader such as `head` may close the pipe early; that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  try {
    loadEnvironmentFile();
    enableCompileCache();
    const { Command } = await import('commander');
    const program = await register(new Command(), toHost(deadlines));
    await program.parseAsync();
  } catch (error) {
    process.stderr.write(`${toText(error)}\n`);
    process.exitCode = 1;
  }
}

async function registerMuster(program: Command, host: Host): Promise<Command> {
  const { registerCommands } = await import('./commands/commands.ts');
  program.name('muster').description('Run incidents from Slack.');
  return registerCommands(program, host, process.argv.slice(2));
}

if (import.meta.main) await run();

/**
 * Adds the lines of `.env` to the environment, whose own variables win. A folder of that name is not ours, and one in a folder that this
 * user may not enter is none. Throws with a sentence when the file may not be read: its settings would be missing without a word.
 */
function loadEnvironmentFile(): void {
  const found = findFile('.env');
  if (found === undefined) return;
  try {
    accessSync('.env', constants.R_OK);
  } catch (error) {
    const owner = found.uid === 0 ? 'root' : `the user with the number ${found.uid}`;
    const rights = (found.mode & 0o7777).toString(8).padStart(4, '0');
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new Error(
      `The settings in ${resolve('.env')} cannot be read (${code}): the file belongs to ${owner}, with the rights ${rights}. Let Muster’s user read it, as with chown, or run this as its owner.`,
    );
  }
  process.loadEnvFile('.env');
}

function findFile(path: string): Stats | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? found : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(EACCES|EPERM)$/.test(String(error.code))) return undefined;
    throw error;
  }
}

/** An error's sentence. With a log level of debug or trace, also the place where the error arose. */
function toText(error: unknown): string {
  if (/^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '')) return inspect(error);
  return error instanceof Error ? error.message : String(error);
}
