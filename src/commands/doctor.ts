import type { Command } from 'commander';
import { addExample, type Host } from './command.ts';
import { whereSettingsStand } from './start.ts';

/** `muster doctor`: fails when something stops working. Its settings come from the environment, as those of `muster start`. */
export function register(program: Command, host: Host): void {
  const doctor = program
    .command('doctor')
    .description('look whether everything works: Slack, the API, the database; say what fails and how to fix it')
    .option('--json', 'print the report as JSON');
  doctor
    .addOption(
      doctor
        .createOption(
          '--config-token <token>',
          'compares the app itself with the manifest; Slack makes one at https://api.slack.com/apps',
        )
        .env('SLACK_CONFIG_TOKEN'),
    )
    .action(async (options: { json?: true; configToken?: string }) => {
      const { runDoctor } = await import('./doctor-actions.ts');
      if (!(await runDoctor(host, options))) host.setExitCode(1);
    });
  doctor.addHelpText('after', `\n${whereSettingsStand}`);
  addExample(doctor, 'muster doctor', 'muster doctor --json');
}
