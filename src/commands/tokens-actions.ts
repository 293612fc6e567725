import { type AccessRole, accessRoles } from '../contract/define.ts';
import { createToken, listTokens, revokeToken } from '../service/call/tokens.ts';
import { withServiceDatabase } from '../service/maintenance.ts';
import { type Terminal, toTable } from './command.ts';
import { openStored } from './stored-database.ts';

/** `muster tokens create`: prints the token, this once. Rejects with a sentence on an unknown role or a name in use. */
export async function createTokenCommand(
  terminal: Terminal,
  name: string,
  options: { readonly database: string; readonly role: string },
): Promise<void> {
  const role: AccessRole | undefined = accessRoles.find(each => each.toLowerCase() === options.role.toLowerCase());
  if (!role) throw new Error(`The role must be one of ${accessRoles.join(', ')}.`);
  const now = new Date();
  const { id, token } = await withServiceDatabase(openStored(terminal, options.database), now, db =>
    createToken(db, { name, role }, now),
  );
  terminal.note(
    `Token ${id}, "${name.trim()}", has the role ${role}. Muster shows it only now and does not store it:\n`,
  );
  terminal.print(`${token}\n`);
}

/** `muster tokens list`: prints what is known of every token, revoked ones too, but never a token itself. */
export async function listTokensCommand(terminal: Terminal, options: { readonly database: string }): Promise<void> {
  const tokens = await withServiceDatabase(openStored(terminal, options.database), new Date(), listTokens);
  if (tokens.length === 0) {
    terminal.note('There are no tokens yet. muster tokens create <name> --role Editor makes one.\n');
    return;
  }
  const rows = tokens.map(each => [
    String(each.id),
    each.name,
    each.role,
    each.createdTime,
    each.lastUsedTime || 'never',
    each.revokedTime,
  ]);
  terminal.print(toTable([['id', 'name', 'role', 'created', 'last used', 'revoked'], ...rows]));
}

/** `muster tokens revoke`. Rejects with a sentence when no valid token has that id or name. */
export async function revokeTokenCommand(
  terminal: Terminal,
  idOrName: string,
  options: { readonly database: string },
): Promise<void> {
  const now = new Date();
  const name = await withServiceDatabase(openStored(terminal, options.database), now, db =>
    revokeToken(db, idOrName, now),
  );
  terminal.note(`Token "${name}" is revoked. Within seconds, a running Muster refuses requests with it.\n`);
}
