import type { Command } from 'commander';
import { addDatabase, addExample, type Host, readDatabase } from './command.ts';

/** `muster pages`: who reads the pages. */
export function register(program: Command, { terminal }: Host): void {
  const pages = program.command('pages').description('end the sign-ins of people who read the pages');
  addExample(pages, 'muster pages revoke');
  const revoke = pages
    .command('revoke')
    .description('sign everybody out of the pages at once, or one person; links that wait end too')
    .option('--person <id>', 'the person alone, by the Slack id or the id in the API');
  addDatabase(revoke).action(async ({ person }: { person?: string }, command: Command) => {
    const { revokePagesCommand } = await import('./pages-actions.ts');
    await revokePagesCommand(terminal, { person, database: readDatabase(command) });
  });
  addExample(revoke, 'muster pages revoke --person U02ALICE');
}
