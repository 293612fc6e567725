import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addExample, addSettings, readOptions } from './options.ts';

const database = ['DATABASE_URL'] as const;

/** `muster journal`: what people asked for in Slack, for operators. */
export function register(program: Command, { terminal }: Host): void {
  const journal = program
    .command('journal')
    .description('manage intents: what people asked for in Slack, and what became of it');
  addExample(journal, 'muster journal list');

  const list = journal
    .command('list')
    .description('list the intents that are pending, running or failed, newest first')
    .option('--state <state>', 'only pending, running, done, failed or discarded')
    .option('--incident <id>', 'only of one incident')
    .option('--limit <count>', 'how many', '50');
  addSettings(list, database).action(
    async (options: { state?: string; incident?: string; limit: string }, command: Command) => {
      const { listIntentsCommand } = await import('./journal-actions.ts');
      await listIntentsCommand(terminal, { ...options, database: readOptions(command, database).DATABASE_URL });
    },
  );
  addExample(list, 'muster journal list --state failed');

  const show = journal.command('show <id>').description('show everything that is stored of one intent');
  addSettings(show, database).action(async (id: string, _options, command: Command) => {
    const { showIntentCommand } = await import('./journal-actions.ts');
    await showIntentCommand(terminal, id, { database: readOptions(command, database).DATABASE_URL });
  });
  addExample(show, 'muster journal show 0193f0a1-7c2e-7b1d-9f44-2b6f0c1d8e55');

  const retry = journal
    .command('retry [id]')
    .description('retry one intent, or all; a running Muster does it within seconds')
    .option('--all', 'every intent that is pending or failed');
  addSettings(retry, database).action(async (id: string | undefined, { all }: { all?: true }, command: Command) => {
    const { retryIntentsCommand } = await import('./journal-actions.ts');
    await retryIntentsCommand(terminal, id, { all, database: readOptions(command, database).DATABASE_URL });
  });
  addExample(retry, 'muster journal retry --all');

  const discard = journal
    .command('discard <id>')
    .description('give one intent up; with a declaration, also everything that waits for its incident');
  addSettings(discard, database).action(async (id: string, _options, command: Command) => {
    const { discardIntentCommand } = await import('./journal-actions.ts');
    await discardIntentCommand(terminal, id, { database: readOptions(command, database).DATABASE_URL });
  });
  addExample(discard, 'muster journal discard 0193f0a1-7c2e-7b1d-9f44-2b6f0c1d8e55');
}
