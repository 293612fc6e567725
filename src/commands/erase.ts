import type { Command } from 'commander';
import { addDatabase, addExample, type Host, readDatabase } from './command.ts';

/** `muster erase`: takes a person out of the database. */
export function register(program: Command, { terminal }: Host): void {
  const erase = program
    .command('erase')
    .description('take a person out of everything stored: names, addresses, ids, and who wrote which note')
    .requiredOption('--person <who>', 'their id in Slack or in the API, their e-mail address, or their whole name')
    .option('--dry-run', 'change nothing, and say what would change')
    .addHelpText(
      'after',
      '\nIncidents stay readable: in the place of the person stands “Erased person” with a number.',
    );
  addDatabase(erase).action(async (options: { person: string; dryRun?: true }, command: Command) => {
    const { eraseCommand } = await import('./erase-actions.ts');
    await eraseCommand(terminal, { ...options, database: readDatabase(command) });
  });
  addExample(erase, 'muster erase --person alice@example.com --dry-run');
}
