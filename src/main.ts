import { statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { inspect } from 'node:util';
import type { Host } from './commands/command.ts';

/*
 * The process's entry: environment, signals, exit code. The subcommands stand in commands/. What is loaded after the next lines
 * is kept compiled, its types taken out, in the system's folder for temporary files or in NODE_COMPILE_CACHE; the next start
 * reads it from there.
 */

/** Milliseconds that an orderly stop may take; then the process ends all the same. */
const stopTimeout = 10_000;

const host: Host = {
  environment: process.env,
  terminal: {
    print: text => void process.stdout.write(text),
    note: text => void process.stderr.write(text),
  },
  runUntilStopped: async start => {
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const stopping = new AbortController();
    const stop = (signal: NodeJS.Signals) => {
      setTimeout(() => process.exit(1), stopTimeout).unref();
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
    // Node brings rejections that nobody handles here too.
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
};

// A reader such as `head` may close the pipe early; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  // A variable that the environment sets wins over the file. A folder of that name is not ours.
  if (statSync('.env', { throwIfNoEntry: false })?.isFile()) process.loadEnvFile('.env');
  enableCompileCache();
  const { Command } = await import('commander');
  const { registerCommands } = await import('./commands/commands.ts');
  await registerCommands(new Command('muster').description('Run incidents from Slack.'), host).parseAsync();
} catch (error) {
  process.stderr.write(`${toText(error)}\n`);
  process.exitCode = 1;
}

/** An error's sentence. With a log level of debug or trace, also the place where the error arose. */
function toText(error: unknown): string {
  if (/^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '')) return inspect(error);
  return error instanceof Error ? error.message : String(error);
}
