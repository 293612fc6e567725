import { expect, test } from 'vitest';
import { http, rpc, rpcBase } from '../../../../src/contract/contract.ts';
import type { AccessRole } from '../../../../src/contract/define.ts';
import { unversioned } from '../../../../src/contract/unversioned.ts';
import { createToken, revokeToken } from '../../../../src/service/call/tokens.ts';
import type { Tables } from '../../../../src/service/store/tables.ts';
import { serviceLock } from '../../../../src/service/store/tables.ts';
import { type OpenedService, openService } from '../../../support/service.ts';

/*
 * Who may do what (docs/api-rules.md A1 and C1), for every operation there is. The table of what each needs is written here
 * from those rules, apart from the contract.
 */

const adminOperations = ['CreateRole', 'UpdateRole', 'ArchiveRole', 'UnarchiveRole', 'DeleteRole'];

interface Operation {
  readonly name: string;
  readonly verb: string;
  readonly path: string;
  readonly form: 'rpc' | 'plain';
  readonly needs: AccessRole;
}

const rpcOperations: Operation[] = Object.entries({ ...rpc, ...unversioned }).flatMap(([service, methods]) =>
  Object.keys(methods).map(name => ({
    name: `${service}.${name}`,
    verb: 'POST',
    path: `${rpcBase('grafana-irm-app')}/${service}.${name}`,
    form: 'rpc' as const,
    needs: adminOperations.includes(name) ? 'Admin' : /^(Query|Get)/.test(name) ? 'Viewer' : 'Editor',
  })),
);
const httpOperations: Operation[] = Object.entries({ ...http.ShortUrls, ...http.Dashboards }).map(
  ([name, endpoint]) => ({
    name,
    verb: endpoint.httpMethod,
    path: endpoint.path.replace(':uid', 'none'),
    form: 'plain' as const,
    needs: endpoint.httpMethod === 'GET' || name === 'create' ? 'Viewer' : 'Editor',
  }),
);
const others: Operation[] = [
  { name: 'folder create', verb: 'POST', path: '/api/folders', form: 'plain', needs: 'Editor' },
  { name: 'folder get', verb: 'GET', path: '/api/folders/none', form: 'plain', needs: 'Viewer' },
  {
    name: 'incoming webhook',
    verb: 'POST',
    path: '/api/plugins/grafana-irm-app/resources/api/v1/incoming-webhooks/grafana.incident.create',
    form: 'rpc',
    needs: 'Editor',
  },
];
const operations = [...rpcOperations, ...httpOperations, ...others];

async function makeTokens(opened: OpenedService) {
  const make = (name: string, role: AccessRole) =>
    opened.database.withLock<Tables, string>(
      serviceLock,
      async db => (await createToken(db, { name, role }, opened.now)).token,
    );
  const tokens = {
    Viewer: await make('viewer2', 'Viewer'),
    Editor: await make('editor2', 'Editor'),
    Admin: await make('admin2', 'Admin'),
    revoked: await make('gone', 'Admin'),
    bad: `glsa_${'0'.repeat(43)}_de093f32`,
    none: undefined,
  };
  await opened.database.withLock<Tables, string>(serviceLock, db => revokeToken(db, 'gone', opened.now));
  return tokens;
}

async function call(opened: OpenedService, { verb, path }: Operation, token: string | undefined) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const init = { method: verb, headers, ...(verb === 'GET' ? {} : { body: '{}' }) };
  const response = await opened.service.fetch(new Request(`http://test${path}`, init));
  return { status: response.status, body: await response.json(), challenge: response.headers.get('www-authenticate') };
}

const unknown = { none: 'Unauthorized', bad: 'Invalid API key', revoked: 'Token revoked' } as const;
const words = { Unauthorized: 'auth.unauthorized', 'Invalid API key': 'api-key.invalid' };

test.each(operations)('$name needs $needs', async operation => {
  await using opened = await openService();
  const tokens = await makeTokens(opened);
  for (const [key, message] of Object.entries(unknown)) {
    const answer = await call(opened, operation, tokens[key as keyof typeof unknown]);
    expect(answer.status, key).toBe(401);
    expect(answer.challenge).toBe('Bearer');
    expect(answer.body).toMatchObject({ message });
    if (operation.form === 'rpc') {
      expect(answer.body).toMatchObject({ error: message, detail: message, status: 401, title: 'Unauthorized' });
    } else {
      const form =
        message === 'Token revoked'
          ? { message, error: { id: 'ERR_TOKEN_REVOKED', maxConcurrentSessions: 0 } }
          : { message, messageId: words[message], statusCode: 401, traceID: '' };
      expect(answer.body).toEqual(form);
    }
  }
  const ranks: AccessRole[] = ['Viewer', 'Editor', 'Admin'];
  for (const role of ranks) {
    const answer = await call(opened, operation, tokens[role]);
    if (ranks.indexOf(role) >= ranks.indexOf(operation.needs)) {
      expect([200, 400, 404], `${role}: ${JSON.stringify(answer.body)}`).toContain(answer.status);
      continue;
    }
    const sentence = `You'll need additional permissions to perform this action. Permissions needed: basic role ${operation.needs}`;
    const accessErrorId = expect.stringMatching(/^ACE\d{10}$/);
    expect(answer.status, role).toBe(403);
    expect(answer.body).toMatchObject({ title: 'Access denied', message: sentence, accessErrorId });
    if (operation.form === 'rpc') expect(answer.body).toMatchObject({ error: sentence, status: 403 });
    else expect(answer.body).toEqual({ title: 'Access denied', message: sentence, accessErrorId });
  }
});

test('with `rolesNeedAdmin` off, an Editor changes roles', async () => {
  await using opened = await openService({ rolesNeedAdmin: false });
  const tokens = await makeTokens(opened);
  for (const operation of rpcOperations.filter(each => each.needs === 'Admin')) {
    expect((await call(opened, operation, tokens.Viewer)).status, operation.name).toBe(403);
    expect([200, 400, 404], operation.name).toContain((await call(opened, operation, tokens.Editor)).status);
  }
});

test('an operation that nobody has is not found, but only for those who may look', async () => {
  await using opened = await openService();
  const tokens = await makeTokens(opened);
  const path = `${rpcBase('grafana-irm-app')}/NoService.NoSuchThing`;
  const operation: Operation = { name: '', verb: 'POST', path, form: 'rpc', needs: 'Viewer' };
  expect((await call(opened, operation, undefined)).status).toBe(401);
  expect((await call(opened, operation, tokens.revoked)).status).toBe(401);
  expect((await call(opened, operation, tokens.Viewer)).status).toBe(404);
});
