import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { incidentStatuses } from '../../contract/incidents.ts';
import { type Db, fold, type Tables } from '../store/tables.ts';
import type { And, ExactTerm, Node, Query, RangeProperty, Term } from './ast.ts';
import { findNamed, type NamedIds, type QueryVocabulary, termsOf, toLowerID } from './named.ts';
import { contains, findTyped, toTypedCondition, type WordMatches } from './typed-where.ts';

type Condition = Expression<SqlBool>;

const incident = expressionBuilder<Tables, 'incident'>();
const assignment = expressionBuilder<Tables, 'incident' | 'assignment'>();

/** The times that ranges look at (docs/api-rules.md A7). */
const rangeColumns = {
  declared: 'incident.created_at',
  started: 'incident.started_at',
  resolved: 'incident.closed_at',
  ended: 'incident.ended_at',
} as const satisfies Record<RangeProperty, string>;

/**
 * The query as a condition on `incident` rows; the roles and people in it are looked up at once. It is never unknown (null), so its negation gives every other incident. People's
 * text is only ever a parameter, with the wildcards of LIKE escaped.
 */
export async function findWhere(db: Db, query: Query, vocabulary: QueryVocabulary): Promise<Condition> {
  const simple = simplify(query);
  const terms = termsOf(simple);
  const named = { ...vocabulary, ...(await findNamed(db, terms)) };
  const condition = toCondition(simple, { ...named, ...(await findTyped(db, terms, named)) });
  return terms.length > maxJoined ? incident.not(incident.not(condition)) : condition;
}

/**
 * The most terms for which a database may look for the best order of joins. Postgres joins the subqueries that must all hold,
 * and takes seconds to plan two hundred of them. Behind a negation it leaves each in its place.
 */
const maxJoined = 8;

/** Incidents of any of these statuses, without regard to case. An unknown status matches nothing. */
export function hasAnyStatus(values: readonly string[]): Condition {
  const folded = new Set(values.map(fold));
  return incident.or(
    incidentStatuses.filter(each => folded.has(fold(each))).map(each => incident('incident.status', '=', each)),
  );
}

/**
 * Incidents of a severity, without regard to case. A severity that the options no longer list matches only as it is written.
 */
export function hasSeverity(value: string, { severities }: QueryVocabulary): Condition {
  const folded = fold(value);
  const labels = severities.map(each => each.label).filter(each => fold(each) === folded);
  return incident('incident.severity', 'in', [...labels, value]);
}

/** Incidents with a label of any of these texts, without regard to case, under any key. */
export function hasAnyLabel(values: readonly string[]): Condition {
  const folded = [...new Set(values.map(fold))];
  return incident.exists(
    incident
      .selectFrom('incident_label')
      .select('incident_label.label')
      .whereRef('incident_label.incident_id', '=', 'incident.id')
      .where('incident_label.label_folded', 'in', folded),
  );
}

/** Incidents with a label of this text, without regard to case, under any key or the one given. */
function hasLabel(value: string, key?: string): Condition {
  let labels = incident
    .selectFrom('incident_label')
    .select('incident_label.label')
    .whereRef('incident_label.incident_id', '=', 'incident.id')
    .where('incident_label.label_folded', '=', fold(value));
  if (key !== undefined) labels = labels.where('incident_label.key_folded', '=', fold(key));
  return incident.exists(labels);
}

type Meaning = QueryVocabulary & NamedIds & WordMatches;

function toCondition(node: Node, vocabulary: Meaning): Condition {
  switch (node.kind) {
    case 'and':
      return incident.and(toConditions(node.items, vocabulary));
    case 'or':
      return hasAny(node.items, vocabulary);
    case 'not':
      return incident.not(toCondition(node.item, vocabulary));
    default:
      return toTermCondition(node, vocabulary);
  }
}

/** At least one of the items. Those of one property are looked for together: one subquery holds all of their values. */
function hasAny(items: readonly Node[], vocabulary: Meaning): Condition {
  const valuesOf = (property: ExactTerm['property']) =>
    items.flatMap(each => (isExact(each, property) ? [each.value] : []));
  const together: Condition[] = [];
  const roles = valuesOf('role');
  const people = valuesOf('user.email');
  const labels = valuesOf('label');
  if (roles.length > 0) together.push(isAssigned([holdsRole(roles, vocabulary)]));
  if (people.length > 0) {
    const isAny = people.map(each => isPerson('assignment.user_id', each, vocabulary));
    together.push(isAssigned([assignment.or(isAny)]));
  }
  if (labels.length > 0) together.push(hasAnyLabel(labels));
  const others = items.filter(
    each => !isExact(each, 'role') && !isExact(each, 'user.email') && !isExact(each, 'label'),
  );
  return incident.or([...together, ...others.map(each => toCondition(each, vocabulary))]);
}

