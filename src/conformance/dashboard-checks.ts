import type { preconditionReasons } from '../contract/dashboards.ts';
import { RpcError } from '../contract/errors.ts';
import { type Check, checksOf, Difference, expectRefusal, expectSame, expectThat, expectThere } from './check.ts';
import type { Fixtures } from './fixtures.ts';

const documents = 'docs/short-url-api.md';
const save = checksOf('Dashboards.save', documents);
const get = checksOf('Dashboards.get', documents);
const remove = checksOf('Dashboards.delete', documents);
const trash = { optional: true } as const;
const hardDelete = checksOf('Dashboards.hardDelete', documents, trash);
const restore = checksOf('Dashboards.restore', documents, trash);
const home = checksOf('Dashboards.home', documents);
const tags = checksOf('Dashboards.tags', documents);
const search = checksOf('Search.find', documents, { optional: true });

let made = 0;

/** A new dashboard with a title and uid of its own. It is deleted at the end, from the trash too. */
async function dashboard(fixtures: Fixtures, name: string, more: object = {}) {
  made += 1;
  const uid = `${fixtures.prefix.replace(/[^a-z0-9]+/gi, '-')}-${made}`.slice(-40);
  const model = {
    id: null,
    uid,
    title: `${fixtures.prefix} ${name}`,
    tags: ['conformance'],
    schemaVersion: 39,
    ...more,
  };
  const answer = await fixtures.api.Dashboards.save({ dashboard: model });
  fixtures.onCleanUp(() => fixtures.api.Dashboards.hardDelete({ uid }).catch(unlessDenied));
  fixtures.onCleanUp(() => fixtures.api.Dashboards.delete({ uid }));
  return { model, answer, uid };
}

/** Servers without a trash have no such endpoint. */
function unlessDenied(error: unknown): void {
  if (!(error instanceof RpcError) || !['not_found', 'permission_denied'].includes(error.code)) throw error;
}

async function fails412(call: Promise<unknown>, reason: (typeof preconditionReasons)[number]): Promise<void> {
  const outcome = await call.catch((error: unknown) => error);
  if (outcome instanceof RpcError && outcome.code === 'permission_denied') throw outcome;
  const fits = outcome instanceof RpcError && outcome.code === 'failed_precondition' && outcome.reason === reason;
  if (!fits) throw new Difference(`412 ${reason}`, outcome);
}

