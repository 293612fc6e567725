import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addExample } from './options.ts';

interface DemoOptions {
  readonly play?: string | true;
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
    .option('--watch', 'start again what a change of the sources reaches, and keep the workspace')
    .option('--data <folder>', 'the folder in which it keeps its state', './data')
    .action((options: DemoOptions) =>
      options.play === undefined ? host.runUntilStopped(() => openPlayground(options, host)) : play(options.play, host),
    );
  demo.addOption(
    demo
      .createOption(
        '--play [story]',
        'play in the terminal instead: `incident`: one incident; `full`: every command, button and form once',
      )
      .choices(['incident', 'full']),
  );
  demo.addHelpText('after', whatWatchDoes);
  addExample(demo, 'muster demo --open', 'muster demo --watch', 'muster demo --play');
}

const whatWatchDoes = `
With --watch, a change below src/ leads to this; the workspace and the addresses stay:
  playground/page/  nothing starts again: reload the page in the browser
  bot/, app.ts      the bot's process starts again
  commands/, main.ts, playground/watch/
                    stop the command and start it again
  everything else   the playground starts again, and its page connects again by itself; so it does
                    when the manifest changes, as with the name of a command. Reload the page when it
                    uses the file too, as those of fake-slack/render/
`;

async function openPlayground(options: DemoOptions, { terminal }: Host): Promise<AsyncDisposable> {
  const how = { dataFolder: options.data, port: options.port, isFresh: options.fresh === true };
  const note = (sentence: string) => terminal.note(`${sentence}\n`);
  const playground = await (options.watch ? superviseIt() : startIt());
  async function startIt() {
    const { startPlayground } = await import('../playground/playground.ts');
    return startPlayground({ ...how, onError: note });
  }
  async function superviseIt() {
    const { supervisePlayground } = await import('../playground/watch/supervisor.ts');
    return supervisePlayground(how, note);
  }
  const { url, folder } = playground;
  terminal.print(`${url}\nIt listens on this machine only and keeps its state in ${folder}. Ctrl+C stops it.\n`);
  if (options.open) {
    const { openBrowser } = await import('../playground/open-browser.ts');
    if (!(await openBrowser(url))) terminal.note('No browser could be started: open the address yourself.\n');
  }
  return playground;
}

async function play(which: string | true, host: Host): Promise<void> {
  const { playTale } = await import('../playground/demo.ts');
  const tale = which === 'full' ? (await import('../playground/tour/tour.ts')).tour : undefined;
  const hasWorked = await playTale(text => host.terminal.print(text), tale ? { tale } : {});
  if (!hasWorked) host.setExitCode(1);
}

function toPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`The port “${text}” is no number from 0 to 65535.`);
}
