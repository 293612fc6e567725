import type { Command } from 'commander';
import { nameBuild, readBuild } from '../operations/version.ts';
import { findPasswords, readAddresses } from './addresses.ts';
import * as alerts from './alerts.ts';
import * as backup from './backup.ts';
import { addExample, type Host } from './command.ts';
import * as conformance from './conformance.ts';
import * as doctor from './doctor.ts';
import * as erase from './erase.ts';
import * as journal from './journal.ts';
import * as manifest from './manifest.ts';
import * as move from './move.ts';
import * as openapi from './openapi.ts';
import * as pager from './pager.ts';
import * as pages from './pages.ts';
import * as service from './service.ts';
import * as start from './start.ts';
import * as tokens from './tokens.ts';
import * as transfer from './transfer.ts';
import * as webhooks from './webhooks.ts';

/** All subcommands, as help shows them. */
const groups = {
  'Run:': [start, service],
  'Operate:': [tokens, pages, webhooks, journal, erase],
  'Keep:': [backup],
  'Move:': [move, transfer],
  'Check:': [doctor, alerts, pager, conformance],
  'Develop:': [openapi, manifest],
};

/** Gives a command the settings that its options take from the environment, unless they were typed: it was parsed without them. */
function fillOptions(command: Command, settings: Readonly<Record<string, string>>): void {
  for (const option of command.options) {
    const name = option.attributeName();
    const value = settings[option.envVar ?? ''];
    if (value === undefined || command.getOptionValueSource(name) === 'cli') continue;
    command.setOptionValueWithSource(name, value, 'env');
  }
}

/** Tells somebody who types `muster demo`, as older versions took it, how the demo starts. The list of commands does not have it. */
function refuseDemo(program: Command): void {
  const sentence =
    'There is no `muster demo`: the demo is no part of the Muster that runs in production. In a checkout of Muster, `npm run demo` starts it; options go behind `--`, as in `npm run demo -- --open`.';
  program
    .command('demo', { hidden: true })
    .description(sentence)
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new Error(sentence);
    });
}

/** Adds all subcommands to the program. Each loads what it runs only when it runs. */
export function registerCommands(program: Command, host: Host): Command {
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const { register } of commands) register(program, host);
  }
  program.hook('preAction', async (_program, command) => {
    const { readSecretFiles } = await import('../config/secret-files.ts');
    const secrets = readSecretFiles(host.environment);
    Object.assign(host.environment, secrets);
    fillOptions(command, secrets);
    readAddresses(command, host.environment);
    // The log of a service goes to standard error, where another line would be in its way: it has these sentences.
    if (command.name() === service.commandName) return;
    for (const sentence of findPasswords(command)) host.terminal.note(`Warning: ${sentence}\n`);
  });
  refuseDemo(program);
  program.version(nameBuild(readBuild()), '--version', 'show which Muster this is');
  program.commandsGroup('Help:').helpCommand('help [command]', 'show the help of a command, with an example');
  return addExample(program, 'muster start', 'muster doctor');
}
