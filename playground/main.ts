import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import type { Host } from '../src/commands/command.ts';
import { run } from '../src/main.ts';

/* What `npm run demo` starts. It loads what a run needs when it runs, as `muster` does. */

interface DemoOptions {
  readonly play?: true;
  readonly port: number;
  readonly data: string;
  readonly open?: true;
  readonly fresh?: true;
  readonly watch?: true;
}

/**
 * The command line of `npm run demo`: a workspace to play in; with `--play`, a story in the terminal, which fails when a step had not its
 * effect. `muster`: the program whose `start` runs the bot; absent: `src/main.ts`.
 */
export function registerDemo(program: Command, host: Host, muster?: string): Command {
  program
    .name('npm run demo --')
    .description('Open a workspace to play in, without Slack or Grafana, and print its address.')
    .option('--port <number>', 'the port of its page; the next free one when it is in use', toPort, 4400)
    .option('--open', 'open the page in the browser')
    .option('--fresh', 'begin anew, without what an earlier playground kept')
    .option('--play', 'play one incident in the terminal instead')
    .option('--data <folder>', 'the folder in which it keeps its state', './data')
    .action(async (options: DemoOptions) => {
      if (options.play) return play(host);
      const { findPlayground } = await load(import('./playground.ts'));
      const running = await findPlayground(options.data, host.deadlines);
      if (running !== undefined) return showRunning(running, options, host);
      return host.runUntilStopped(() =>
        options.watch ? watchPlayground(options) : openPlayground(options, host, muster),
      );
    });
  program.addOption(
    program
      .createOption('--watch', 'start again when a source changes, and keep the workspace and its address')
      .conflicts(['fresh', 'open', 'play']),
  );
  const examples = ['--open', '--watch', '--play'].map(option => `  npm run demo -- ${option}`);
  return program.addHelpText('after', `\nExample:\n${examples.join('\n')}`);
}

async function openPlayground(
  options: DemoOptions,
  { deadlines, terminal }: Host,
  muster: string | undefined,
): Promise<AsyncDisposable> {
  const { startPlayground } = await load(import('./playground.ts'));
  const playground = await startPlayground({
    dataFolder: options.data,
    port: options.port,
    isFresh: options.fresh === true,
    system: { deadlines, ...(muster === undefined ? {} : { program: muster }) },
    onError: sentence => terminal.note(`${sentence}\n`),
  });
  const { url, folder } = playground;
  const isMoved = ![0, Number(new URL(url).port)].includes(options.port);
  const moved = isMoved ? `Port ${options.port} is taken, so it has another one. ` : '';
  terminal.print(
    `${url}\n${moved}It listens on this machine only and keeps its state in ${folder}. Ctrl+C stops it.\n`,
  );
  if (options.open) await openPage(url, terminal);
  return playground;
}

/** Says where the playground is that runs already. Throws where the person wants another one. */
async function showRunning(url: string, { fresh, open }: DemoOptions, { terminal }: Host): Promise<void> {
  if (fresh) throw new Error(`The playground runs already: ${url}. Stop it with Ctrl+C, and then begin anew.`);
  terminal.print(`The playground runs already: ${url}\n`);
  if (open) await openPage(url, terminal);
}

async function openPage(url: string, terminal: Host['terminal']): Promise<void> {
  const { openBrowser } = await import('./open-browser.ts');
  if (!(await openBrowser(url))) terminal.note('No browser could be started: open the address yourself.\n');
}

/** The same demo, which Node starts again at each change below `src/` and `playground/`. */
async function watchPlayground({ port, data }: DemoOptions): Promise<AsyncDisposable> {
  const sources = ['../src/', './'].map(path => `--watch-path=${fileURLToPath(new URL(path, import.meta.url))}`);
  const flags = [...process.execArgv, ...sources, '--watch-preserve-output'];
  const watcher = spawn(process.execPath, [...flags, import.meta.filename, '--port', String(port), '--data', data], {
    stdio: 'inherit',
  });
  await once(watcher, 'spawn');
  return {
    [Symbol.asyncDispose]: async () => {
      if (watcher.exitCode !== null || watcher.signalCode !== null) return;
      watcher.kill();
      await once(watcher, 'exit');
    },
  };
}

async function play(host: Host): Promise<void> {
  const { playTale } = await load(import('./demo.ts'));
  if (!(await playTale(text => host.terminal.print(text), host))) host.setExitCode(1);
}

/** Waits for a part of the demo. Throws with a sentence when a package is missing: those that production does without may be. */
async function load<Part>(part: Promise<Part>): Promise<Part> {
  return await part.catch(error => {
    const [missing] = /^Cannot find package '[^']+'/.exec(error instanceof Error ? error.message : '') ?? [];
    if (missing === undefined) throw error;
    throw new Error(
      `${missing}, which the demo needs: \`npm ci --omit=dev\` leaves it out. Run \`npm ci\` in the folder of Muster, then the demo again.`,
    );
  });
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`The port “${text}” is no number from 0 to 65535.`);
}

if (import.meta.main) await run({ register: registerDemo });
