import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Context } from '../call/context.ts';
import { parseTyped } from '../query/typed.ts';
import { findWhere, hasAnyStatus, hasSeverity } from '../query/where.ts';
import type { Tables } from '../store/tables.ts';

/** The filters of lists and figures: a text that a person typed, and the choices next to it. */
export interface Filters {
  readonly text: string;
  readonly status: '' | 'active' | 'resolved';
  /** A severity's label; `""` for all. */
  readonly severity: string;
  /** Whether drills are there; `""`: only in searches. */
  readonly drills: '' | 'with' | 'none' | 'only';
}

/** The filters of an address. Its other parameters are ignored. */
export function readFilters(query: URLSearchParams): Filters {
  const one = <T extends string>(name: string, ...known: readonly T[]): T | '' =>
    known.find(each => each === query.get(name)) ?? '';
  return {
    text: query.get('q') ?? '',
    status: one('status', 'active', 'resolved'),
    severity: query.get('severity') ?? '',
    drills: one('drills', 'with', 'none', 'only'),
  };
}

/** Whether anything narrows the list. */
export function isFiltered({ text, status, severity, drills }: Filters): boolean {
  return text.trim() !== '' || status !== '' || severity !== '' || drills === 'only';
}

/** What the filters say of drills. */
export function drillsOf({ text, drills }: Filters): 'with' | 'none' | 'only' {
  return drills || (text.trim() === '' ? 'none' : 'with');
}

/** The condition of the typed text on `incident` rows. Throws `invalid_argument`. */
export async function findTyped(
  { db, now, caller, options }: Context,
  { text }: Filters,
): Promise<Expression<SqlBool>> {
  return await findWhere(db, parseTyped(text, { now, isKnown: caller.userID !== '' }), options);
}

const incident = expressionBuilder<Tables, 'incident'>();

/** The condition of the choices next to the text; a severity is the present one. */
export function toChosen({ options }: Context, filters: Filters): Expression<SqlBool> {
  const { status, severity } = filters;
  const drills = drillsOf(filters);
  return incident.and([
    ...(status === '' ? [] : [hasAnyStatus([status])]),
    ...(severity === '' ? [] : [hasSeverity(severity, options)]),
    ...(drills === 'with' ? [] : [incident('incident.is_drill', '=', drills === 'only' ? 1 : 0)]),
  ]);
}

/** The filters as the query of an address, with changes; `more` comes after them. */
export function toAddressQuery(
  filters: Filters,
  change: Partial<Filters> = {},
  more: Readonly<Record<string, string>> = {},
): string {
  const { text: q, status, severity, drills } = { ...filters, ...change };
  const members = Object.entries({ q, status, severity, drills, ...more }).filter(([, value]) => value !== '');
  return members.length === 0 ? '' : `?${new URLSearchParams(members)}`;
}

/** A property and its value as a person types them; undefined for a value with both kinds of quotes, which cannot be typed. */
export function toTerm(property: string, value: string): string | undefined {
  const mark = ['"', "'"].find(each => !value.includes(each));
  return mark === undefined ? undefined : `${property}:${mark}${value}${mark}`;
}
