import type { Command } from 'commander';
import { readBuild } from '../operations/version.ts';
import { findPasswords, readAddresses } from './addresses.ts';
import { addExample, type Host } from './command.ts';

/** All subcommands in the order of the help, each with the file of this folder that adds it to the program. */
const groups = {
  'Run:': { start: () => import('./start.ts'), service: () => import('./service.ts') },
  'Operate:': {
    tokens: () => import('./tokens.ts'),
    pages: () => import('./pages.ts'),
    webhooks: () => import('./webhooks.ts'),
    journal: () => import('./journal.ts'),
    erase: () => import('./erase.ts'),
  },
  'Keep:': { 'backup restore': () => import('./backup.ts') },
  'Move:': { move: () => import('./move.ts'), 'export import': () => import('./transfer.ts') },
  'Check:': {
    doctor: () => import('./doctor.ts'),
    alerts: () => import('./alerts.ts'),
    pager: () => import('./pager.ts'),
    conformance: () => import('./conformance.ts'),
  },
  'Develop:': { openapi: () => import('./openapi.ts'), manifest: () => import('./manifest.ts') },
};

/**
 * Adds to the program the subcommand that the words of a command line name, so that only its file is loaded. Words that name none get all
 * subcommands: the help lists them, and a misspelt one is compared with them.
 */
export async function registerCommands(program: Command, host: Host, words: readonly string[]): Promise<Command> {
  const name = words.find(word => !word.startsWith('-')) ?? '';
  const isNamed = (names: string) => names.split(' ').includes(name);
  const hasNamed = Object.values(groups).some(files => Object.keys(files).some(isNamed));
  for (const [heading, files] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const [names, load] of Object.entries(files))
      if (!hasNamed || isNamed(names)) (await load()).register(program, host);
  }
  program.hook('preAction', async (_program, command) => {
    const { readSecretFiles } = await import('../config/secret-files.ts');
    const secrets = readSecretFiles(host.environment);
    Object.assign(host.environment, secrets);
    // The command was parsed without the settings that its options take from these files. A typed option wins.
    for (const option of command.options) {
      const value = secrets[option.envVar ?? ''];
      const attribute = option.attributeName();
      if (value !== undefined && command.getOptionValueSource(attribute) !== 'cli')
        command.setOptionValueWithSource(attribute, value, 'env');
    }
    readAddresses(command, host.environment);
    // The log of a service goes to standard error, where another line would be in its way: it has these sentences.
    if (command.name() === 'service') return;
    for (const sentence of findPasswords(command)) host.terminal.note(`Warning: ${sentence}\n`);
  });
  const noDemo =
    'There is no `muster demo`: the demo is no part of the Muster that runs in production. In a checkout of Muster, `npm run demo` starts it; options go behind `--`, as in `npm run demo -- --open`.';
  program
    .command('demo', { hidden: true })
    .description(noDemo)
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new Error(noDemo);
    });
  const { version, commit } = readBuild();
  program.version(commit === '' ? version : `${version} (${commit})`, '--version', 'show which Muster this is');
  program.commandsGroup('Help:').helpCommand('help [command]', 'show the help of a command, with an example');
  return addExample(program, 'muster start', 'muster doctor');
}
