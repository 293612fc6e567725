import type { Command } from 'commander';
import { addDatabase, addExample, type Host, readDatabase } from './command.ts';

/** `muster backup` and `muster restore`: the whole database as one file. */
export function register(program: Command, { environment, terminal }: Host): void {
  const backup = program
    .command('backup')
    .description('copy the whole database, SQLite or Postgres, into one file, while Muster runs')
    .requiredOption('--out <file>', 'a file that does not exist yet; it becomes a SQLite database');
  addDatabase(backup).action(async ({ out }: { out: string }, command: Command) => {
    const { backupCommand } = await import('./backup-actions.ts');
    await backupCommand(terminal, { out, database: readDatabase(command) });
  });
  addExample(backup, 'muster backup --out ./muster-monday.db');

  const restore = program
    .command('restore [file]')
    .description(
      'put a backup in the place of the database, SQLite or Postgres, so that nothing in it is done twice; Muster must not run',
    )
    .option('--replace', 'Postgres: delete what the database holds; without it, only an empty one is filled')
    .option('--in-place', 'the database took an older state in another way, such as pg_restore: only prepare it');
  addDatabase(restore).action(
    async (
      file: string | undefined,
      options: { readonly replace?: true; readonly inPlace?: true },
      command: Command,
    ) => {
      const { restoreCommand } = await import('./backup-actions.ts');
      const hasGrafana = Boolean(environment.GRAFANA_URL?.trim());
      await restoreCommand(terminal, file, { ...options, hasGrafana, database: readDatabase(command) });
    },
  );
  addExample(
    restore,
    'muster restore ./muster-monday.db',
    'muster restore ./muster-monday.db --database env:NEW_DATABASE_URL',
    'muster restore --in-place',
  );
}
