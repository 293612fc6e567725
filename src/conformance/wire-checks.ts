import { pluginIDs } from '../contract/contract.ts';
import { type Check, checksOf, everyOperation, expectRefusal, expectSame, expectThat } from './check.ts';
import { noIncident } from './incident-checks.ts';
import type { RawResponse } from './raw-http.ts';

const documents = 'docs/incident-api.md, Call convention';
const wire = checksOf(everyOperation, documents);
const viewer = checksOf(everyOperation, documents, { viewer: true });

const getRoles = 'RolesService.GetRoles';
const getIncident = 'IncidentsService.GetIncident';
const mebibyte = 1024 * 1024;

function succeeds(reply: RawResponse): void {
  expectThat(reply.status === 200 && reply.body.error === '', 'status 200 and an empty error', reply.text);
}

function fails(reply: RawResponse, status: number): void {
  const { error } = reply.body;
  expectThat(typeof error === 'string' && error !== '', 'a body with a non-empty error', reply.text);
  expectSame('status', reply.status, status);
}

/** Rules for all RPC operations: addresses, headers, bodies, errors. */
export const wireChecks: readonly Check[] = [
  wire.required('answers 200 with an empty error when it succeeds', async fixtures => {
    succeeds(await fixtures.raw.post(getRoles, {}));
  }),
  wire.required('explains a failure in error', async fixtures => {
    const { body, text } = await fixtures.raw.post(getIncident, { incidentID: noIncident });
    expectThat(typeof body.error === 'string' && body.error !== '', 'a body with a non-empty error', text);
  }),
  wire.required(
    'answers in JSON, in UTF-8',
    async fixtures => {
      const { headers } = await fixtures.raw.post(getRoles, {});
      expectSame('content-type', headers.get('content-type')?.toLowerCase(), 'application/json; charset=utf-8');
    },
    'docs/api-rules.md A1, Response type (R)',
  ),
  wire.required(
    'reads JSON whatever the content type says',
    async fixtures => succeeds(await fixtures.raw.post(getRoles, {}, { headers: { 'content-type': 'text/plain' } })),
    'docs/api-rules.md A1, Request content type (R)',
  ),
  wire.required(
    'ignores members and headers that it does not know',
    async fixtures =>
      succeeds(
        await fixtures.raw.post(getRoles, { noSuchMember: { deep: [1] } }, { headers: { 'x-no-such': 'header' } }),
      ),
    'docs/api-rules.md A1, Unknown members (L)',
  ),
  wire.required(
    'takes what the Go client sends: null for every list, the whole cursor',
    async fixtures => {
      const cursor = { nextValue: '', hasMore: false };
      const previews = { limit: 1, orderDirection: 'DESC', orderField: '', queryString: '' };
      const query = {
        ...{ limit: 1, orderDirection: 'DESC', queryString: '', severity: '', onlyDrills: false, dateFrom: '' },
        ...{ dateTo: '', includeStatuses: null, excludeStatuses: null, incidentLabels: null },
      };
      succeeds(await fixtures.raw.post('IncidentsService.QueryIncidentPreviews', { query: previews, cursor }));
      succeeds(await fixtures.raw.post('IncidentsService.QueryIncidents', { query, cursor }));
      const { incidentID } = await fixtures.incident('plain');
      const timeline = { incidentID, limit: 1, tag: '', orderDirection: 'DESC', activityKind: null };
      succeeds(await fixtures.raw.post('ActivityService.QueryActivity', { query: timeline, cursor }));
    },
    'docs/api-rules.md A1, What each official client sends (R)',
  ),
  wire.required(
    'lists from the start where the cursor is absent or not whole',
    async fixtures => {
      const query = { limit: 1, orderDirection: 'DESC', orderField: '', queryString: '' };
      succeeds(await fixtures.raw.post('IncidentsService.QueryIncidentPreviews', { query }));
      succeeds(await fixtures.raw.post('IncidentsService.QueryIncidentPreviews', { query, cursor: { nextValue: '' } }));
    },
    'docs/api-rules.md A1, Other callers omit (R)',
  ),
  wire.required(
    'zips what is long when asked',
    async fixtures => {
      const { incidentID } = await fixtures.incident('zipped');
      for (let count = 0; count < 2; count += 1) {
        const body = 'one and the same word '.repeat(200);
        const { activityItem } = await fixtures.api.ActivityService.AddActivity({
          incidentID,
          activityKind: 'userNote',
          body,
        });
        const { activityItemID } = activityItem;
        fixtures.onCleanUp(() => fixtures.api.ActivityService.RemoveActivity({ incidentID, activityItemID }));
      }
      const headers = { 'accept-encoding': 'gzip' };
      const reply = await fixtures.raw.post('ActivityService.QueryActivity', { query: { incidentID } }, { headers });
      succeeds(reply);
      expectSame('content-encoding', reply.headers.get('content-encoding'), 'gzip');
    },
    'docs/api-rules.md A1, gzip (R)',
  ),
  wire.required('refuses a caller without a token', async fixtures => {
    const reply = await fixtures.raw.post(getRoles, {}, { token: false });
    expectSame('status', reply.status, 401);
  }),
  viewer.required(
    'lets a viewer read',
    async fixtures => {
      await fixtures.viewer?.RolesService.GetRoles({});
    },
    'docs/api-rules.md A1, Authentication (D)',
  ),
  wire.ours('says what is wrong as a problem: code, status, detail, retryable, message', 'A1, D1', async fixtures => {
    const { body } = await fixtures.raw.post(getIncident, { incidentID: noIncident });
    const { error, detail, message, status, retryable, type, title, code } = body;
    expectSame('detail and message', [detail, message], [error, error]);
    expectSame('status and retryable', [status, retryable], [404, false]);
    expectThat(
      [type, title, code].every(each => typeof each === 'string' && each !== ''),
      'type, title and code',
      body,
    );
  }),
  wire.ours('never answers 200 with an error', 'A1, D1', async fixtures => {
    const statuses = [
      await fixtures.raw.post(getIncident, { incidentID: noIncident }),
      await fixtures.raw.post(getIncident, {}),
      await fixtures.raw.post('TasksService.AddTask', { incidentID: noIncident, text: '' }),
    ].map(each => each.status);
    expectSame('statuses', statuses, [404, 400, 400]);
  }),
  wire.ours('takes a doubled and a missing slash before the operation', 'A1', async fixtures => {
    for (const path of [`${fixtures.raw.base}//${getRoles}`, `${fixtures.raw.base}${getRoles}`]) {
      succeeds(await fixtures.raw.post(getRoles, {}, { path }));
    }
  }),
  wire.ours('answers under both plugin ids', 'A1', async fixtures => {
    for (const pluginID of pluginIDs) {
      const path = `/api/plugins/${pluginID}/resources/api/v1/${getRoles}`;
      succeeds(await fixtures.raw.post(getRoles, {}, { path }));
    }
  }),
  wire.ours('reads null as absent in every member', 'A1', async fixtures => {
    const { incidentID } = await fixtures.incident('plain');
    const body = {
      query: { incidentID, limit: null, tag: null, orderDirection: null, activityKind: null },
      cursor: null,
    };
    succeeds(await fixtures.raw.post('ActivityService.QueryActivity', body));
  }),
  wire.ours('takes an empty body for {}', 'A1', async fixtures => {
    succeeds(await fixtures.raw.post(getRoles, ''));
  }),
  wire.ours('refuses a body that is no JSON object', 'A1', async fixtures => {
    for (const body of ['{"half":', '[]', '"text"', 'null']) fails(await fixtures.raw.post(getRoles, body), 400);
  }),
  wire.ours('refuses more than 1 MiB', 'A1', async fixtures => {
    fails(await fixtures.raw.post(getRoles, { filler: 'x'.repeat(mebibyte) }), 413);
  }),
  wire.ours('answers 404 for an operation that does not exist, and for other verbs', 'A1', async fixtures => {
    fails(await fixtures.raw.post('RolesService.NoSuchOperation', {}), 404);
    fails(await fixtures.raw.post(getRoles, {}, { method: 'GET' }), 404);
  }),
  viewer.ours('refuses what a viewer may not do', 'A1', async fixtures => {
    const call = fixtures.viewer?.IncidentsService.CreateIncident({ title: `${fixtures.prefix} by a viewer` });
    await expectRefusal(Promise.resolve(call), 'permission_denied');
  }),
];
