import { describe, expect, test } from 'vitest';
import { everyOperation } from '../../../src/conformance/check.ts';
import { checks } from '../../../src/conformance/checks.ts';
import { conforms, type Report, toText } from '../../../src/conformance/report.ts';
import { http, rpc } from '../../../src/contract/contract.ts';
import { checkServer, type Meddling, serve } from '../../support/served.ts';
import { tokens } from '../../support/service.ts';

const operations = Object.entries({ ...rpc, ...http }).flatMap(([group, all]) =>
  Object.keys(all).map(name => `${group}.${name}`),
);

/** What the requests of each operation look like. */
const signs = [
  ...Object.entries(rpc).flatMap(([group, all]) =>
    Object.keys(all).map(name => [`${group}.${name}`, new RegExp(`^POST .*/${group}\\.${name}$`)] as const),
  ),
  ...Object.entries(http).flatMap(([group, all]) =>
    Object.entries(all).map(
      ([name, { httpMethod, path }]) =>
        [`${group}.${name}`, new RegExp(`^${httpMethod} ${path.replaceAll(/:\w+/g, '[^/]+')}$`)] as const,
    ),
  ),
];

test('the kit checks every operation of the contract, each by a rule of the documents', () => {
  const checked = new Set(checks.filter(each => each.rule === 'required').map(each => each.operation as string));
  expect([...checked].filter(each => each !== everyOperation).toSorted()).toEqual(operations.toSorted());
  const names = checks.map(each => `${each.operation} ${each.what}`);
  expect(names).toEqual([...new Set(names)]);
});

test('the embedded service conforms strictly, and is left with nothing but resolved drills and short links', async () => {
  await using server = await serve();
  const report = await checkServer(server);
  expect(report.findings.filter(each => each.verdict !== 'ok')).toEqual([]);
  expect(conforms(report, true)).toBe(true);
  expect(report.notCleanedUp).toEqual([]);
  expect(Object.keys(report.leftovers).toSorted()).toEqual(['incidents (resolved, marked as drills)', 'short links']);
  expect(toText(report, true)).toMatch(/checks: \d+ ok\.\n[\s\S]*The server conforms, our own decisions included\.\n$/);
  const incidents = await server.database
    .as<{ incident: { status: string; is_drill: number }; dashboard: { id: number }; task: { id: string } }>()
    .selectFrom('incident')
    .select(['status', 'is_drill'])
    .execute();
  expect(new Set(incidents.map(each => `${each.status} ${each.is_drill}`))).toEqual(new Set(['resolved 1']));
  for (const table of ['dashboard', 'task'] as const) {
    const rows = await server.database
      .as<{ dashboard: { id: number }; task: { id: number } }>()
      .selectFrom(table)
      .select('id')
      .execute();
    expect(rows, table).toEqual([]);
  }
});

test('the kit gets an answer of every operation over HTTP', async () => {
  const answered = new Set<string>();
  await using server = await serve(({ request, status, body }) => {
    if (status < 400) answered.add(request);
    return { status, body };
  });
  await checkServer(server);
  const isAnswered = ([operation, sign]: readonly [string, RegExp]) =>
    [...answered].some(each => sign.test(each)) ? [] : [operation];
  expect(signs.flatMap(isAnswered)).toEqual([]);
});

test('one service alone can be checked, and an unknown one is named with those there are', async () => {
  await using server = await serve();
  const report = await checkServer(server, { only: 'tasksservice' });
  expect(new Set(report.findings.map(each => each.operation.split('.')[0]))).toEqual(new Set(['TasksService']));
  await expect(checkServer(server, { only: 'Nonsense' })).rejects.toThrow(/no "Nonsense".*TasksService.*Dashboards/);
});

test('what the token may not do is said, and is no fault of the server', async () => {
  await using server = await serve();
  const report = await checkServer(server, { only: 'RolesService', token: tokens.Editor });
  const denied = report.findings.filter(each => each.verdict === 'not allowed by this token');
  expect(denied.map(each => each.operation)).toContain('RolesService.CreateRole');
  expect(conforms(report, false)).toBe(true);
  expect(toText(report, false)).toContain('as far as it could be checked');
});

test('a service that a server need not have is said to be absent, and does not fail it', async () => {
  await using server = await serve(({ operation, status, body, unknown }) =>
    operation.startsWith('UsersService.') ? unknown : { status, body },
  );
  const report = await checkServer(server, { only: 'UsersService' });
  expect(report.findings.map(each => each.verdict)).toEqual(['not offered', 'not offered', 'not offered']);
  expect(conforms(report, false)).toBe(true);
});

test('a token that the server does not know ends the run before anything is written', async () => {
  await using server = await serve();
  await expect(checkServer(server, { token: 'glsa_wrong' })).rejects.toMatchObject({ code: 'unauthenticated' });
});

