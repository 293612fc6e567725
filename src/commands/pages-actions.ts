import { endReaders, findSlackId } from '../service/door/door.ts';
import { withServiceDatabase } from '../service/maintenance.ts';
import type { Terminal } from './command.ts';
import { openStored } from './stored-database.ts';

/** `muster pages revoke`. Rejects with a sentence when nobody of that id is known. */
export async function revokePagesCommand(
  terminal: Terminal,
  { person, database }: { readonly person: string | undefined; readonly database: string },
): Promise<void> {
  const now = new Date();
  await withServiceDatabase(openStored(terminal, database), now, async db => {
    const userId = person === undefined ? undefined : await findSlackId(db, person);
    if (person !== undefined && userId === undefined)
      throw new Error(`Nobody with the id ${JSON.stringify(person)} is known. Give the person's Slack id: U02ALICE.`);
    await endReaders(db, userId, now);
  });
  const whom = person === undefined ? 'Everybody is' : `${person} is`;
  terminal.note(`${whom} signed out of the pages. /muster page in Slack gives a new link.\n`);
}