/** Dashboards and their trash. */
export const dashboardChecks: readonly Check[] = [
  save.required('creates a dashboard: version 1, its uid, an address with it', async fixtures => {
    const { answer, uid } = await dashboard(fixtures, 'created');
    expectSame('status, version, uid', [answer.status, answer.version, answer.uid], ['success', 1, uid]);
    expectThat(answer.url.includes(`/d/${uid}/`), `an url with /d/${uid}/`, answer.url);
    expectThat(answer.id > 0, 'an id', answer.id);
  }),
  save.required('makes a uid where there is none', async fixtures => {
    const model = { id: null, uid: null, title: `${fixtures.prefix} nameless` };
    const { uid } = await fixtures.api.Dashboards.save({ dashboard: model });
    fixtures.onCleanUp(() => fixtures.api.Dashboards.hardDelete({ uid }).catch(unlessDenied));
    fixtures.onCleanUp(() => fixtures.api.Dashboards.delete({ uid }));
    expectThat(uid.length > 0 && uid.length <= 40, 'a uid of at most 40 characters', uid);
  }),
  save.required('updates with the version that is current', async fixtures => {
    const { model, answer } = await dashboard(fixtures, 'updated');
    const next = await fixtures.api.Dashboards.save({
      dashboard: { ...model, id: answer.id, version: 1 },
      message: 'second',
    });
    expectSame('version', next.version, 2);
  }),
  save.required('answers 412 version-mismatch for a version that is not, and overwrites when told', async fixtures => {
    const { model, answer } = await dashboard(fixtures, 'disputed');
    const stale = { dashboard: { ...model, id: answer.id, version: 7 } };
    await fails412(fixtures.api.Dashboards.save(stale), 'version-mismatch');
    expectSame('version', (await fixtures.api.Dashboards.save({ ...stale, overwrite: true })).version, 2);
  }),
  save.required('answers 412 name-exists where a title is taken', async fixtures => {
    const { model } = await dashboard(fixtures, 'namesake');
    await fails412(fixtures.api.Dashboards.save({ dashboard: { id: null, title: model.title } }), 'name-exists');
  }),
  save.ours(
    'answers 412 name-exists where a uid is taken and nothing says that it is an update',
    'D6',
    async fixtures => {
      const { uid } = await dashboard(fixtures, 'same uid');
      const blind = { id: null, uid, title: `${fixtures.prefix} another` };
      await fails412(fixtures.api.Dashboards.save({ dashboard: blind }), 'name-exists');
    },
  ),
  save.required('refuses a dashboard without a title, and uids that are none', async fixtures => {
    const post = (dashboard: object) => fixtures.api.Dashboards.save({ dashboard: { id: null, ...dashboard } });
    await expectRefusal(post({ title: ' ' }), 'invalid_argument');
    await expectRefusal(post({ title: fixtures.prefix, uid: 'not a uid' }), 'invalid_argument');
    await expectRefusal(post({ title: fixtures.prefix, uid: 'x'.repeat(41) }), 'invalid_argument');
  }),
  save.required('raises a refresh interval below the minimum', async fixtures => {
    const { uid } = await dashboard(fixtures, 'hasty', { refresh: '1ms' });
    const { dashboard: model } = await fixtures.api.Dashboards.get({ uid });
    expectThat(model.refresh !== '1ms', 'the minimum', model.refresh);
  }),
  get.required('answers the model as saved, with its address', async fixtures => {
    const { uid, model } = await dashboard(fixtures, 'read', { panels: [{ id: 1, type: 'text', title: 'A panel' }] });
    const answer = await fixtures.api.Dashboards.get({ uid });
    expectSame(
      'title, uid, version',
      [answer.dashboard.title, answer.dashboard.uid, answer.dashboard.version],
      [model.title, uid, 1],
    );
    const { panels } = answer.dashboard;
    expectSame('panels', Array.isArray(panels) ? panels.length : panels, 1);
    expectThat(answer.meta.url.includes(`/d/${uid}/`), `a url with /d/${uid}/`, answer.meta.url);
    expectSame('folderUid and isStarred', [answer.meta.folderUid, answer.meta.isStarred], ['', false]);
  }),
  get.required('answers 404 for one that does not exist', fixtures =>
    expectRefusal(fixtures.api.Dashboards.get({ uid: 'no-such-dashboard' }), 'not_found'),
  ),
  remove.required('deletes a dashboard', async fixtures => {
    const { uid, model } = await dashboard(fixtures, 'deleted');
    const answer = await fixtures.api.Dashboards.delete({ uid });
    expectSame('title', answer.title, model.title);
    await expectRefusal(fixtures.api.Dashboards.get({ uid }), 'not_found');
    await expectRefusal(fixtures.api.Dashboards.delete({ uid }), 'not_found');
  }),
  hardDelete.required('deletes a dashboard in the trash for good', async fixtures => {
    const { uid } = await dashboard(fixtures, 'gone');
    await fixtures.api.Dashboards.delete({ uid });
    expectSame('uid', (await fixtures.api.Dashboards.hardDelete({ uid })).uid, uid);
    await expectRefusal(fixtures.api.Dashboards.restore({ uid }), 'not_found');
  }),
  hardDelete.required('leaves a dashboard alone that is not in the trash', async fixtures => {
    const { uid } = await dashboard(fixtures, 'alive');
    await expectRefusal(fixtures.api.Dashboards.hardDelete({ uid }), 'not_found');
    await fixtures.api.Dashboards.get({ uid });
  }),
  restore.required('takes a dashboard out of the trash', async fixtures => {
    const { uid, model } = await dashboard(fixtures, 'restored');
    await fixtures.api.Dashboards.delete({ uid });
    expectSame('uid', (await fixtures.api.Dashboards.restore({ uid })).uid, uid);
    expectSame('title', (await fixtures.api.Dashboards.get({ uid })).dashboard.title, model.title);
  }),
  restore.ours('keeps the version, and answers 404 where nothing is in the trash', 'C3', async fixtures => {
    const { uid } = await dashboard(fixtures, 'returned');
    await fixtures.api.Dashboards.delete({ uid });
    await fixtures.api.Dashboards.restore({ uid });
    expectSame('version', (await fixtures.api.Dashboards.get({ uid })).dashboard.version, 1);
    await expectRefusal(fixtures.api.Dashboards.restore({ uid }), 'not_found');
  }),
  home.required('answers a home dashboard, or the address of one', async fixtures => {
    const answer = await fixtures.api.Dashboards.home({});
    const isOne = answer.redirectUri !== '' || Object.keys(answer.dashboard).length > 0;
    expectThat(isOne, 'dashboard or redirectUri', answer);
  }),
  tags.required('counts the dashboards of each tag', async fixtures => {
    const tag = `${fixtures.prefix} tag`;
    await dashboard(fixtures, 'tagged', { tags: [tag] });
    await dashboard(fixtures, 'tagged too', { tags: [tag] });
    const found = await fixtures.eventually(async () =>
      (await fixtures.api.Dashboards.tags({})).find(each => each.term === tag),
    );
    expectSame('count', expectThere(found, `the tag ${tag}`, 'a list without it').count, 2);
  }),
  search.required('finds dashboards by a part of their title, in any case', async fixtures => {
    const { uid, model } = await dashboard(fixtures, 'sought');
    const query = model.title.toUpperCase().slice(2);
    const hit = await fixtures.eventually(async () =>
      (await fixtures.api.Search.find({ query, type: 'dash-db' })).find(each => each.uid === uid),
    );
    expectSame('title', expectThere(hit, `the dashboard ${uid}`, 'a list without it').title, model.title);
  }),
];

