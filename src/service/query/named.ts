import { definePrepared, type Params } from '../../db/prepared.ts';
import { type Db, fold } from '../store/tables.ts';
import type { Node, Term } from './ast.ts';

/** The options that give words of a query their meaning. */
export interface QueryVocabulary {
  readonly severities: readonly { readonly label: string; readonly level: number }[];
}

/**
 * The roles and people that a query names, looked up before the query runs. Its conditions then compare ids. With a subquery for
 * each name, Postgres plans the query for seconds.
 */
export interface NamedIds {
  rolesOf(name: string): readonly number[];
  peopleOf(value: string): {
    /** User ids of the people with this email. */
    readonly ids: readonly string[];
    /** User ids that equal the value, but belong to people with an email, by which they go. */
    readonly others: readonly string[];
  };
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

/** Looks up what the terms of a query name, in at most three statements. */
export async function findNamed(db: Db, terms: readonly Term[]): Promise<NamedIds> {
  const names = new Set<string>();
  const people = new Set<string>();
  for (const term of terms) {
    if (term.kind === 'holder' && term.role !== undefined) names.add(fold(term.role));
    if (term.kind !== 'exact') continue;
    if (term.property === 'role') names.add(fold(term.value));
    else if (['createdby', 'user.email'].includes(term.property) && fold(term.value) !== '') people.add(term.value);
  }
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

/** All terms of a node, in order. */
export function termsOf(node: Node): Term[] {
  if (node.kind === 'and' || node.kind === 'or') return node.items.flatMap(termsOf);
  return node.kind === 'not' ? termsOf(node.item) : [node];
}
