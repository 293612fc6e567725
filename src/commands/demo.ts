import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addExample } from './options.ts';

/** `muster demo`: fails when a step of the story did not have its effect. */
export function register(program: Command, host: Host): void {
  const demo = program
    .command('demo')
    .description('play one whole incident, without Slack or Grafana, and print what everybody types and sees')
    .action(async ({ play: which }: { play?: string | true }) => {
      const { playTale } = await import('../playground/demo.ts');
      const tale = which === 'full' ? (await import('../playground/tour/tour.ts')).tour : undefined;
      const hasWorked = await playTale(text => host.terminal.print(text), tale ? { tale } : {});
      if (!hasWorked) host.setExitCode(1);
    });
  demo.addOption(
    demo
      .createOption('--play [story]', '`incident`: that incident; `full`: every command, button and form once')
      .choices(['incident', 'full']),
  );
  addExample(demo, 'muster demo');
}