const shortUrls = 'docs/short-url-api.md';
const create = checksOf('ShortUrls.create', shortUrls);
const goto = checksOf('ShortUrls.goto', shortUrls);

/** Short addresses. The API has no way to delete one. */
export const shortUrlChecks: readonly Check[] = [
  create.required('shortens a path', async fixtures => {
    const { uid, url } = await fixtures.api.ShortUrls.create({ path: 'd/conformance?from=now-1h&to=now' });
    fixtures.leavesBehind('short links', uid);
    expectThat(uid !== '' && url.includes(`/goto/${uid}`), 'a url with /goto/ and the uid', { uid, url });
  }),
  create.required(
    'refuses a path that begins with a slash or climbs',
    async fixtures => {
      await expectRefusal(fixtures.api.ShortUrls.create({ path: '/d/absolute' }), 'invalid_argument', /relative/);
      await expectRefusal(fixtures.api.ShortUrls.create({ path: 'd/../../etc' }), 'invalid_argument');
    },
    'docs/api-rules.md B (R)',
  ),
  create.required('refuses a request without a path', async fixtures => {
    const reply = await fixtures.raw.post('', {}, { path: '/api/short-urls' });
    expectSame('status', reply.status, 400);
  }),
  goto.required(
    'leads to the path',
    async fixtures => {
      const path = `d/conformance?var-run=${encodeURIComponent(fixtures.prefix)}`;
      const { uid } = await fixtures.api.ShortUrls.create({ path });
      fixtures.leavesBehind('short links', uid);
      const { location } = await fixtures.api.ShortUrls.goto({ uid });
      expectThat(location.endsWith(path), `an address that ends in ${path}`, location);
    },
    'docs/api-rules.md B (R)',
  ),
  goto.ours('answers 404 for one that does not exist', 'B', fixtures =>
    expectRefusal(fixtures.api.ShortUrls.goto({ uid: 'nosuchshorturl' }), 'not_found'),
  ),
];
