import type { Command } from 'commander';
import { addExample, type Host } from './command.ts';

/** `muster move`: everything from one database into another, between SQLite and Postgres. */
export function register(program: Command, host: Host): void {
  const command = program
    .command('move')
    .description('copy everything into an empty database, from SQLite to Postgres or back; Muster must not run')
    .requiredOption('--from <url>', 'the database that has it: sqlite:./data/muster.db')
    .requiredOption('--to <url>', 'an empty one: postgres://user:password@host/muster')
    .action(async ({ from, to }: { from: string; to: string }) => {
      const { moveCommand } = await import('./move-actions.ts');
      await moveCommand(host, from, to);
    });
  addExample(command, 'muster move --from sqlite:./data/muster.db --to postgres://muster:secret@db.example.com/muster');
}
