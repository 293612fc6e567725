import type { Command } from 'commander';
import type { Host } from './host.ts';
import { addDatabase, addExample, readDatabase } from './options.ts';

/** `muster backup` and `muster restore`: the whole SQLite database as one file. */
export function register(program: Command, { terminal }: Host): void {
  const backup = program
    .command('backup')
    .description('copy the whole SQLite database into one file, while Muster runs; Postgres has pg_dump')
    .requiredOption('--out <file>', 'a file that does not exist yet');
  addDatabase(backup).action(async ({ out }: { out: string }, command: Command) => {
    const { backupCommand } = await import('./backup-actions.ts');
    await backupCommand(terminal, { out, database: readDatabase(command) });
  });
  addExample(backup, 'muster backup --out ./muster-monday.db');

  const restore = program
    .command('restore <file>')
    .description('put a backup in the place of the SQLite database; Muster must not run, and the old one is kept');
  addDatabase(restore).action(async (file: string, _options, command: Command) => {
    const { restoreCommand } = await import('./backup-actions.ts');
    await restoreCommand(terminal, file, { database: readDatabase(command) });
  });
  addExample(restore, 'muster restore ./muster-monday.db');
}
