import type { KnownPerson } from '../../contract/define.ts';
import { nobody, type UserPreview } from '../../contract/fields.ts';
import { definePrepared, type Params } from '../../db/prepared.ts';
import { raiseDirectory } from './counters.ts';
import { type Known, nothingKnown } from './known.ts';
import { type Db, fold, type PersonRow } from './tables.ts';
import { toMicros } from './time.ts';

/**
 * Stores what a call says of people; the call knows them then. What it leaves out, or gives as `""`, stays as it was. An id in place of a
 * name is no news of a person whose name is known.
 */
export async function rememberPeople(
  db: Db,
  people: readonly KnownPerson[],
  now: Date,
  call: Known = nothingKnown(),
): Promise<void> {
  if (people.length === 0) return;
  const ids = [...new Set(people.map(each => each.userID))];
  const rows = await db.selectFrom('person').selectAll().where('user_id', 'in', ids).execute();
  const known = new Map(rows.map(each => [each.user_id, each]));
  let changed = false;
  for (const person of people) {
    const before = known.get(person.userID);
    const after = toPersonRow(person, before, now);
    if (before && same(before, after)) continue;
    known.set(person.userID, after);
    changed = true;
    const { user_id: _, ...news } = after;
    await db
      .insertInto('person')
      .values(after)
      .onConflict(conflict => conflict.column('user_id').doUpdateSet(news))
      .execute();
  }
  if (changed) await raiseDirectory(db);
  know(call, [...known.values()]);
}

function toPersonRow(person: KnownPerson, before: PersonRow | undefined, now: Date): PersonRow {
  const email = person.email || before?.email || '';
  // A caller that could not look them up gives an id as the name.
  const name = person.name === person.userID || person.name === person.slackUserID ? '' : person.name;
  return {
    user_id: person.userID,
    name: name || before?.name || person.name || person.userID,
    photo_url: person.photoURL || before?.photo_url || '',
    email,
    email_folded: fold(email),
    slack_user_id: person.slackUserID || before?.slack_user_id || '',
    slack_team_id: person.slackTeamID || before?.slack_team_id || '',
    modified_at: toMicros(now),
  };
}

function same(before: PersonRow, after: PersonRow): boolean {
  return (
    before.name === after.name &&
    before.photo_url === after.photo_url &&
    before.email === after.email &&
    before.slack_user_id === after.slack_user_id &&
    before.slack_team_id === after.slack_team_id
  );
}

/**
 * A function from user id to person. `""` gives an empty person; an unknown id becomes the person's name (docs/api-rules.md
 * A2).
 */
export type PersonOf = (userID: string) => UserPreview;

const readRows = definePrepared((db: Db, value: Params<{ ids: readonly string[] }>) =>
  db.selectFrom('person').select(['user_id', 'name', 'photo_url']).where('user_id', 'in', value.ids),
);

/** The most people looked up by one statement, which holds 32,766 values at most (SQLite). */
const maxAtOnce = 1000;

/** Looks up the people of `ids` whom the call does not know yet, a thousand in one query. */
export async function findPeople({ db, known }: { db: Db; known: Known }, ids: Iterable<string>): Promise<PersonOf> {
  const wanted = [...new Set(ids)].filter(id => id !== '' && !known.people.has(id));
  for (let at = 0; at < wanted.length; at += maxAtOnce) {
    const asked = wanted.slice(at, at + maxAtOnce);
    for (const id of asked) known.people.set(id, toStranger(id));
    know(known, await readRows(db, { ids: asked }));
  }
  return userID => (userID === '' ? nobody : (known.people.get(userID) ?? toStranger(userID)));
}

function know({ people }: Known, rows: readonly Pick<PersonRow, 'user_id' | 'name' | 'photo_url'>[]): void {
  for (const row of rows) people.set(row.user_id, { userID: row.user_id, name: row.name, photoURL: row.photo_url });
}

function toStranger(userID: string): UserPreview {
  return { userID, name: userID, photoURL: '' };
}
