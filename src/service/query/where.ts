import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import { incidentStatuses } from '../../contract/incidents.ts';
import { fold, type Tables } from '../store/tables.ts';
import type { ExactTerm, Node, Query, RangeProperty, Term } from './ast.ts';

type Condition = Expression<SqlBool>;

/** The options that give words of a query their meaning. */
export interface QueryVocabulary {
  readonly severities: readonly { readonly label: string }[];
}

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
 * The query as a condition on `incident` rows. It is never unknown (null), so its negation gives every other incident. People's
 * text is only ever a parameter, with the wildcards of LIKE escaped.
 */
export function toWhere(query: Query, vocabulary: QueryVocabulary): Condition {
  const condition = toCondition(query, vocabulary);
  return countTerms(query) > maxJoined ? incident.not(incident.not(condition)) : condition;
}

/**
 * The most terms for which a database may look for the best order of joins. Postgres joins the subqueries that must all hold,
 * and takes seconds to plan two hundred of them. Behind a negation it leaves each in its place.
 */
const maxJoined = 8;

function countTerms(node: Node): number {
  if (node.kind === 'and' || node.kind === 'or') return node.items.reduce((sum, each) => sum + countTerms(each), 0);
  return node.kind === 'not' ? countTerms(node.item) : 1;
}

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

function toCondition(node: Node, vocabulary: QueryVocabulary): Condition {
  switch (node.kind) {
    case 'and':
      return incident.and(toConditions(node.items, vocabulary));
    case 'or':
      return incident.or(node.items.map(each => toCondition(each, vocabulary)));
    case 'not':
      return incident.not(toCondition(node.item, vocabulary));
    default:
      return toTermCondition(node, vocabulary);
  }
}

/** A list of roles and people: each role with each person is one assignment (docs/api-rules.md A7). */
function toConditions(items: readonly Node[], vocabulary: QueryVocabulary): Condition[] {
  const roles = items.filter(each => isExact(each, 'role'));
  const people = items.filter(each => isExact(each, 'user.email'));
  if (roles.length === 0 || people.length === 0) return items.map(each => toCondition(each, vocabulary));
  const pairs = roles.flatMap(role =>
    people.map(person => isAssigned([holdsRole(role.value), isPerson('assignment.user_id', person.value)])),
  );
  const others = items.filter(each => !isExact(each, 'role') && !isExact(each, 'user.email'));
  return [...pairs, ...others.map(each => toCondition(each, vocabulary))];
}

function isExact(node: Node, property: ExactTerm['property']): node is ExactTerm {
  return node.kind === 'exact' && node.property === property;
}

function toTermCondition(term: Term, vocabulary: QueryVocabulary): Condition {
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
      return term.property === 'title' ? contains('incident.title_folded', term.value) : hasContext(term.value);
    case 'exact':
      return toExactCondition(term, vocabulary);
  }
}

function toExactCondition({ property, value }: ExactTerm, vocabulary: QueryVocabulary): Condition {
  switch (property) {
    case 'status':
      return hasAnyStatus([value]);
    case 'severity':
      return hasSeverity(value, vocabulary);
    case 'label':
      return hasLabel(value);
    case 'createdby':
      return isPerson('incident.created_by', value);
    case 'role':
      return isAssigned([holdsRole(value)]);
    case 'user.email':
      return isAssigned([isPerson('assignment.user_id', value)]);
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

function holdsRole(name: string): Condition {
  const roles = assignment.selectFrom('role').select('role.id').where('role.name_folded', '=', fold(name));
  return assignment('assignment.role_id', 'in', roles);
}

/**
 * The person with this email. A person without an email goes by the user id, in which only ASCII letters are compared without
 * regard to case.
 */
function isPerson(column: 'incident.created_by' | 'assignment.user_id', value: string): Condition {
  const email = fold(value);
  if (email === '') return assignment.or([]);
  const byEmail = assignment.selectFrom('person').select('person.user_id').where('person.email_folded', '=', email);
  const hasEmail = assignment
    .selectFrom('person')
    .select('person.user_id')
    .whereRef('person.user_id', '=', column)
    .where('person.email_folded', '<>', '');
  const lower = value.replace(/[A-Z]/g, letter => letter.toLowerCase());
  const sameID = assignment.or([assignment(column, '=', value), sql<SqlBool>`lower(${sql.ref(column)}) = ${lower}`]);
  return assignment.or([
    assignment(column, 'in', byEmail),
    assignment.and([sameID, assignment.not(assignment.exists(hasEmail))]),
  ]);
}

/** Incidents with an attached URL that has this text in it or in its caption. */
function hasContext(value: string): Condition {
  return incident.exists(
    incident
      .selectFrom('activity')
      .select('activity.id')
      .whereRef('activity.incident_id', '=', 'incident.id')
      .where('activity.context_folded', '<>', sql.lit(''))
      .where(contains('activity.context_folded', value)),
  );
}

function contains(column: 'incident.title_folded' | 'activity.context_folded', value: string): Condition {
  const pattern = `%${fold(value).replace(/[\\%_]/g, '\\$&')}%`;
  return sql<SqlBool>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
