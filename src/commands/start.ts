import type { Command } from 'commander';
import { addExample, type Host } from './command.ts';
import { tellStop } from './tell-stop.ts';

/** `muster start`: the bot, with the embedded service unless a Grafana is set. Its settings come from the environment alone. */
export function register(program: Command, host: Host): void {
  const start = program
    .command('start')
    .description('run the bot, and with it the incident service unless GRAFANA_URL is set')
    .action(() => host.runUntilStopped(stopping => startFrom(host, stopping)));
  start.addHelpText('after', `\n${whereSettingsStand}`);
  addExample(start, 'muster start');
}

/** For the help of a command that has no options for its settings. */
export const whereSettingsStand = [
  'Its settings come from the environment and from the file .env in this folder. It needs SLACK_BOT_TOKEN, and SLACK_APP_TOKEN',
  '(Socket Mode) or SLACK_SIGNING_SECRET (HTTP mode). Further ones are ANNOUNCE_CHANNEL, DATABASE_URL, GRAFANA_URL with',
  'GRAFANA_TOKEN, PORT and PUBLIC_URL. docs/settings.md lists every setting.',
].join('\n');

async function startFrom(
  { environment, deadlines, onUncaught }: Host,
  stopping: AbortSignal,
): Promise<AsyncDisposable> {
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
    const muster = await startMuster(config, log, { deadlines }, stopping);
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
