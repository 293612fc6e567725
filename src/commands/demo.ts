import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addExample } from './options.ts';

/** `muster demo`: fails when a step of the story did not have its effect. */
export function register(program: Command, host: Host): void {
  const demo = program
    .command('demo')
    .description('play one whole incident, without Slack or Grafana, and print what everybody types and sees')
    .action(async () => {
      const { playIncident } = await import('../playground/demo.ts');
      const hasWorked = await playIncident(text => host.terminal.print(text));
      if (!hasWorked) host.setExitCode(1);
    });
  demo.addOption(demo.createOption('--play', 'the same; earlier versions asked for it').hideHelp());
  addExample(demo, 'muster demo');
}
