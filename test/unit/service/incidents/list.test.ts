import { CompiledQuery, type KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { ActivityService } from '../../../../src/contract/activity.ts';
import { RpcError } from '../../../../src/contract/errors.ts';
import { orderFields } from '../../../../src/contract/incident-queries.ts';
import { IncidentsService } from '../../../../src/contract/incidents-service.ts';
import type { Context } from '../../../../src/service/call/context.ts';
import { listActivity, listIncidentPreviews, listIncidents } from '../../../../src/service/incidents/list.ts';
import { engine } from '../../../support/databases/fresh.ts';
import { hour, newYear, openWorld, type World } from '../../../support/query/world.ts';

const { QueryIncidentPreviews, QueryIncidents } = IncidentsService;
const { QueryActivity } = ActivityService;

/** Each list asked for as over the wire; what the service answers must be what its contract reads back. */
async function askPreviews(context: Context, body: z.input<typeof QueryIncidentPreviews.input>) {
  const answer = await listIncidentPreviews(context, QueryIncidentPreviews.input.parse(body));
  expect(QueryIncidentPreviews.output.parse(answer)).toEqual(answer);
  return answer;
}

async function askIncidents(context: Context, query: z.input<typeof QueryIncidents.input>['query']) {
  const answer = await listIncidents(context, QueryIncidents.input.parse({ query }));
  expect(QueryIncidents.output.parse(answer)).toEqual(answer);
  return answer;
}

async function askActivity(context: Context, query: z.input<typeof QueryActivity.input>['query']) {
  const answer = await listActivity(context, QueryActivity.input.parse({ query }));
  expect(QueryActivity.output.parse(answer)).toEqual(answer);
  return answer;
}

async function refusal(call: Promise<unknown>): Promise<RpcError> {
  const error = await call.catch((caught: unknown) => caught);
  if (!(error instanceof RpcError)) throw new Error('was not refused', { cause: error });
  return error;
}

let world: World;
beforeAll(async () => {
  world = await openWorld();
  await world.add(
    {
      title: 'b',
      roomPrefix: 'ops',
      severity: 'critical',
      labels: [
        { key: 'tags', label: 'eu' },
        { key: 'service', label: 'checkout' },
      ],
      assignments: [
        { userID: 'grafana-incident:ada', role: 'commander' },
        { userID: 'grafana-incident:Bo', role: 'observer' },
      ],
      modifiedAt: newYear + 9 * hour,
      startedAt: newYear + 1_500_000,
    },
    {
      title: 'A',
      status: 'resolved',
      severity: 'minor',
      closedAt: newYear + 7 * hour,
      endedAt: newYear + 6 * hour,
      createdBy: 'slack:U1',
    },
    { title: 'c', roomPrefix: 'inc', severity: 'major', isDrill: true, labels: [{ key: 'tags', label: 'EU' }] },
  );
});
afterAll(() => world[Symbol.asyncDispose]());

const ids = (answer: { incidentPreviews: { incidentID: string }[] }) =>
  answer.incidentPreviews.map(each => each.incidentID).join('');

describe('QueryIncidentPreviews', () => {
  it('lists the newest first and says what it understood', async () => {
    const answer = await askPreviews(world.context, { query: {} });
    expect(ids(answer)).toBe('321');
    expect(answer.query).toEqual({
      limit: 100,
      orderDirection: 'DESC',
      orderField: 'createdTime',
      queryString: '',
      incidentTypes: [],
    });
    expect(answer.cursor).toEqual({ nextValue: '', hasMore: false });
    expect((await askPreviews(world.context, { query: { limit: 5000 } })).query.limit).toBe(1000);
  });

  it('gives a preview whole', async () => {
    const answer = await askPreviews(world.context, { query: { queryString: 'title:b' } });
    expect(answer.incidentPreviews).toEqual([
      {
        incidentID: '1',
        title: 'b',
        description: '',
        summary: '',
        slug: 'incident',
        status: 'active',
        incidentType: 'internal',
        severityID: 'severity-critical',
        severityLabel: 'critical',
        isDrill: false,
        version: 1,
        createdTime: '2026-01-01T01:00:00Z',
        modifiedTime: '2026-01-01T09:00:00Z',
        closedTime: '',
        incidentStart: '2026-01-01T00:00:01.5Z',
        incidentEnd: '',
        heroImagePath: '',
        createdByUser: { userID: 'grafana-incident:ada', name: 'Ada', photoURL: '' },
        labels: [
          { key: 'tags', label: 'eu', description: '', colorHex: '' },
          { key: 'service', label: 'checkout', description: '', colorHex: '' },
        ],
        fieldValues: null,
        incidentMembershipPreview: null,
        incidentChannels: [],
      },
    ]);
  });

  it('adds people and field values when asked to', async () => {
    const answer = await askPreviews(world.context, {
      query: { orderField: 'incidentID', orderDirection: 'ASC' },
      includeCustomFieldValues: true,
      includeMembershipPreview: true,
    });
    expect(answer.incidentPreviews.map(each => each.fieldValues)).toEqual([[], [], []]);
    expect(answer.incidentPreviews.map(each => each.incidentMembershipPreview)).toEqual([
      {
        importantAssignments: [{ user: { userID: 'grafana-incident:ada', name: 'Ada', photoURL: '' }, roleID: 1 }],
        totalAssignments: 2,
        totalParticipants: 1,
      },
      { importantAssignments: [], totalAssignments: 0, totalParticipants: 0 },
      { importantAssignments: [], totalAssignments: 0, totalParticipants: 0 },
    ]);
  });

  it.each<[(typeof orderFields)[number], string]>([
    ['incidentID', '123'],
    ['createdTime', '123'],
    ['modifiedTime', '231'],
    ['title', '213'],
    ['status', '132'],
    ['severity', '132'],
    ['prefix', '231'],
    ['isDrill', '123'],
    ['incidentStart', '123'],
    ['incidentEnd', '132'],
    ['closedTime', '132'],
  ])('orders by %s', async (orderField, order) => {
    const up = await askPreviews(world.context, { query: { orderField, orderDirection: 'ASC' } });
    expect(ids(up)).toBe(order);
    expect(up.query).toMatchObject({ orderField, orderDirection: 'ASC' });
    const down = await askPreviews(world.context, { query: { orderField, orderDirection: 'DESC' } });
    expect(ids(down)).toBe([...order].reverse().join(''));
  });

  it('keeps limit and order beside a query, and refuses what is no query', async () => {
    const answer = await askPreviews(world.context, { query: { queryString: 'label:eu', limit: 1 } });
    expect(ids(answer)).toBe('3');
    expect(answer.cursor.hasMore).toBe(true);
    const refused = await refusal(askPreviews(world.context, { query: { queryString: 'modified:x' } }));
    expect(refused.code).toBe('invalid_argument');
    expect(refused.message).toMatch(/^invalid query: unknown property "modified"/);
  });
});

describe('QueryIncidents', () => {
  it.each<[z.input<typeof QueryIncidents.input>['query'], string]>([
    [{}, '321'],
    [{ orderDirection: 'ASC' }, '123'],
    [{ includeStatuses: ['resolved'] }, '2'],
    [{ includeStatuses: ['closed'] }, ''],
    [{ includeStatuses: ['closed', 'active'] }, '31'],
    [{ excludeStatuses: ['closed'] }, '321'],
    [{ excludeStatuses: ['active', 'closed'] }, '2'],
    [{ incidentLabels: ['checkout', 'nothing'] }, '1'],
    [{ incidentLabels: ['eu'] }, '31'],
    [{ onlyDrills: true }, '3'],
    [{ onlyDrills: false }, '321'],
    [{ severity: 'Minor' }, '2'],
    [{ severity: 'unheard of' }, ''],
    [{ dateFrom: '2026-01-01T02:00:00Z' }, '32'],
    [{ dateTo: '2026-01-01T03:00:00+01:00' }, '1'],
    [{ queryString: 'isdrill:false', onlyDrills: true, severity: 'x', includeStatuses: ['x'] }, '21'],
    [{ queryString: 'isdrill:false', dateFrom: 'never', incidentLabels: ['x'], excludeStatuses: ['active'] }, '21'],
    [{ queryString: ' ', onlyDrills: true }, '3'],
  ])('%j', async (query, expected) => {
    const answer = await askIncidents(world.context, query);
    expect(answer.incidents.map(each => each.incidentID).join('')).toBe(expected);
  });

  it('gives whole incidents and the effective query', async () => {
    const answer = await askIncidents(world.context, { limit: -1, orderDirection: 'ASC' });
    expect(answer.query).toEqual({
      limit: 100,
      orderDirection: 'ASC',
      queryString: '',
      severity: '',
      onlyDrills: false,
      includeStatuses: [],
      excludeStatuses: [],
      incidentLabels: [],
      dateFrom: '',
      dateTo: '',
      incidentTypes: [],
    });
    const [one, two] = answer.incidents;
    expect(one).toMatchObject({
      incidentID: '1',
      overviewURL: '/a/grafana-irm-app/incidents/1/incident',
      incidentMembership: { totalAssignments: 2, totalParticipants: 1 },
      durationSeconds: 24 * 3600 - 2,
    });
    expect(one?.incidentMembership.assignments.map(each => each.role.name)).toEqual(['commander', 'observer']);
    expect(two).toMatchObject({
      createdByUser: { userID: 'slack:U1', name: 'slack:U1' },
      closedTime: '2026-01-01T07:00:00Z',
      incidentEnd: '2026-01-01T06:00:00Z',
      durationSeconds: 4 * 3600,
    });
  });

  it('refuses a date that is none', async () => {
    const refused = await refusal(askIncidents(world.context, { dateTo: 'tomorrow' }));
    expect(refused.message).toBe('query.dateTo must be a time like 2026-01-31T14:05:00Z');
  });

  it('pages on with the same filters only', async () => {
    const query = { limit: 1, incidentLabels: ['eu'], orderDirection: 'DESC' as const };
    const { cursor } = await askIncidents(world.context, query);
    const next = await listIncidents(world.context, QueryIncidents.input.parse({ query, cursor }));
    expect(next.incidents.map(each => each.incidentID)).toEqual(['1']);
    expect(next.cursor).toEqual({ nextValue: '', hasMore: false });
    const other = QueryIncidents.input.parse({ query: { ...query, incidentLabels: [] }, cursor });
    expect((await refusal(listIncidents(world.context, other))).message).toMatch(/belongs to another query/);
  });
});

describe('QueryActivity', () => {
  beforeAll(async () => {
    await world.addItems(
      { incidentID: 1, body: 'late', eventAt: newYear + 3 * hour, tags: ['important'] },
      { incidentID: 1, body: 'early', eventAt: newYear + hour, createdAt: newYear + 9 },
      { incidentID: 1, body: 'early, told first', eventAt: newYear + hour, createdAt: newYear + 8 },
      { incidentID: 1, kind: 'taskAdded', body: 'twin', eventAt: newYear + hour, createdAt: newYear + 9 },
      { incidentID: 2, body: 'elsewhere' },
    );
  });
  const bodies = (answer: { activityItems: { body: string }[] }) => answer.activityItems.map(each => each.body);

  it('goes by event time, then by creation, then by id', async () => {
    const answer = await askActivity(world.context, { incidentID: '1', orderDirection: 'ASC' });
    expect(bodies(answer)).toEqual(['early, told first', 'early', 'twin', 'late']);
    expect(answer.activityItems[3]).toMatchObject({
      activityItemID: 'activity-item-1',
      incidentID: '1',
      eventTime: '2026-01-01T03:00:00Z',
      user: { name: 'Ada' },
      subjectUser: { userID: '', name: '', photoURL: '' },
      tags: ['important'],
    });
  });

  it('filters by exact tag and by kinds, and says what it understood', async () => {
    const important = await askActivity(world.context, { incidentID: '1', tag: 'important' });
    expect(bodies(important)).toEqual(['late']);
    expect(important.query).toEqual({
      incidentID: '1',
      limit: 100,
      tag: 'important',
      orderDirection: 'DESC',
      activityKind: [],
    });
    for (const tag of ['Important', 'import', '%', '"', 'important","']) {
      expect(bodies(await askActivity(world.context, { incidentID: '1', tag }))).toEqual([]);
    }
    const kinds = ['taskAdded', 'labelAdded'] as const;
    expect(bodies(await askActivity(world.context, { incidentID: '1', activityKind: [...kinds] }))).toEqual(['twin']);
  });

  it('knows no timeline of an incident that is not there', async () => {
    for (const incidentID of ['99', '01', 'x', '1e0', '9'.repeat(30)]) {
      expect((await refusal(askActivity(world.context, { incidentID }))).code).toBe('not_found');
    }
  });
});

describe('the cost of a list', () => {
  /** A context whose statements are noted. */
  function watch(context: Context): { context: Context; statements: CompiledQuery[] } {
    const statements: CompiledQuery[] = [];
    const plugin: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        statements.push(context.db.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    return { context: { ...context, db: context.db.withPlugin(plugin) }, statements };
  }

  async function explain(context: Context, { sql, parameters }: CompiledQuery): Promise<string> {
    if (engine === 'sqlite') {
      const plan = await context.db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]));
      return JSON.stringify(plan.rows);
    }
    // Postgres would rather sort so few rows, and still does so here when there is no index to read them from.
    return await context.db.transaction().execute(async trx => {
      for (const each of ['seqscan', 'bitmapscan', 'sort', 'incremental_sort']) {
        await trx.executeQuery(CompiledQuery.raw(`set local enable_${each} = off`));
      }
      const plan = await trx.executeQuery(CompiledQuery.raw(`explain ${sql}`, [...parameters]));
      return JSON.stringify(plan.rows);
    });
  }

  it('is the same number of statements for one incident as for many', async () => {
    await using small = await openWorld();
    await using large = await openWorld();
    await small.add({ assignments: [{ userID: 'slack:U1', role: 'commander' }] });
    for (let each = 0; each < 30; each++) {
      await large.add({ createdBy: `slack:U${each}`, assignments: [{ userID: `slack:V${each}`, role: 'observer' }] });
    }
    const counts = await Promise.all(
      [small, large].map(async each => {
        const statements = vi.spyOn(each.context.db.getExecutor(), 'provideConnection');
        await askPreviews(each.context, { query: {}, includeMembershipPreview: true });
        await askIncidents(each.context, {});
        await askActivity(each.context, { incidentID: '1' });
        return statements.mock.calls.length;
      }),
    );
    expect(counts[0]).toBeGreaterThan(10);
    expect(counts[1]).toBe(counts[0]);
  });

  it('is reading from an index in the order asked for, never sorting', async () => {
    const { context, statements } = watch(world.context);
    for (const orderField of orderFields) {
      for (const orderDirection of ['ASC', 'DESC'] as const) {
        const query = { orderField, orderDirection, limit: 1 };
        statements.length = 0;
        const { cursor } = await askPreviews(context, { query });
        await askPreviews(context, { query, cursor });
        const lists = statements.filter(each => /from "incident" /.test(each.sql));
        expect(lists).toHaveLength(2);
        for (const each of lists) expect(await explain(world.context, each)).not.toMatch(/TEMP B-TREE|Sort/);
      }
    }
    statements.length = 0;
    await askActivity(context, { incidentID: '1', limit: 1 });
    const timeline = statements.filter(each => /from "activity" /.test(each.sql));
    expect(timeline).toHaveLength(1);
    for (const each of timeline) expect(await explain(world.context, each)).not.toMatch(/TEMP B-TREE|Sort/);
  });
});
