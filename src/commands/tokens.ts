import { type AccessRole, accessRoles } from '../contract/define.ts';
import { createToken, listTokens, revokeToken } from '../service/call/tokens.ts';
import { withServiceDatabase } from '../service/maintenance.ts';
import { type Terminal, toTable } from './table.ts';

/** `muster tokens create`: prints the token, once. Rejects with a sentence when it cannot be made. */
export async function createTokenCommand(
  terminal: Terminal,
  name: string,
  options: { readonly database: string; readonly role: string },
): Promise<void> {
  const role: AccessRole | undefined = accessRoles.find(each => each.toLowerCase() === options.role.toLowerCase());
  if (!role) throw new Error(`The role must be one of ${accessRoles.join(', ')}.`);
  const now = new Date();
  const { id, token } = await withServiceDatabase(options.database, now, db => createToken(db, { name, role }, now));
  terminal.note(`Token ${id}, "${name.trim()}", may act as ${role}. It is shown this once and stored nowhere:\n`);
  terminal.print(`${token}\n`);
}

/** `muster tokens list`: prints every token there is or was, without the tokens themselves. */
export async function listTokensCommand(terminal: Terminal, options: { readonly database: string }): Promise<void> {
  const tokens = await withServiceDatabase(options.database, new Date(), listTokens);
  if (tokens.length === 0) {
    terminal.note('There are no tokens yet: muster tokens create <name> --role Editor makes one.\n');
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

/** `muster tokens revoke`: rejects with a sentence when there is no live token of that id or name. */
export async function revokeTokenCommand(
  terminal: Terminal,
  idOrName: string,
  options: { readonly database: string },
): Promise<void> {
  const now = new Date();
  const name = await withServiceDatabase(options.database, now, db => revokeToken(db, idOrName, now));
  terminal.note(`Token "${name}" is revoked: whoever uses it is refused within a few seconds.\n`);
}
