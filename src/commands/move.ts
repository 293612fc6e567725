import type { Command, Option } from 'commander';
import { asAddress } from './addresses.ts';
import { addExample, type Host } from './command.ts';

/** `muster move`: everything from one database into another, between SQLite and Postgres. */
export function register(program: Command, host: Host): void {
  const command = program
    .command('move')
    .description('copy everything into an empty database, from SQLite to Postgres or back; Muster must not run')
    .addOption(toAddress(program, '--from <url>', 'the database that has it'))
    .addOption(toAddress(program, '--to <url>', 'an empty one'))
    .action(async ({ from, to }: { from: string; to: string }) => {
      const { moveCommand } = await import('./move-actions.ts');
      await moveCommand(host, from, to);
    });
  addExample(command, 'muster move --from sqlite:./data/muster.db --to env:NEW_DATABASE_URL');
}

function toAddress(program: Command, flags: string, description: string): Option {
  const values = 'sqlite:<file>, postgres://…, or env:NAME for that of a variable or of the file of NAME_FILE';
  return asAddress(program.createOption(flags, `${description}: ${values}`).makeOptionMandatory());
}
