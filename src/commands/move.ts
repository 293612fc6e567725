import type { Command } from 'commander';
import { botMigrations } from '../bot/schema/migrations.ts';
import { openDatabase } from '../db/database.ts';
import { moveDatabase } from '../db/move.ts';
import { serviceMigrations } from '../service/store/migrations.ts';
import { asAddress } from './addresses.ts';
import { addExample, type Host, toTable } from './command.ts';
import { openStored, tellDatabase } from './stored-database.ts';

const values = 'sqlite:<file>, postgres://…, or env:NAME for that of a variable or of the file of NAME_FILE';

/**
 * `muster move`: everything from one database into another, between SQLite and Postgres. It rejects with a sentence, and has moved nothing,
 * when one of the two cannot be used so.
 */
export function register(program: Command, { terminal }: Host): void {
  const sides = [
    ['--from <url>', 'the database that has it'],
    ['--to <url>', 'an empty one'],
  ] as const;
  const command = program
    .command('move')
    .description('copy everything into an empty database, from SQLite to Postgres or back; Muster must not run')
    .action(async ({ from, to }: { readonly from: string; readonly to: string }) => {
      if (from === to) throw new Error('--from and --to name the same database.');
      for (const url of [from, to]) {
        if (url === 'sqlite::memory:') throw new Error('A database in memory ends with its process. Name a file.');
      }
      await using source = await openStored(terminal, from);
      tellDatabase(terminal, to);
      await using target = await openDatabase(to);
      const parts = { service: serviceMigrations, bot: botMigrations };
      const moved = await moveDatabase(source, target, parts, { now: new Date() });
      const rows = moved.filter(table => table.rows > 0).map(table => [table.name, String(table.rows)]);
      terminal.print(toTable([['TABLE', 'ROWS'], ...rows]));
      terminal.note(
        'All of it is there, and was compared. Put the new database into DATABASE_URL and start Muster. Do not start it on the old one again: both would do what is open.\n',
      );
    });
  for (const [flags, meaning] of sides)
    command.addOption(asAddress(program.createOption(flags, `${meaning}: ${values}`).makeOptionMandatory()));
  addExample(command, 'muster move --from sqlite:./data/muster.db --to env:NEW_DATABASE_URL');
}