/** A server that does one thing otherwise, in answers to these operations. */
const broken: Readonly<Record<string, { only: string; meddling: Meddling; caught: string; fails: boolean }>> = {
  'an error with status 200': {
    only: everyOperation,
    meddling: ({ status, body }) => ({ status: [400, 404].includes(status) ? 200 : status, body }),
    caught: 'never answers 200 with an error',
    fails: false,
  },
  'errors without words': {
    only: everyOperation,
    meddling: ({ status, body }) => ({ status, body: status >= 400 ? { message: 'x' } : body }),
    caught: 'explains a failure in error',
    fails: true,
  },
  'a null list': {
    only: 'RolesService',
    meddling: ({ operation, body, status }) => ({
      status,
      body: operation.endsWith('GetRoles') ? { ...body, roles: null } : body,
    }),
    caught: 'answers in a shape that the official clients can read',
    fails: true,
  },
  'a missing heroImagePath': {
    only: 'IncidentsService',
    meddling: ({ body, status }) => ({
      status,
      body: JSON.parse(JSON.stringify(body, (key, value) => (key === 'heroImagePath' ? undefined : value))),
    }),
    caught: 'answers in a shape that the official clients can read',
    fails: false,
  },
  'a fraction in durationSeconds': {
    only: 'IncidentsService',
    meddling: ({ body, status }) => ({
      status,
      body: JSON.parse(JSON.stringify(body, (key, value) => (key === 'durationSeconds' ? value + 0.25 : value))),
    }),
    caught: 'answers in a shape that the official clients can read',
    fails: true,
  },
  'didChange always true': {
    only: 'IncidentsService',
    meddling: ({ body, status }) => ({ status, body: 'didChange' in body ? { ...body, didChange: true } : body }),
    caught: 'gives a role once',
    fails: true,
  },
  'a cursor that repeats': {
    only: 'ActivityService',
    meddling: ({ operation, body, status, remember }) => {
      if (!operation.endsWith('QueryActivity') || status !== 200) return { status, body };
      return { status, body: { ...body, cursor: remember('cursor', body.cursor) } };
    },
    caught: 'lists a page at a time',
    fails: true,
  },
  'a page that leaves one out': {
    only: 'IncidentsService',
    meddling: ({ operation, body, status }) => ({
      status,
      body:
        operation.endsWith('QueryIncidents') && Array.isArray(body.incidents) && body.incidents.length > 1
          ? { ...body, incidents: body.incidents.slice(1) }
          : body,
    }),
    caught: 'lists a page at a time',
    fails: true,
  },
  'severities in capitals': {
    only: 'IncidentsService',
    meddling: ({ body, status }) => ({
      status,
      body: JSON.parse(
        JSON.stringify(body, (key, value) =>
          key === 'severity' && typeof value === 'string' && value !== ''
            ? value[0]?.toUpperCase() + value.slice(1)
            : value,
        ),
      ),
    }),
    caught: 'spells severities in lower case',
    fails: false,
  },
  'tasks that keep their assignee': {
    only: 'TasksService',
    meddling: ({ operation, body, status, remember }) => {
      if (!operation.endsWith('UpdateTaskUser')) return { status, body };
      return { status, body: { ...body, task: remember('task', body.task) } };
    },
    caught: 'assigns, and clears',
    fails: true,
  },
  'an operation that is not there': {
    only: 'ActivityService',
    meddling: ({ operation, body, status, unknown }) =>
      operation.endsWith('UpdateActivityBody') ? unknown : { status, body },
    caught: 'replaces the text of an item',
    fails: true,
  },
  'a stale version that is let through': {
    only: 'Dashboards',
    meddling: ({ status, body }) =>
      status === 412
        ? { status: 200, body: { status: 'success', version: 3, id: 1, uid: 'x', url: '/d/x/x' } }
        : { status, body },
    caught: 'answers 412 version-mismatch',
    fails: true,
  },
  'short links that lead elsewhere': {
    only: 'ShortUrls',
    meddling: ({ status, body }) => ({ status, body, location: 'http://localhost/elsewhere' }),
    caught: 'leads to the path',
    fails: true,
  },
  'html in place of answers': {
    only: 'UsersService',
    meddling: ({ operation, status, body }) =>
      operation.endsWith('GetUser') ? { status, body: '<html>not here</html>' } : { status, body },
    caught: 'answers one person',
    fails: true,
  },
};

describe('a server is caught at', () => {
  test.each(Object.entries(broken))('%s', async (_, { only, meddling, caught, fails }) => {
    await using server = await serve(meddling);
    const report: Report = await checkServer(server, { only });
    const differing = report.findings.filter(each => each.verdict !== 'ok');
    expect(differing.map(each => each.checked)).toContainEqual(expect.stringContaining(caught));
    expect(conforms(report, true)).toBe(false);
    expect(differing.filter(each => each.fails && !fails)).toEqual([]);
    expect(conforms(report, false)).toBe(!fails);
    expect(JSON.stringify(report)).not.toContain(tokens.Admin);
  });
});
