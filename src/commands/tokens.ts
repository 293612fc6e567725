import type { Command } from 'commander';
import { accessRoles } from '../contract/define.ts';
import { createToken, listTokens, revokeToken } from '../service/call/tokens.ts';
import { withServiceDatabase } from '../service/maintenance.ts';
import { addExample, type Host, toTable } from './command.ts';
import { addRows, type DatabaseCommand } from './stored-database.ts';

/** `muster tokens`: bearer tokens of other clients, in the database. */
export function register(program: Command, host: Host): void {
  const group = program
    .command('tokens')
    .description('manage the tokens of other clients of the API, also while Muster runs');
  addExample(group, 'muster tokens list');
  addRows(group, host, rows);
}

const rows: readonly DatabaseCommand[] = [
  {
    usage: 'create <name>',
    summary: 'create a token and print it; it is shown only once',
    required: ['--role <role>', 'Viewer reads, Editor writes, Admin also changes the list of roles'],
    examples: ['muster tokens create ci --role Editor'],
    act: async ({ terminal, open }, name: string, options: { readonly role: string }) => {
      const role = accessRoles.find(each => each.toLowerCase() === options.role.toLowerCase());
      if (!role) throw new Error(`The role must be one of ${accessRoles.join(', ')}.`);
      const now = new Date();
      const { id, token } = await withServiceDatabase(open(), now, db => createToken(db, { name, role }, now));
      terminal.note(
        `Token ${id}, "${name.trim()}", has the role ${role}. Muster shows it only now and does not store it:\n`,
      );
      terminal.print(`${token}\n`);
    },
  },
  {
    usage: 'list',
    summary: 'list all tokens, with the last use of each',
    examples: ['muster tokens list'],
    act: async ({ terminal, open }) => {
      const tokens = await withServiceDatabase(open(), new Date(), listTokens);
      if (tokens.length === 0) {
        terminal.note('There are no tokens yet. muster tokens create <name> --role Editor makes one.\n');
        return;
      }
      const cells = tokens.map(each => [
        ...[String(each.id), each.name, each.role, each.createdTime],
        ...[each.lastUsedTime || 'never', each.revokedTime],
      ]);
      terminal.print(toTable([['id', 'name', 'role', 'created', 'last used', 'revoked'], ...cells]));
    },
  },
  {
    usage: 'revoke <id-or-name>',
    summary: 'revoke a token, so that requests with it are refused',
    examples: ['muster tokens revoke ci'],
    act: async ({ terminal, open }, idOrName: string) => {
      const now = new Date();
      const name = await withServiceDatabase(open(), now, db => revokeToken(db, idOrName, now));
      terminal.note(`Token "${name}" is revoked. Within seconds, a running Muster refuses requests with it.\n`);
    },
  },
];
