import { botMigrations } from '../bot/schema/migrations.ts';
import { openDatabase } from '../db/database.ts';
import { moveDatabase } from '../db/move.ts';
import { serviceMigrations } from '../service/store/migrations.ts';
import { type Host, toTable } from './command.ts';
import { openStored, tellDatabase } from './stored-database.ts';

const parts = { service: serviceMigrations, bot: botMigrations };

/** `muster move`: rejects with a sentence, and has moved nothing, when one of the two databases cannot be used so. */
export async function moveCommand({ terminal }: Host, from: string, to: string): Promise<void> {
  if (from === to) throw new Error('--from and --to name the same database.');
  for (const url of [from, to]) {
    if (url === 'sqlite::memory:') throw new Error('A database in memory ends with its process. Name a file.');
  }
  await using source = await openStored(terminal, from);
  tellDatabase(terminal, to);
  await using target = await openDatabase(to);
  const moved = await moveDatabase(source, target, parts, { now: new Date() });
  const rows = moved.filter(table => table.rows > 0).map(table => [table.name, String(table.rows)]);
  terminal.print(toTable([['TABLE', 'ROWS'], ...rows]));
  terminal.note(
    'All of it is there, and was compared. Put the new database into DATABASE_URL and start Muster. Do not start it on the old one again: both would do what is open.\n',
  );
}
