import { type Check, checksOf, holds, refused, same } from './check.ts';

const documents = 'docs/short-url-api.md';
const create = checksOf('ShortUrls.create', documents);
const goto = checksOf('ShortUrls.goto', documents);

/** Short addresses. The API has no way to delete one. */
export const shortUrlChecks: readonly Check[] = [
  create.required('shortens a path', async desk => {
    const { uid, url } = await desk.api.ShortUrls.create({ path: 'd/conformance?from=now-1h&to=now' });
    desk.stays('short links', uid);
    holds(uid !== '' && url.includes(`/goto/${uid}`), 'a url with /goto/ and the uid', { uid, url });
  }),
  create.required(
    'refuses a path that begins with a slash or climbs',
    async desk => {
      await refused(desk.api.ShortUrls.create({ path: '/d/absolute' }), 'invalid_argument', /relative/);
      await refused(desk.api.ShortUrls.create({ path: 'd/../../etc' }), 'invalid_argument');
    },
    'docs/api-rules.md B (R)',
  ),
  create.required('refuses a request without a path', async desk => {
    const reply = await desk.wire.post('', {}, { path: '/api/short-urls' });
    same('status', reply.status, 400);
  }),
  goto.required(
    'leads to the path',
    async desk => {
      const path = `d/conformance?var-run=${encodeURIComponent(desk.prefix)}`;
      const { uid } = await desk.api.ShortUrls.create({ path });
      desk.stays('short links', uid);
      const { location } = await desk.api.ShortUrls.goto({ uid });
      holds(location.endsWith(path), `an address that ends in ${path}`, location);
    },
    'docs/api-rules.md B (R)',
  ),
  goto.ours('answers 404 for one that there is not', 'B', desk =>
    refused(desk.api.ShortUrls.goto({ uid: 'nosuchshorturl' }), 'not_found'),
  ),
];
