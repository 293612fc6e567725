import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { onTestFinished } from 'vitest';
import { settingNames } from '../../src/config/settings.ts';
import { watch } from './run-muster.ts';

/** What vitest and `npm run` add to the environment. */
const added =
  /^(npm_|VITEST|VITE_|TEST$|PROD$|DEV$|MODE$|BASE_URL$|SSR$|NODE$|NODE_ENV$|NODE_OPTIONS$|INIT_CWD$|FORCE_COLOR$)/;

/** The environment of the person who started the tests, as a terminal of theirs has it, without settings of a Muster. */
function userEnvironment(): NodeJS.ProcessEnv {
  const ofMuster = new Set<string>(settingNames);
  const own = Object.entries(process.env).filter(([name]) => !added.test(name) && !ofMuster.has(name));
  const folders = (process.env.PATH ?? '').split(delimiter).filter(folder => !/node_modules\b/.test(folder));
  return { ...Object.fromEntries(own), PATH: folders.join(delimiter) };
}

/**
 * Types a line into a shell that works in a folder. `prelude` makes the command `muster` known; without one, it is what docs/operating.md
 * says that it is in a clone. `interrupt` is Ctrl+C, which
 * reaches every process of the line; what is left of them is killed when the test ends.
 */
export function typeLine(line: string, folder: string, prelude = 'muster() { npm run -s muster -- "$@"; }') {
  const shell = spawn('sh', ['-c', `${prelude}\n${line}`], {
    cwd: folder,
    env: userEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => {
    if (shell.pid === undefined) return;
    try {
      process.kill(-shell.pid, name);
    } catch (error) {
      // All of them have ended.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  };
  onTestFinished(() => signal('SIGKILL'));
  return { ...watch(shell), interrupt: () => signal('SIGINT') };
}
