import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { addExample, type Host } from './command.ts';

interface DemoOptions {
  readonly play?: true;
  readonly port: number;
  readonly data: string;
  readonly open?: true;
  readonly fresh?: true;
  readonly watch?: true;
}

/** `muster demo`: a workspace to play in; with `--play`, a story in the terminal, which fails when a step had not its effect. */
export function register(program: Command, host: Host): void {
  const demo = program
    .command('demo')
    .description('open a workspace to play in, without Slack or Grafana, and print its address')
    .option('--port <number>', 'the port of its page; the next free one when it is in use', toPort, 4400)
    .option('--open', 'open the page in the browser')
    .option('--fresh', 'begin anew, without what an earlier playground kept')
    .option('--play', 'play one incident in the terminal instead')
    .option('--data <folder>', 'the folder in which it keeps its state', './data')
    .action((options: DemoOptions) => {
      if (options.play) return play(host);
      return host.runUntilStopped(() =>
        options.watch ? watchPlayground(options, host) : openPlayground(options, host),
      );
    });
  demo.addOption(
    demo
      .createOption('--watch', 'start again when a source changes, and keep the workspace and its address')
      .conflicts(['fresh', 'open', 'play']),
  );
  addExample(demo, 'muster demo --open', 'muster demo --watch', 'muster demo --play');
}

async function openPlayground(options: DemoOptions, { deadlines, program, terminal }: Host): Promise<AsyncDisposable> {
  const { startPlayground } = await import('../playground/playground.ts');
  const playground = await startPlayground({
    dataFolder: options.data,
    port: options.port,
    isFresh: options.fresh === true,
    system: { deadlines, program },
    onError: sentence => terminal.note(`${sentence}\n`),
  });
  const { url, folder } = playground;
  terminal.print(`${url}\nIt listens on this machine only and keeps its state in ${folder}. Ctrl+C stops it.\n`);
  if (options.open) {
    const { openBrowser } = await import('../playground/open-browser.ts');
    if (!(await openBrowser(url))) terminal.note('No browser could be started: open the address yourself.\n');
  }
  return playground;
}

/** The same demo, which Node starts again at each change below src/. */
async function watchPlayground({ port, data }: DemoOptions, { program }: Host): Promise<AsyncDisposable> {
  const sources = fileURLToPath(new URL('../', import.meta.url));
  const flags = [...process.execArgv, `--watch-path=${sources}`, '--watch-preserve-output'];
  const watcher = spawn(process.execPath, [...flags, program, 'demo', '--port', String(port), '--data', data], {
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
  const { playTale } = await import('../playground/demo.ts');
  if (!(await playTale(text => host.terminal.print(text), host))) host.setExitCode(1);
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`The port “${text}” is no number from 0 to 65535.`);
}
