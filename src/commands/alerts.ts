import type { Command } from 'commander';
import { addExample, type Host } from './command.ts';

interface TestOptions {
  readonly source?: string;
  readonly file?: string;
  readonly ended?: string;
  readonly url?: string;
}

/** `muster alerts`: tries whether alerts arrive. The sources come from the environment, as those of `muster start`. */
export function register(program: Command, { environment, deadlines, terminal }: Host): void {
  const group = program.command('alerts').description('try whether the alerts of a monitoring tool arrive');
  addExample(group, 'muster alerts test');

  const test = group
    .command('test')
    .description('send a test alert to a running Muster, as its tool would, and say whether it took it')
    .option('--source <name>', 'a source that ALERTS names; needless where there is one')
    .option('--file <body.json>', 'a body that the tool sends, instead of a made-up one of Alertmanager')
    .option('--ended <time>', 'send the end of a test alert; the test that sent it prints the time')
    .option('--url <address>', 'where Muster is; default: this machine, at PORT');
  test.action(async (options: TestOptions) => {
    const { readAlertConfig } = await import('../config/config.ts');
    const { sendTestAlert, toOwnAddress } = await import('./alerts-actions.ts');
    const { alerts: sources, host, port } = readAlertConfig(environment);
    const { source, file, ended, url = toOwnAddress(host, port) } = options;
    await sendTestAlert(terminal, { sources, source, file, ended, url, deadlines, now: new Date() });
  });
  test.addHelpText(
    'after',
    '\nIts settings are those of muster start: it needs ALERTS and, where they are set, the others that begin with ALERTS_.',
  );
  addExample(test, 'muster alerts test', 'muster alerts test --source grafana --file body.json');
}
