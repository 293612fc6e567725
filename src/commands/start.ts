import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { readConfig } from '../config/config.ts';
import { findMisspelt } from '../config/misspelt.ts';
import { nameDatabase } from '../db/database-name.ts';
import { takeHung, watchForHang } from '../db/hang-watch.ts';
import { openLog } from '../operations/log.ts';
import { addExample, type Host, whereSettingsStand } from './command.ts';
import { tellStop } from './tell-stop.ts';

/** `muster start`: the bot, with the embedded service unless a Grafana is set. Its settings come from the environment alone. */
export function register(program: Command, host: Host): void {
  const { environment, deadlines, onUncaught } = host;
  const start = program
    .command('start')
    .description('run the bot, and with it the incident service unless GRAFANA_URL is set')
    .action(() =>
      host.runUntilStopped(async stopping => {
        const config = readConfig(environment);
        // Settings that cannot be used are told before the bot is loaded.
        const { startMuster } = await import('../app.ts');
        const log = openLog(config.logLevel);
        for (const sentence of [...findMisspelt(environment), ...config.warnings]) log.warn(`settings: ${sentence}`);
        onUncaught(err => log.fatal({ err }, 'muster: nothing caught this error, so the process ends'));
        const open = async (): Promise<AsyncDisposable> => {
          const owner = randomUUID();
          const watch = () => watchForHang({ hung: deadlines.hung, log, url: config.databaseUrl, owner });
          const life = { owner, hung: takeHung(config.databaseUrl), watch };
          const muster = await startMuster(config, log, { deadlines, life }, stopping);
          const { port, metricsPort } = muster;
          const database = nameDatabase(config.databaseUrl);
          const api = config.grafana ? 'grafana' : 'embedded';
          log.info({ port, metricsPort, database, mode: config.slack.kind, api }, 'muster: ready');
          return { [Symbol.asyncDispose]: () => muster[Symbol.asyncDispose]() };
        };
        return tellStop(open, { subject: 'muster', stopping, log });
      }),
    );
  start.addHelpText('after', `\n${whereSettingsStand}`);
  addExample(start, 'muster start');
}
