import type { Command } from 'commander';
import { readVersion } from '../operations/version.ts';
import * as backup from './backup.ts';
import * as conformance from './conformance.ts';
import * as demo from './demo.ts';
import * as doctor from './doctor.ts';
import * as erase from './erase.ts';
import type { Host } from './host.ts';
import * as journal from './journal.ts';
import * as manifest from './manifest.ts';
import * as move from './move.ts';
import * as openapi from './openapi.ts';
import { addExample } from './options.ts';
import * as service from './service.ts';
import * as start from './start.ts';
import * as tokens from './tokens.ts';
import * as transfer from './transfer.ts';
import * as webhooks from './webhooks.ts';

/** All subcommands, as help shows them. */
const groups = {
  'Run:': [start, service, demo],
  'Operate:': [tokens, webhooks, journal, erase],
  'Keep:': [backup],
  'Move:': [move, transfer],
  'Check:': [doctor, conformance],
  'Develop:': [openapi, manifest],
};

/** Adds all subcommands to the program. Each loads what it runs only when it runs. */
export function registerCommands(program: Command, host: Host): Command {
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const { register } of commands) register(program, host);
  }
  program.hook('preAction', async () => {
    const { readSecretFiles } = await import('../config/secret-files.ts');
    Object.assign(host.environment, readSecretFiles(host.environment));
  });
  program.version(readVersion(), '--version', 'show which Muster this is');
  program.commandsGroup('Help:').helpCommand('help [command]', 'show the help of a command, with an example');
  return addExample(program, 'muster demo');
}
