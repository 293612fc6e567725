import fc from 'fast-check';
import type { z } from 'zod';
import { anyValue, cursorText, hostileText, longText, queryText } from './values.ts';

const words = fc.constantFrom('a', 'Checkout is slow', 'see https://example.com/x and https://example.com/y.', 'db');
const times = fc.constantFrom(
  '',
  '2026-09-19T09:00:00Z',
  '2026-09-19 10:00:00',
  '2026-09-20T00:00:00.123456789+02:00',
  '1700-01-01T00:00:00Z',
  '2250-01-01T00:00:00Z',
  'yesterday',
);
const people = fc.constantFrom('', 'user:a', 'user:b', 'grafana-incident:user-1', 'U1');

function often<T>(known: readonly T[], strange: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom(...strange) },
  );
}

/** Values that mean something to the service, by the member they stand in. */
const meaningful: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  incidentID: often(['1', '1', '1', '2', '3'], ['4', '99', '0', '01', '1.0', '-1']),
  activityItemID: often(
    ['activity-item-6', 'activity-item-7'],
    ['activity-item-1', 'activity-item-20', 'activity-item-0'],
  ),
  taskID: often(['task-1', 'task-2', 'task-3'], ['task-9', 'task-01']),
  userID: people,
  assignToUserID: people,
  role: fc.constantFrom('commander', 'Observer', 'investigator', 'scribe', 'king'),
  name: fc.constantFrom('scribe', 'Commander', 'liaison', 'x'),
  roleID: fc.integer({ min: 0, max: 7 }),
  severity: fc.constantFrom('', 'minor', 'MAJOR', 'severity-critical', 'sev1'),
  limit: fc.constantFrom(0, 1, 2, 50, 1000, 1001, -5),
  queryString: queryText,
  nextValue: cursorText,
  eventTime: times,
  dateFrom: times,
  dateTo: times,
  colorHex: fc.constantFrom('', '#fff', '#a1b2c3', 'red'),
  key: fc.constantFrom('', 'tags', 'service'),
  label: fc.constantFrom('db', 'DB', 'web'),
  uid: fc.constantFrom('', 'board', 'other', 'team', 'short', 'new'),
  folderUid: fc.constantFrom('', 'team', 'board', 'later'),
  folderId: fc.constantFrom(0, 1, 2, 3, 77),
  path: fc.constantFrom('d/board/x', 'explore?left=1', '/absolute', 'a/../b', 'https://evil.example', '..\\x'),
  dashboard: fc.record(
    {
      title: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('Board', 'Other', 'Team', 'New') },
        { weight: 1, arbitrary: hostileText },
      ),
      uid: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom('board', 'other', 'team', null, 'x'.repeat(41)) },
        { weight: 1, arbitrary: anyValue },
      ),
      id: fc.oneof(fc.constantFrom(null, 1, 2, 3), anyValue),
      version: fc.oneof(fc.constantFrom(0, 1, 2), anyValue),
      tags: fc.oneof(fc.array(fc.constantFrom('a', 'b', '\0', ''), { maxLength: 4 }), anyValue),
      refresh: fc.oneof(fc.constantFrom('1s', '5m', 'auto', '', '1h2', '-1d'), anyValue),
      panels: fc.oneof(fc.constant([{ type: 'row', panels: [] }, { gridPos: { y: 'x' } }, null]), anyValue),
      time: fc.oneof(fc.constant({ from: 'now-6h', to: 'now' }), anyValue),
      __proto__: anyValue,
    },
    { requiredKeys: ['title'] },
  ),
};

/** Lists that are short enough for the limit of a body, and too long for anything else. */
const crowds: readonly (readonly unknown[])[] = [201, 40_000].flatMap(length => [
  Array.from({ length }, (_, index) => `a${index}`),
  Array.from({ length }, (_, index) => ({ label: `a${index}` })),
]);

/** As many of one thing as a body can hold. */
function toCrowd(each: unknown): readonly unknown[] {
  const length = Math.floor(900_000 / ((JSON.stringify(each)?.length ?? 4) + 1));
  return Array.from({ length }, () => each);
}

/** A value at whose place something else may stand: mostly it is what is asked for. */
function mutated(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: anyValue });
}

/** Inputs of a schema, some of them with members that are missing, wrong, hostile or too many. */
export function toArbitrary(schema: z.core.$ZodType, member = ''): fc.Arbitrary<unknown> {
  const right = meaningful[member];
  if (right) return mutated(right);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return mutated(
        fc.oneof(
          { weight: 6, arbitrary: words },
          { weight: 4, arbitrary: hostileText },
          { weight: 1, arbitrary: longText },
        ),
      );
    case 'number':
      return mutated(fc.integer({ min: -2, max: 10 }));
    case 'boolean':
      return mutated(fc.boolean());
    case 'enum':
      return mutated(fc.constantFrom(...Object.values(def.entries)));
    case 'array':
      return mutated(
        fc.oneof(
          { weight: 30, arbitrary: fc.array(toArbitrary(def.element), { maxLength: 3 }) },
          { weight: 1, arbitrary: fc.constantFrom(...crowds) },
          { weight: 1, arbitrary: toArbitrary(def.element).map(toCrowd) },
        ),
      );
    case 'unknown':
      return mutated(fc.constantFrom(undefined, null, '', 0, false));
    case 'record':
      return fc.oneof(fc.constant({}), fc.dictionary(hostileText, anyValue, { maxKeys: 3 }), anyValue);
    case 'union':
      return fc.oneof(...def.options.map(option => toArbitrary(option, member)));
    case 'pipe':
      return toArbitrary(def.in, member);
    case 'optional':
    case 'nullable':
      return toArbitrary(def.innerType, member);
    case 'object':
      return mutated(toObject(def.shape));
    default:
      throw new TypeError(`no values are known for ${def.type}`);
  }
}

function toObject(shape: Readonly<Record<string, z.core.$ZodType>>): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [
      name,
      fc.option(toArbitrary(schema, name), { nil: undefined, freq: 20 }),
    ]),
  );
  const whole = fc.record(members);
  const extra = fc.tuple(whole, fc.dictionary(hostileText, anyValue, { maxKeys: 2 })).map(([a, b]) => ({ ...b, ...a }));
  return fc.oneof({ weight: 8, arbitrary: whole }, { weight: 1, arbitrary: extra });
}
