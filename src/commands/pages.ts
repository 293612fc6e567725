import type { Command } from 'commander';
import { endReaders, findSlackId } from '../service/door/door.ts';
import { withServiceDatabase } from '../service/maintenance.ts';
import { addExample, type Host } from './command.ts';
import { addRows } from './stored-database.ts';

/** `muster pages`: who reads the pages. */
export function register(program: Command, host: Host): void {
  const group = program.command('pages').description('end the sign-ins of people who read the pages');
  addExample(group, 'muster pages revoke');
  addRows(group, host, [
    {
      usage: 'revoke',
      summary: 'sign everybody out of the pages at once, or one person; links that wait end too',
      options: [['--person <id>', 'the person alone, by the Slack id or the id in the API']],
      examples: ['muster pages revoke --person U02ALICE'],
      act: async ({ terminal, open }, { person }: { readonly person?: string }) => {
        const now = new Date();
        await withServiceDatabase(open(), now, async db => {
          const userId = person === undefined ? undefined : await findSlackId(db, person);
          if (person !== undefined && userId === undefined)
            throw new Error(
              `Nobody with the id ${JSON.stringify(person)} is known. Give the person's Slack id: U02ALICE.`,
            );
          await endReaders(db, userId, now);
        });
        const whom = person === undefined ? 'Everybody is' : `${person} is`;
        terminal.note(`${whom} signed out of the pages. /muster web in Slack gives a new link.\n`);
      },
    },
  ]);
}
