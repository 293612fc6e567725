import { type Db, fold } from '../service/store/tables.ts';
import { parseTime } from '../service/store/time.ts';
import type { UserRecord } from './format.ts';
import type { ImportSummary } from './import-summary.ts';

/** Imports people. A person who is known here changes only if the export's entry is newer. */
export async function importPeople(
  db: Db,
  people: readonly UserRecord[],
  summary: ImportSummary,
  now: number,
): Promise<void> {
  for (const person of people) {
    const modified = parseTime(person.modifiedTime);
    const row = {
      user_id: person.userID,
      name: person.name,
      photo_url: person.photoURL,
      email: person.email,
      email_folded: fold(person.email),
      slack_user_id: person.slackUserID,
      slack_team_id: person.slackTeamID,
      modified_at: modified ?? now,
    };
    const known = await db
      .selectFrom('person')
      .select('modified_at')
      .where('user_id', '=', person.userID)
      .executeTakeFirst();
    if (!known) {
      await db.insertInto('person').values(row).execute();
      summary.added.people += 1;
      continue;
    }
    summary.present.people += 1;
    if (modified === undefined || modified <= known.modified_at) continue;
    await db.updateTable('person').set(row).where('user_id', '=', person.userID).execute();
  }
}
