import type { Command } from 'commander';
import { toSurroundings } from '../app.ts';
import type { ProbedApi } from '../bot/doctor/api.ts';
import { whyNotOpened, whyNotThere } from '../bot/doctor/database.ts';
import { openDoctor } from '../bot/doctor/doctor.ts';
import { type Check, type Finding, failing, ok, unknown } from '../bot/doctor/finding.ts';
import { type Installation, toInstallation } from '../bot/doctor/installation.ts';
import { checkManifest } from '../bot/doctor/manifest.ts';
import { isWell, summarize, toReportText } from '../bot/doctor/report.ts';
import { noSightings, openSightings } from '../bot/doctor/sightings.ts';
import { readSlackView } from '../bot/doctor/slack-view.ts';
import { features } from '../bot/features.ts';
import { openJournalAdmin } from '../bot/journal/admin.ts';
import { commandsOf, toManifest } from '../bot/manifest.ts';
import { botMigrations } from '../bot/schema/migrations.ts';
import { type Config, readConfig } from '../config/config.ts';
import { findMisspelt } from '../config/misspelt.ts';
import type { Database } from '../db/database.ts';
import { toDatabaseFile } from '../db/database-name.ts';
import { checkFile, NoDatabase } from '../db/existing.ts';
import { openLog } from '../operations/log.ts';
import { readServiceOptions } from '../service/call/options-file.ts';
import { serviceMigrations } from '../service/store/migrations.ts';
import { addExample, type Host, type Terminal, whereSettingsStand } from './command.ts';
import { openStored } from './stored-database.ts';

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
      if (!(await runDoctor(host, options))) host.setExitCode(1);
    });
  doctor.addHelpText('after', `\n${whereSettingsStand}`);
  addExample(doctor, 'muster doctor', 'muster doctor --json');
}

const clock = () => new Date();

/**
 * `muster doctor`: prints the report, and resolves to whether nothing fails. It changes nothing, and a Muster may run meanwhile.
 * Rejects with a sentence when the settings cannot be used.
 */
async function runDoctor(
  { environment, deadlines, terminal }: Host,
  options: { readonly json?: true; readonly configToken?: string },
): Promise<boolean> {
  const config = readConfig(environment);
  await using stack = new AsyncDisposableStack();
  const installation = toInstallation({
    ...{ mode: config.slack, botToken: config.slack.botToken, slackApiUrl: config.slackApiUrl },
    workspace: config.slackWorkspace,
    ...{ settings: config, surroundings: toSurroundings(config), deadlines },
  });
  const log = openLog('silent');
  const opened = await openStoredFor(terminal, config);
  const database = opened.database && stack.use(opened.database);
  const doctor = openDoctor({
    ...{ installation, clock, log, monotonicNow: () => performance.now() },
    commands: commandsOf(features, installation.commandRoot),
    api: await openApi(config, installation, stack),
    stored: database && {
      database,
      schemas: { bot: botMigrations, ...(config.grafana ? {} : { service: serviceMigrations }) },
      journal: openJournalAdmin(database, clock),
    },
    sightings: database ? openSightings({ database, clock, log }) : noSightings,
    others: [
      { name: 'database', run: async () => opened.missing },
      { name: 'settings', run: async () => checkSettings(environment, config) },
      ...(config.grafana ? [] : [embedded, { name: 'service options', run: () => checkServiceOptions(config) }]),
      { name: 'app manifest', run: () => compareManifest(installation, options.configToken ?? '') },
    ],
  });
  const findings = await doctor.examine({ typed: false });
  const well = isWell(findings);
  const json = () => `${JSON.stringify({ well, summary: summarize(findings), findings }, null, 2)}\n`;
  terminal.print(options.json ? json() : toReportText(findings));
  return well;
}

const embedded: Check = {
  name: 'incident API',
  run: async () => [ok('incident API', 'Muster’s own service answers it, from the database.')],
};

/** The settings that change nothing: misspelt ones, and those that need another one. */
function checkSettings(environment: Host['environment'], config: Config): readonly Finding[] {
  const sentences = [...findMisspelt(environment), ...config.warnings];
  if (sentences.length === 0) return [ok('settings', 'Each has an effect.')];
  return sentences.map(each => {
    const name = each.split(' ', 1)[0] ?? '';
    return unknown(`setting ${name}`, each, 'the purpose of that setting', 'docs/settings.md says what each needs.');
  });
}

/** Whether a start can read the file of SERVICE_OPTIONS. */
async function checkServiceOptions({ serviceOptions }: Config): Promise<readonly Finding[]> {
  if (serviceOptions === '') return [];
  const subject = 'service options';
  try {
    await readServiceOptions(serviceOptions);
    return [ok(subject, `${serviceOptions} can be used.`)];
  } catch (error) {
    const found = (error instanceof Error ? error.message : String(error))
      .split('\n')
      .map(line => line.trim())
      .join(' ');
    const fix = 'Correct the file; docs/settings.md lists its members.';
    return [failing(subject, /[.]$/.test(found) ? found : `${found}.`, 'the next start of Muster', fix)];
  }
}

/** Opens the database, which is not made when it does not exist, and tells which one it is; `missing`: why none can be used. */
async function openStoredFor(
  terminal: Terminal,
  { databaseUrl }: Config,
): Promise<{ readonly database?: Database; readonly missing: readonly Finding[] }> {
  await using opening = new AsyncDisposableStack();
  try {
    const database = opening.use(await openStored(terminal, databaseUrl));
    const file = toDatabaseFile(databaseUrl);
    if (file !== undefined) await checkFile(file, { whole: true });
    opening.move();
    return { database, missing: [] };
  } catch (error) {
    return { missing: [error instanceof NoDatabase ? whyNotThere(error) : whyNotOpened(error)] };
  }
}

/** The API of a Grafana. The embedded service answers inside a running Muster alone. */
async function openApi(
  { grafana }: Config,
  { deadlines }: Installation,
  stack: AsyncDisposableStack,
): Promise<ProbedApi | undefined> {
  if (!grafana) return undefined;
  const { openHttpTransport } = await import('../client/transport.ts');
  const { createClient } = await import('../client/client.ts');
  const transport = stack.use(openHttpTransport({ baseUrl: grafana.url }));
  const { token, pluginID } = grafana;
  return createClient({ transport, token, pluginID, ...deadlines.apiDoctor });
}

async function compareManifest(installation: Installation, configToken: string): Promise<readonly Finding[]> {
  if (configToken === '') {
    const found = 'A bot is not told which commands, events and addresses its app has.';
    const fix =
      'Give --config-token or SLACK_CONFIG_TOKEN: at https://api.slack.com/apps, Your App Configuration Tokens, Generate Token.';
    return [unknown('app manifest', found, 'what the app lacks', fix)];
  }
  const { mode, commandRoot, publicUrl } = installation;
  const { appId } = await readSlackView(installation, clock);
  const wanted = toManifest(features, { commandRoot, publicUrl: mode.kind === 'http' ? publicUrl : '' });
  return checkManifest({ ...installation, configToken, appId, wanted });
}
