import fc from 'fast-check';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import { decodePeople, encodePeople } from '../../../src/contract/acting.ts';
import { ActivityItem } from '../../../src/contract/activity.ts';
import {
  choice,
  count,
  flag,
  freeObject,
  list,
  nobody,
  open,
  orNull,
  requestList,
  someone,
  text,
  time,
  wholeNumber,
} from '../../../src/contract/fields.ts';
import { Incident, IncidentMembership, IncidentPreview } from '../../../src/contract/incidents.ts';
import { Task } from '../../../src/contract/tasks.ts';

describe('members of the documents', () => {
  test.each([
    ['text', text(), ''],
    ['flag', flag(), false],
    ['count', count(), 0],
    ['wholeNumber', wholeNumber(), 0],
    ['list', list(text()), []],
    ['freeObject', freeObject(), {}],
    ['choice', choice(['a']), ''],
    ['open', open(['a']), ''],
    ['someone', someone(), nobody],
  ])('%s reads null and absent as its zero value, alone and inside an object', (_, schema: z.ZodType, zero) => {
    expect(schema.parse(null)).toEqual(zero);
    expect(schema.parse(undefined)).toEqual(zero);
    expect(z.object({ member: schema }).parse({})).toEqual({ member: zero });
    expect(z.object({ member: schema }).parse({ member: null })).toEqual({ member: zero });
    expect(z.array(schema).parse([null])).toEqual([zero]);
  });

  test.each([
    ['text', text(), 7],
    ['flag', flag(), 'yes'],
    ['count', count(), '7'],
    ['wholeNumber', wholeNumber(), 1.5],
    ['list', list(text()), {}],
    ['list item', list(text()), [7]],
    ['freeObject', freeObject(), 'x'],
    ['choice', choice(['a']), 'b'],
    ['someone', someone(), 'ada'],
  ])('%s refuses another type and says where', (_, schema: z.ZodType, wrong) => {
    const result = z.object({ member: schema }).safeParse({ member: wrong });
    expect(result.error?.issues[0]?.path[0]).toBe('member');
  });

  test('a list of a request that is too long gets one finding, and its items none', () => {
    const query = z.object({ member: requestList(z.string()) });
    const result = query.safeParse({ member: Array.from({ length: 1001 }, () => 7) });
    expect(result.error?.issues).toMatchObject([{ path: ['member'], message: 'must have at most 1000 items' }]);
    const longest = Array.from({ length: 1000 }, () => 'x');
    expect(query.parse({ member: longest })).toEqual({ member: longest });
    expect(query.parse({ member: null })).toEqual({ member: [] });
  });

  test('a value read is a value of its own', () => {
    const given = { member: ['a'] };
    const read = z.object({ member: list(text()) }).parse(given);
    expect(read).toEqual(given);
    expect(read.member).not.toBe(given.member);
    const empty = list(text());
    expect(empty.parse(null)).not.toBe(empty.parse(null));
  });

  test('the types are those of the documents', () => {
    expectTypeOf(text().parse('')).toEqualTypeOf<string>();
    expectTypeOf(list(text()).parse([])).toEqualTypeOf<string[]>();
    expectTypeOf<z.input<ReturnType<typeof text>>>().toEqualTypeOf<string | null | undefined>();
  });

  test('a request says which member is wrong, in words', () => {
    const result = z.object({ status: choice(['active', 'resolved']) }).safeParse({ status: 'closed' });
    expect(result.error?.issues[0]?.message).toBe('must be one of active, resolved');
  });
});

describe('objects', () => {
  test('an incident of a newer server: missing members read as empty, unknown ones are dropped', () => {
    const incident = Incident.parse({ incidentID: '7', status: 'paused', refs: null, somethingNew: 1 });
    expect(incident).toMatchObject({ incidentID: '7', status: 'paused', heroImagePath: '', refs: [], labels: [] });
    expect(incident.taskList).toEqual({ tasks: [], todoCount: 0, doneCount: 0 });
    expect(incident.createdByUser).toEqual(nobody);
    expect(incident).not.toHaveProperty('somethingNew');
  });

  test('a kind of timeline item that is not known yet is kept', () => {
    expect(ActivityItem.parse({ activityKind: 'statusPageUpdated' }).activityKind).toBe('statusPageUpdated');
  });

  test('placeholder slots of a membership are dropped', () => {
    const slot = { user: { userID: '', name: '', photoURL: '' }, roleID: 1 };
    const held = { user: { userID: 'grafana-incident:user-1', name: 'Ada', photoURL: '' }, roleID: 1 };
    expect(IncidentMembership.parse({ assignments: [slot, held, { user: null, roleID: 2 }] }).assignments).toEqual([
      expect.objectContaining({ user: held.user }),
    ]);
  });

  test('what may be null stays null', () => {
    expect(Task.parse({}).assignedUser).toBeNull();
    expect(IncidentPreview.parse({ fieldValues: null })).toMatchObject({
      fieldValues: null,
      incidentMembershipPreview: null,
    });
  });
});