/** A list of roles and people: each role with each person is one assignment (docs/api-rules.md A7). */
function toConditions(all: readonly Node[], vocabulary: Meaning): Condition[] {
  const absent = all.flatMap(each => (each.kind === 'not' ? [each.item] : []));
  // None of a list is there: one look at the list, and not one for each of them.
  if (absent.length > 1) {
    const items = all.filter(each => each.kind !== 'not');
    return [...toConditions(items, vocabulary), incident.not(hasAny(absent, vocabulary))];
  }
  const items = all;
  const roles = items.filter(each => isExact(each, 'role'));
  const people = items.filter(each => isExact(each, 'user.email'));
  if (roles.length === 0 || people.length === 0) return items.map(each => toCondition(each, vocabulary));
  const pairs = roles.flatMap(role =>
    people.map(person =>
      isAssigned([holdsRole([role.value], vocabulary), isPerson('assignment.user_id', person.value, vocabulary)]),
    ),
  );
  const others = items.filter(each => !isExact(each, 'role') && !isExact(each, 'user.email'));
  return [...pairs, ...others.map(each => toCondition(each, vocabulary))];
}

function isExact(node: Node, property: ExactTerm['property']): node is ExactTerm {
  return node.kind === 'exact' && node.property === property;
}

function toTermCondition(term: Term, vocabulary: Meaning): Condition {
  switch (term.kind) {
    case 'drill':
      return incident('incident.is_drill', '=', term.value ? 1 : 0);
    case 'field':
      return hasLabel(term.value, term.slug);
    case 'range': {
      const column = rangeColumns[term.property];
      const bounds = [incident(column, 'is not', null)];
      if (term.from !== undefined) bounds.push(incident(column, '>=', term.from));
      if (term.to !== undefined) bounds.push(incident(column, '<=', term.to));
      return incident.and(bounds);
    }
    case 'partial':
      return term.property === 'title'
        ? contains(sql.ref('incident.title_folded'), fold(term.value))
        : hasContext(term.value);
    case 'exact':
      return toExactCondition(term, vocabulary);
    default:
      return toTypedCondition(term, vocabulary);
  }
}

function toExactCondition({ property, value }: ExactTerm, vocabulary: Meaning): Condition {
  switch (property) {
    case 'status':
      return hasAnyStatus([value]);
    case 'severity':
      return hasSeverity(value, vocabulary);
    case 'label':
      return hasLabel(value);
    case 'createdby':
      return isPerson('incident.created_by', value, vocabulary);
    case 'role':
      return isAssigned([holdsRole([value], vocabulary)]);
    case 'user.email':
      return isAssigned([isPerson('assignment.user_id', value, vocabulary)]);
  }
}

function isAssigned(conditions: readonly Condition[]): Condition {
  return incident.exists(
    incident
      .selectFrom('assignment')
      .select('assignment.user_id')
      .whereRef('assignment.incident_id', '=', 'incident.id')
      .where(assignment.and([...conditions])),
  );
}

function holdsRole(names: readonly string[], { rolesOf }: NamedIds): Condition {
  const ids = [...new Set(names.flatMap(rolesOf))];
  return ids.length === 0 ? assignment.or([]) : assignment('assignment.role_id', 'in', ids);
}

/**
 * The person with this email. A person without an email goes by the user id, in which only ASCII letters are compared without
 * regard to case.
 */
function isPerson(
  column: 'incident.created_by' | 'assignment.user_id',
  value: string,
  { peopleOf }: NamedIds,
): Condition {
  if (fold(value) === '') return assignment.or([]);
  const { ids, others } = peopleOf(value);
  const sameID = assignment.or([
    assignment(column, '=', value),
    sql<SqlBool>`lower(${sql.ref(column)}) = ${toLowerID(value)}`,
  ]);
  const byID = others.length === 0 ? sameID : assignment.and([sameID, assignment(column, 'not in', [...others])]);
  return ids.length === 0 ? byID : assignment.or([assignment(column, 'in', [...ids]), byID]);
}

/** Incidents with an attached URL that has this text in it or in its caption. */
function hasContext(value: string): Condition {
  return incident.exists(
    incident
      .selectFrom('activity')
      .select('activity.id')
      .whereRef('activity.incident_id', '=', 'incident.id')
      .where('activity.context_folded', '<>', sql.lit(''))
      .where(contains(sql.ref('activity.context_folded'), fold(value))),
  );
}

/** A query, or a list of it, without repetitions: identical items of a list are one. */
export function simplify<N extends And | (Node & { kind: 'or' })>(node: N): N {
  const items = new Map(node.items.map(each => simplifyNode(each)).map(each => [toKey(each), each]));
  return { ...node, items: [...items.values()] };
}

function simplifyNode(node: Node): Node {
  if (node.kind === 'and' || node.kind === 'or') return simplify(node);
  return node.kind === 'not' ? { ...node, item: simplifyNode(node.item) } : node;
}

/** A text that two nodes share when they say the same. */
function toKey(node: Node): string {
  return JSON.stringify(node, (name, value: unknown) => (name === 'at' ? undefined : value));
}
