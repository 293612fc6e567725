import type { Command } from 'commander';
import { addDatabase, addExample, type Host, readDatabase } from './command.ts';

/** `muster tokens`: bearer tokens of other clients, in the database. */
export function register(program: Command, { terminal }: Host): void {
  const tokens = program
    .command('tokens')
    .description('manage the tokens of other clients of the API, also while Muster runs');
  addExample(tokens, 'muster tokens list');

  const create = tokens
    .command('create <name>')
    .description('create a token and print it; it is shown only once')
    .requiredOption('--role <role>', 'Viewer reads, Editor writes, Admin also changes the list of roles');
  addDatabase(create).action(async (name: string, { role }: { role: string }, command: Command) => {
    const { createTokenCommand } = await import('./tokens-actions.ts');
    await createTokenCommand(terminal, name, { role, database: readDatabase(command) });
  });
  addExample(create, 'muster tokens create ci --role Editor');

  const list = tokens.command('list').description('list all tokens, with the last use of each');
  addDatabase(list).action(async (_options, command: Command) => {
    const { listTokensCommand } = await import('./tokens-actions.ts');
    await listTokensCommand(terminal, { database: readDatabase(command) });
  });
  addExample(list, 'muster tokens list');

  const revoke = tokens
    .command('revoke <id-or-name>')
    .description('revoke a token, so that requests with it are refused');
  addDatabase(revoke).action(async (idOrName: string, _options, command: Command) => {
    const { revokeTokenCommand } = await import('./tokens-actions.ts');
    await revokeTokenCommand(terminal, idOrName, { database: readDatabase(command) });
  });
  addExample(revoke, 'muster tokens revoke ci');
}
