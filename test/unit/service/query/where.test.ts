import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../src/service/query/parse.ts';
import { findWhere } from '../../../../src/service/query/where.ts';
import { fold } from '../../../../src/service/store/tables.ts';
import { queries } from '../../../support/query/arbitrary.ts';
import { matches } from '../../../support/query/evaluate.ts';
import { printQuery } from '../../../support/query/print.ts';
import { hour, newYear, openWorld, roles, type Sketch, type World } from '../../../support/query/world.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

async function find(world: World, text: string): Promise<number[]> {
  const { db, options } = world.context;
  const where = await findWhere(db, parseQuery(text), options);
  const rows = await db.selectFrom('incident').select('id').where(where).orderBy('id').execute();
  return rows.map(each => each.id);
}

describe('what each property finds', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
    await world.add(
      {
        title: '100% of ÜBERSICHT_requests fail',
        severity: 'critical',
        labels: [{ key: 'service_name', label: 'checkout-api' }],
        assignments: [
          { userID: 'grafana-incident:ada', role: 'commander' },
          { userID: 'grafana-incident:Bo', role: 'observer' },
        ],
      },
      {
        title: 'Straße closed, 100 people',
        status: 'resolved',
        closedAt: newYear + 5 * hour,
        endedAt: newYear + 4 * hour,
        createdBy: 'grafana-incident:Bo',
        contexts: [{ url: 'https://wiki.example/Run_Book?x=1', caption: 'Das Übliche' }],
        assignments: [{ userID: 'grafana-incident:Bo', role: 'commander' }],
      },
      { title: 'Fire drill', isDrill: true, createdBy: 'slack:U1', labels: [{ key: 'tags', label: 'EU' }] },
    );
  });
  afterAll(() => world[Symbol.asyncDispose]());

  it.each<[string, number[]]>([
    ['', [1, 2, 3]],
    ['title:übersicht', [1]],
    ['STRASSE', [2]],
    ['100 closed', [2]],
    ['100%', [1]],
    ['t_r', [1]],
    ['"\\"', []],
    ['title:""', [1, 2, 3]],
    ['status:Resolved', [2]],
    ['status:closed', []],
    ['severity:CRITICAL', [1]],
    ['severity:crit', []],
    ['isdrill:true', [3]],
    ['label:eu', [3]],
    ['label:e', []],
    ['field:Service_Name:Checkout-API', [1]],
    ['field:tags:checkout-api', []],
    ['createdby:ada@example.COM', [1]],
    ['createdby:grafana-incident:ada', []],
    ['createdby:GRAFANA-incident:bo', [2]],
    ['createdby:slack:u1', [3]],
    ['createdby:""', []],
    ['context:run_book', [2]],
    ['context:"das übliche"', [2]],
    ['context:runxbook', []],
    ['role:Commander', [1, 2]],
    ['user.email:ada@example.com', [1]],
    ['role:commander user.email:grafana-incident:bo', [2]],
    ['role:observer user.email:ada@example.com', []],
    ['or(role:observer user.email:ada@example.com)', [1]],
    ['role:observer and(user.email:ada@example.com)', [1]],
    ['role:observer role:commander', [1]],
    ['declared:2026-01-01T01:00:00Z,2026-01-01T02:00:00Z', [1, 2]],
    ['declared:2026-01-01T01:00:00.000001Z,', [2, 3]],
    ['started:,2026-01-01T02:00:00+01:00', [1]],
    ['resolved:2026-01-01T05:00:00Z,2026-01-01T05:00:00Z', [2]],
    ['ended:,2026-01-01T05:00:00Z', [2]],
    ['-resolved:2026-01-01T00:00:00Z,', [1, 3]],
    ['isdrill:false or(declared:,2026-01-01T01:00:00Z resolved:2026-01-01T00:00:00Z,)', [1, 2]],
    ['not(status:active isdrill:true)', [1, 2]],
    ['not(or(status:resolved isdrill:true))', [1]],
  ])('%s', async (text, ids) => {
    expect(await find(world, text)).toEqual(ids);
  });

  it('runs the largest and the deepest queries that can be written', async () => {
    const list = `${'role:commander '.repeat(14)}${'user.email:ada@example.com '.repeat(14)}${'-label:x '.repeat(172)}`;
    expect(await find(world, list)).toEqual([1]);
    expect(await find(world, `${'or(isdrill:true and('.repeat(24)}eu${'))'.repeat(24)}`)).toEqual([3]);
    expect(await find(world, `${'not('.repeat(49)}label:eu${')'.repeat(49)}`)).toEqual([1, 2]);
    expect(await find(world, 'ΐ'.repeat(2000))).toEqual([]);
  });
});

it('finds what reading each incident against the query finds', async () => {
  await using world = await openWorld();
  const word = fc.constantFrom(
    ...['Checkout', 'checkout', 'É', 'é', 'e\u0301', 'straße', 'STRASSE', 'ΟΔΟΣ', 'οδος', '%', '_', '\\', "don't", 'İ'],
    ...['active', 'RESOLVED', 'critical', 'Minor', 'eu', 'EU', 'commander', 'Observer', 'team', ''],
    ...['ada@example.com', 'grafana-incident:ada', 'grafana-incident:bo', 'slack:Ünal'],
  );
  const time = fc.integer({ min: 0, max: 5 }).map(hours => newYear + hours * hour);
  const text = fc.array(word, { maxLength: 3 }).map(words => words.join(' '));
  const userID = fc.constantFrom('grafana-incident:ada', 'grafana-incident:Bo', 'slack:Ünal');
  const incident: fc.Arbitrary<Required<Sketch>> = fc.record({
    title: text,
    roomPrefix: fc.constant(''),
    status: fc.constantFrom('active' as const, 'resolved' as const),
    severity: fc.constantFrom('critical', 'minor'),
    isDrill: fc.boolean(),
    createdBy: userID,
    createdAt: time,
    modifiedAt: time,
    startedAt: time,
    closedAt: fc.option(time),
    endedAt: fc.option(time),
    labels: fc.array(fc.record({ key: fc.constantFrom('tags', 'Team'), label: word }), { maxLength: 3 }),
    assignments: fc.array(fc.record({ userID, role: fc.constantFrom(...roles) }), { maxLength: 3 }),
    contexts: fc.array(fc.record({ url: text, caption: word }), { maxLength: 2 }),
  });
  const incidents = fc.sample(incident, 80);
  await world.add(...incidents);
  const slug = fc.constantFrom('tags', 'team', 'TEAM');
  await fc.assert(
    fc.asyncProperty(queries({ text: fc.oneof(word, text), slug, time }), async query => {
      const found = incidents.flatMap((each, index) => (matches(each, query) ? [index + 1] : []));
      expect(await find(world, printQuery(query))).toEqual(found);
    }),
    { numRuns: 300 },
  );
});

describe('fold', () => {
  it.each([
    ['Straße', 'STRASSE'],
    ['ẞ', 'ss'],
    ['ΟΔΟΣ', 'οδος'],
    ['É', 'e\u0301'],
    ['a\0b\ud800', 'AB\ufffd'],
  ])('takes %s and %s for the same', (one, other) => {
    expect(fold(one)).toBe(fold(other));
  });

  it('changes nothing the second time', () => {
    fc.assert(fc.property(unicodeText(), text => fold(fold(text)) === fold(text)));
  });
});
