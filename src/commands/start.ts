import type { Command } from 'commander';
import { addExample, type Host } from './command.ts';
import { tellStop } from './tell-stop.ts';

/** `muster start`: the bot, with the embedded service unless a Grafana is set. Its settings come from the environment alone. */
export function register(program: Command, host: Host): void {
  const start = program
    .command('start')
    .description('run the bot, and with it the incident service unless GRAFANA_URL is set')
    .action(() => host.runUntilStopped(stopping => startFrom(host, stopping)));
  addExample(start, 'muster start');
}

async function startFrom({ environment, onUncaught }: Host, stopping: AbortSignal): Promise<AsyncDisposable> {
  const { readConfig } = await import('../config/config.ts');
  const { findMisspelt } = await import('../config/misspelt.ts');
  const { openLog } = await import('../operations/log.ts');
  const config = readConfig(environment);
  const { nameDatabase } = await import('../db/database-name.ts');
  const { startMuster } = await import('../app.ts');
  const log = openLog(config.logLevel);
  for (const sentence of [...findMisspelt(environment), ...config.warnings]) log.warn(`settings: ${sentence}`);
  onUncaught(err => log.fatal({ err }, 'muster: nothing caught this error, so the process ends'));
  const start = async (): Promise<AsyncDisposable> => {
    const muster = await startMuster(config, log, {}, stopping);
    const { port, metricsPort } = muster;
    log.info(
      {
        port,
        metricsPort,
        database: nameDatabase(config.databaseUrl),
        mode: config.slack.kind,
        api: config.grafana ? 'grafana' : 'embedded',
      },
      'muster: ready',
    );
    return { [Symbol.asyncDispose]: () => muster[Symbol.asyncDispose]() };
  };
  return tellStop(start, { subject: 'muster', stopping, log });
}
