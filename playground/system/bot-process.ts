import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { isAbsolute } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isAtLeast } from '../../src/config/log-levels.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import type { SystemView } from '../workspace/protocol.ts';

const usualProgram = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Ends a bot whose host has gone. */
const withHost = new URL('end-with-host.ts', import.meta.url).href;

/** What a bot process needs. */
export interface BotProcessOptions {
  /** The program, which brings deadlines of its own; absent: `src/main.ts`. */
  readonly program?: string | undefined;
  /** Of its host. */
  readonly deadlines: Deadlines;
  /** Where it works: a folder without an `.env` of a developer. An absolute path, as all paths of its settings. */
  readonly folder: string;
  /** Everything that it prints is added to this file. */
  readonly logFile: string;
  /** All that it has in its environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** Hears of each change, with the address of a bot that runs. */
  readonly onState: (state: SystemView['bot'], url: string | undefined) => void;
  /** Hears each error that the bot logs, and why it ended when nobody ended it. */
  readonly onError: (sentence: string) => void;
}

/** `muster start` as a process of its own. Disposing stops it. */
export interface BotProcess extends AsyncDisposable {
  readonly state: SystemView['bot'];
  /** `http://127.0.0.1:<port>`; undefined unless it runs. */
  readonly url: string | undefined;
  /** Starts it, unless it runs. Resolves when it is ready, and rejects with a sentence when it ends before. */
  start(): Promise<void>;
  /** Ends it at once, as a crash does (SIGKILL). */
  kill(): Promise<void>;
  /**
   * Resolves when all that it has begun is done, and shows at once the changes that it gathers for a busy card. Absent: nobody can
   * hurry a process, and the card follows in its time.
   */
  hurry?(): Promise<void>;
}

/** Prepares a bot process. `start` starts it. */
export function prepareBotProcess(options: BotProcessOptions): BotProcess {
  // A setting made of a relative folder would lead from here to one place, and from there to another.
  if (!isAbsolute(options.folder))
    throw new TypeError(`The bot cannot work in ${options.folder}: the path must be absolute.`);
  const log = createWriteStream(options.logFile, { flags: 'a' });
  let state: SystemView['bot'] = 'stopped';
  let url: string | undefined;
  let child: ChildProcess | undefined;
  let starting: Promise<void> | undefined;

  function become(next: SystemView['bot'], address?: string): void {
    state = next;
    url = address;
    options.onState(next, address);
  }

  async function launch(): Promise<void> {
    const { program = usualProgram, folder, settings, onError } = options;
    const launched = spawn(process.execPath, ['--import', withHost, program, 'start'], {
      cwd: folder,
      env: settings,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Ctrl+C in the terminal is for the host, which stops the bot itself.
      detached: process.platform !== 'win32',
    });
    child = launched;
    become('starting');
    const ready = Promise.withResolvers<void>();
    let complaint = '';
    launched.stderr?.on('data', chunk => {
      log.write(chunk);
      complaint = `${complaint}${chunk}`.slice(-2000);
    });
    if (launched.stdout) {
      createInterface(launched.stdout).on('line', line => {
        log.write(`${line}\n`);
        const record = toRecord(line);
        if (record.msg === 'muster: ready') {
          become('running', `http://127.0.0.1:${record.port}`);
          ready.resolve();
        } else if (isAtLeast(record, 'error')) onError(toSentence(record));
      });
    }
    launched.once('exit', (code, signal) => {
      if (child !== launched) return ready.reject(new Error('The bot was stopped before it was ready.'));
      child = undefined;
      become('stopped');
      const why = complaint.trim() || (signal ?? `exit code ${code}`);
      ready.reject(new Error(`The bot ended: ${why}`));
      onError(`The bot ended: ${why}`);
    });
    launched.once('error', ready.reject);
    await ready.promise;
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child;
    if (ending === undefined) return;
    child = undefined;
    const exited = once(ending, 'exit');
    ending.kill(signal);
    const timer = setTimeout(() => ending.kill('SIGKILL'), options.deadlines.playground.botStop);
    become('stopped');
    await exited;
    clearTimeout(timer);
  }

  const start = (): Promise<void> => {
    if (child === undefined) starting = launch();
    return starting ?? Promise.resolve();
  };

  return {
    get state() {
      return state;
    },
    get url() {
      return url;
    },
    start,
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      await end('SIGTERM');
      await new Promise<void>(resolve => log.end(resolve));
    },
  };
}

interface LogRecord {
  readonly level?: string;
  readonly msg?: string;
  readonly port?: number;
  readonly err?: { readonly message?: string };
}

function toRecord(line: string): LogRecord {
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return {};
  }
}

function toSentence({ msg, err }: LogRecord): string {
  return [msg, err?.message].filter(part => part !== undefined).join(': ');
}
