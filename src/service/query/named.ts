import { definePrepared, type Params } from '../../db/prepared.ts';
import { type Db, fold } from '../store/tables.ts';
import type { ExactTerm, Node, Query } from './ast.ts';

/** The people that a value of `createdby` or `user.email` names. */
interface NamedPeople {
  /** User ids of the people with this email. */
  readonly ids: readonly string[];
  /** User ids that equal the value, but belong to people with an email, by which they go. */
  readonly others: readonly string[];
}

/**
 * The roles and people that a query names, looked up before the query runs. Its conditions then compare ids. With a subquery for
 * each name, Postgres plans the query for seconds.
 */
export interface Named {
  rolesOf(name: string): readonly number[];
  peopleOf(value: string): NamedPeople;
}

/** The user id in which ASCII letters are lower case, as databases write it. */
export function toLowerID(userID: string): string {
  return userID.replace(/[A-Z]/g, letter => letter.toLowerCase());
}

const readRoles = definePrepared((db: Db, value: Params<{ names: readonly string[] }>) =>
  db.selectFrom('role').select(['id', 'name_folded']).where('name_folded', 'in', value.names),
);

const readByEmail = definePrepared((db: Db, value: Params<{ emails: readonly string[] }>) =>
  db.selectFrom('person').select(['user_id', 'email_folded']).where('email_folded', 'in', value.emails),
);

const readByID = definePrepared((db: Db, value: Params<{ ids: readonly string[] }>) =>
  db
    .selectFrom('person')
    .select('user_id')
    .where('email_folded', '<>', '')
    .where(({ eb, fn }) => eb(fn<string>('lower', ['user_id']), 'in', value.ids)),
);

/** Looks up what a query names, in at most three statements. */
export async function findNamed(db: Db, query: Query): Promise<Named> {
  const names = new Set<string>();
  const people = new Set<string>();
  collect(query, ({ property, value }) => {
    if (property === 'role') names.add(fold(value));
    else if ((property === 'createdby' || property === 'user.email') && fold(value) !== '') people.add(value);
  });
  const roles = names.size > 0 ? await readRoles(db, { names: [...names] }) : [];
  const emails = people.size > 0 ? await readByEmail(db, { emails: [...new Set([...people].map(fold))] }) : [];
  const others = people.size > 0 ? await readByID(db, { ids: [...new Set([...people].map(toLowerID))] }) : [];
  const rolesByName = Map.groupBy(roles, each => each.name_folded);
  const idsByEmail = Map.groupBy(emails, each => each.email_folded);
  const othersByID = Map.groupBy(others, each => toLowerID(each.user_id));
  return {
    rolesOf: name => (rolesByName.get(fold(name)) ?? []).map(each => each.id),
    peopleOf: value => ({
      ids: (idsByEmail.get(fold(value)) ?? []).map(each => each.user_id),
      others: (othersByID.get(toLowerID(value)) ?? []).map(each => each.user_id),
    }),
  };
}

function collect(node: Node, note: (term: ExactTerm) => void): void {
  if (node.kind === 'and' || node.kind === 'or') for (const item of node.items) collect(item, note);
  else if (node.kind === 'not') collect(node.item, note);
  else if (node.kind === 'exact') note(node);
}
