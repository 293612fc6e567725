import { type Check, checksOf, expectRefusal, expectSame, expectThat } from './check.ts';

const documents = 'docs/short-url-api.md';
const create = checksOf('ShortUrls.create', documents);
const goto = checksOf('ShortUrls.goto', documents);

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
