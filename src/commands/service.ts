import type { Command } from 'commander';
import { readServiceConfig, serviceSettings } from '../config/config.ts';
import { addExample, addSettings, type Host, readGiven } from './command.ts';

/** `muster service`: the embedded service without a bot. */
export function register(program: Command, host: Host): void {
  const service = program.command('service').description('serve the incident and dashboard API alone, without Slack');
  addSettings(service, serviceSettings).action((_options, command: Command) =>
    host.runUntilStopped(async stopping => {
      const { given, label } = readGiven(command, serviceSettings);
      const config = readServiceConfig(given, label);
      const { runService } = await import('./run-service.ts');
      const server = await runService(config, host, stopping);
      host.terminal.print(`Muster's incident service listens on ${server.url}\n`);
      return server;
    }),
  );
  addExample(
    service,
    'muster service --port 3100 --database sqlite:./data/api.db --token glsa_some_long_random_text:Admin',
  );
}