describe('the short cut through zod', () => {
  const pairs: readonly (readonly [name: string, ours: z.ZodType, chain: z.ZodType])[] = [
    [
      'text',
      text(),
      z
        .string()
        .nullish()
        .transform(value => value ?? ''),
    ],
    [
      'wholeNumber',
      wholeNumber(),
      z
        .int({ error: 'must be a whole number' })
        .nullish()
        .transform(value => value ?? 0),
    ],
    [
      'list',
      list(z.string()),
      z
        .array(z.string())
        .nullish()
        .transform(value => value ?? []),
    ],
    [
      'orNull',
      orNull(z.string()),
      z
        .string()
        .nullish()
        .transform(value => value ?? null),
    ],
  ];
  const outcome = ({ success, data, error }: z.ZodSafeParseResult<unknown>) => ({
    success,
    data,
    issues: error?.issues.map(({ code, path, message }) => ({ code, path, message })),
  });

  test.each(pairs)('%s reads every value as the plain chain does', (_, ours, chain) => {
    const inside = (schema: z.ZodType) => z.object({ member: schema, list: z.array(schema) });
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.jsonValue()), (member, members) => {
        expect(outcome(ours.safeParse(member))).toEqual(outcome(chain.safeParse(member)));
        const given = { member, list: members };
        expect(outcome(inside(ours).safeParse(given))).toEqual(outcome(inside(chain).safeParse(given)));
      }),
    );
    expect(inside(ours).parse({ list: [undefined, null] })).toEqual(inside(chain).parse({ list: [undefined, null] }));
    expect(() => z.encode(ours, '')).toThrow(z.core.$ZodEncodeError);
  });

  test.each(pairs)('zod reads %s through it, alone and inside other schemas', (_, ours) => {
    const run = vi.spyOn(ours._zod, 'run');
    ours.parse(null);
    z.object({ member: ours }).parse({ member: null });
    z.array(ours).parse([null]);
    expect(run).toHaveBeenCalledTimes(3);
  });
});

describe('the people header', () => {
  test('carries names that are not ASCII', () => {
    const people = { actor: { userID: 'slack:U1', name: 'Zoë Łukasz 🚒' }, others: [{ userID: 'slack:U2', name: '' }] };
    expect(encodePeople(people)).toMatch(/^[\w-]+$/);
    expect(decodePeople(encodePeople(people))).toEqual(people);
  });

  test('stays small enough for any server, and the actor always goes along', () => {
    const actor = { userID: 'slack:U1', name: 'Ada' };
    const others = Array.from({ length: 80 }, (_, n) => ({ userID: `slack:U${n}`, name: 'x'.repeat(180) }));
    const value = encodePeople({ actor, others });
    expect(value.length).toBeLessThan(6001);
    const read = decodePeople(value);
    expect(read?.actor).toEqual(actor);
    expect(read?.others?.length).toBeGreaterThan(10);
  });

  test('characters that no database can store are left out', () => {
    const encoded = encodePeople({ actor: { userID: 'slack:\0U1', name: 'Z\0oë\ud800' } });
    expect(decodePeople(encoded)).toEqual({ actor: { userID: 'slack:U1', name: 'Zoë\ufffd' } });
    expect(decodePeople(encodePeople({ actor: { userID: '\0', name: 'x' } }))).toBeUndefined();
  });

  test('nonsense reads as absent', () => {
    expect(decodePeople('%%%')).toBeUndefined();
    expect(decodePeople(Buffer.from('{"actor":7}').toString('base64url'))).toBeUndefined();
  });
});

test.each([
  ['', ''],
  ['2022-02-11T00:50:20.574137Z', '2022-02-11T00:50:20.574137Z'],
  ['2022-02-11T00:50:20Z', '2022-02-11T00:50:20Z'],
  ['2022-02-11 00:50:20.574137', '2022-02-11T00:50:20.574137Z'],
  ['2022-02-11 00:50:20', '2022-02-11T00:50:20Z'],
  ['2022-02-11T00:50:20.574137', '2022-02-11T00:50:20.574137Z'],
  ['2022-02-11 00:50:20.574137Z', '2022-02-11T00:50:20.574137Z'],
  ['2022-02-11 00:50:20.574137 UTC', '2022-02-11T00:50:20.574137Z'],
  ['2022-02-11 00:50:20.574137456 +0000 UTC', '2022-02-11T00:50:20.574137456+00:00'],
  ['2022-02-11 01:50:20.574137+01:00', '2022-02-11T01:50:20.574137+01:00'],
  ['2022-02-11T01:50:20-0530', '2022-02-11T01:50:20-05:30'],
  ['soon', 'soon'],
  ['2022-02-11', '2022-02-11'],
])('the time %j becomes %j', (written, read) => {
  expect(time().parse(written)).toBe(read);
  expect(Incident.parse({ incidentID: '1', incidentStart: written }).incidentStart).toBe(read);
});
