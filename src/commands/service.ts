import type { Command } from 'commander';
import { readServiceConfig, serviceSettings } from '../config/config.ts';
import { findPasswords } from './addresses.ts';
import { addExample, addSettings, type Host, readGiven } from './command.ts';

/** How the command is called. */
export const commandName = 'service';

/** `muster service`: the embedded service without a bot. */
export function register(program: Command, host: Host): void {
  const service = program.command(commandName).description('serve the incident and dashboard API alone, without Slack');
  addSettings(service, serviceSettings).action((_options, command: Command) =>
    host.runUntilStopped(async stopping => {
      const { given, label } = readGiven(command, serviceSettings);
      const config = readServiceConfig(given, label);
      const { runService } = await import('./run-service.ts');
      const warnings = [...config.warnings, ...findPasswords(command)];
      const server = await runService({ ...config, warnings }, host, stopping);
      host.terminal.print(`Muster's incident service listens on ${server.url}\n`);
      return server;
    }),
  );
  addExample(
    service,
    'muster service --port 3100 --database sqlite:./data/api.db --token glsa_some_long_random_text:Admin',
  );
}
