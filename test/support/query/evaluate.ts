import type { ExactTerm, Node, Term } from '../../../src/service/query/ast.ts';
import { fold } from '../../../src/service/store/tables.ts';
import { people, type Sketch } from './world.ts';

/** Whether an incident matches a query, decided the plain way: by reading docs/api-rules.md A7 aloud. */
export function matches(incident: Required<Sketch>, node: Node): boolean {
  switch (node.kind) {
    case 'and':
      return matchesAll(incident, node.items);
    case 'or':
      return node.items.some(each => matches(incident, each));
    case 'not':
      return !matches(incident, node.item);
    default:
      return matchesTerm(incident, node);
  }
}

function matchesAll(incident: Required<Sketch>, items: readonly Node[]): boolean {
  const wanted = (property: string) =>
    items.filter((each): each is ExactTerm => each.kind === 'exact' && each.property === property);
  const onOneAssignment = wanted('role').every(role =>
    wanted('user.email').every(person =>
      incident.assignments.some(each => same(each.role, role.value) && isPerson(each.userID, person.value)),
    ),
  );
  return onOneAssignment && items.every(each => matches(incident, each));
}

function matchesTerm(incident: Required<Sketch>, term: Term): boolean {
  switch (term.kind) {
    case 'drill':
      return incident.isDrill === term.value;
    case 'field':
      return incident.labels.some(each => same(each.key, term.slug) && same(each.label, term.value));
    case 'partial':
      return term.property === 'title'
        ? has(incident.title, term.value)
        : incident.contexts.some(each => has(`${each.url}\n${each.caption}`, term.value));
    case 'range': {
      const times = {
        declared: incident.createdAt,
        started: incident.startedAt,
        resolved: incident.closedAt,
        ended: incident.endedAt,
      };
      const time = times[term.property];
      return time !== null && time >= (term.from ?? -Infinity) && time <= (term.to ?? Infinity);
    }
    case 'exact':
      return matchesExact(incident, term);
    default:
      throw new Error(`the API's language has no ${term.kind}`);
  }
}

function matchesExact(incident: Required<Sketch>, { property, value }: ExactTerm): boolean {
  switch (property) {
    case 'status':
      return same(incident.status, value);
    case 'severity':
      return same(incident.severity, value);
    case 'label':
      return incident.labels.some(each => same(each.label, value));
    case 'createdby':
      return isPerson(incident.createdBy, value);
    case 'role':
      return incident.assignments.some(each => same(each.role, value));
    case 'user.email':
      return incident.assignments.some(each => isPerson(each.userID, value));
  }
}

function isPerson(userID: string, value: string): boolean {
  const email = people.find(each => each.userID === userID)?.email ?? '';
  return value !== '' && same(email || userID, value);
}

function same(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function has(text: string, part: string): boolean {
  return fold(text).includes(fold(part));
}
