import type { Command } from 'commander';
import { addDatabase, addExample, type Host, readDatabase } from './command.ts';

/** `muster journal`: what people asked for in Slack, for operators. */
export function register(program: Command, { terminal }: Host): void {
  const journal = program
    .command('journal')
    .description('manage intents: what people asked for in Slack, and what became of it');
  addExample(journal, 'muster journal list');

  const list = journal
    .command('list')
    .description(
      'list the intents that are pending, running or failed, oldest first; done and discarded ones newest first',
    )
    .option('--state <state>', 'only pending, running, done, failed or discarded')
    .option('--incident <id>', 'only of one incident')
    .option('--limit <count>', 'how many', '50');
  addDatabase(list).action(async (options: { state?: string; incident?: string; limit: string }, command: Command) => {
    const { listIntentsCommand } = await import('./journal-actions.ts');
    await listIntentsCommand(terminal, { ...options, database: readDatabase(command) });
  });
  addExample(list, 'muster journal list --state failed');

  const show = journal.command('show <id>').description('show everything that is stored of one intent');
  addDatabase(show).action(async (id: string, _options, command: Command) => {
    const { showIntentCommand } = await import('./journal-actions.ts');
    await showIntentCommand(terminal, id, { database: readDatabase(command) });
  });
  addExample(show, 'muster journal show 0193f0a1-7c2e-7b1d-9f44-2b6f0c1d8e55');

  const retry = journal
    .command('retry [id]')
    .description('retry one intent, or all; a running Muster does it within seconds')
    .option('--all', 'every intent that is pending or failed');
  addDatabase(retry).action(async (id: string | undefined, { all }: { all?: true }, command: Command) => {
    const { retryIntentsCommand } = await import('./journal-actions.ts');
    await retryIntentsCommand(terminal, id, { all, database: readDatabase(command) });
  });
  addExample(retry, 'muster journal retry --all');

  const discard = journal
    .command('discard <id>')
    .description('give one intent up; with a declaration, also everything that waits for its incident');
  addDatabase(discard).action(async (id: string, _options, command: Command) => {
    const { discardIntentCommand } = await import('./journal-actions.ts');
    await discardIntentCommand(terminal, id, { database: readDatabase(command) });
  });
  addExample(discard, 'muster journal discard 0193f0a1-7c2e-7b1d-9f44-2b6f0c1d8e55');

  const purge = journal
    .command('purge')
    .description('delete the words of intents that ended: of one incident, or of one person with their drafts')
    .option('--incident <id>', 'everything about this incident')
    .option('--person <id>', 'everything that this Slack user asked for')
    .addHelpText('after', '\nAn edit in Slack of a message whose intent is deleted does not correct its note.');
  addDatabase(purge).action(async (options: { incident?: string; person?: string }, command: Command) => {
    const { purgeIntentsCommand } = await import('./journal-actions.ts');
    await purgeIntentsCommand(terminal, { ...options, database: readDatabase(command) });
  });
  addExample(purge, 'muster journal purge --incident 7');
}
