import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Context as Exchange, Hono } from 'hono';
import { compress } from 'hono/compress';
import { pluginIDs } from '../../contract/contract.ts';
import { RpcError } from '../../contract/errors.ts';
import { acceptsGzip } from '../call/accept-encoding.ts';
import type { CallGate } from '../call/admit.ts';
import { type Context, defaultPluginID } from '../call/context.ts';
import { notFound, toRpcError } from '../call/errors.ts';
import type { ServiceOptions } from '../call/options.ts';
import { type AdmittedReader, slackAway } from '../call/readers.ts';
import { subPath } from '../dashboards/address.ts';
import { getModel } from '../dashboards/read.ts';
import { openRecords } from '../dashboards/records.ts';
import { findIncident } from '../incidents/find.ts';
import { takeTurn } from '../incidents/in-pieces.ts';
import { inward, type PageContent } from './document.ts';
import { errorPage, mountDoor, toOwnAnswer } from './door.ts';
import {
  knowsTag,
  toAssetResponse,
  toCsvResponse,
  toHtmlResponse,
  toJsonResponse,
  toRedirect,
  toUnchangedResponse,
} from './responses.ts';

/** What a page shows. `tag` is that of {@link toUnchangedResponse}. */
interface PageAnswer {
  readonly page: PageContent;
  readonly status?: number;
  readonly tag?: string;
}

/** Answers a request for a page, by the parameters of its path and query. */
type PageHandler = (context: Context, exchange: Exchange, gate: CallGate) => Promise<PageAnswer | Response>;

/** The pages for readers, by their paths. */
const pages: Readonly<Record<string, PageHandler>> = {
  '/incidents': async (context, c) => (await import('./incidents.ts')).incidentsPage(context, toQuery(c)),
  '/incidents/figures': async (context, c) => (await import('./figures-page.ts')).figuresPage(context, toQuery(c)),
  '/incidents.csv': async (context, c) => {
    // A file cannot say that incidents are left out.
    if (context.caller.reader?.leftOut) throw slackAway();
    const { incidentsCsv } = await import('./incidents-csv.ts');
    return toCsvResponse(await incidentsCsv(context, toQuery(c)), 'incidents.csv');
  },
  '/a/:plugin/incidents/:id/:slug?': async (context, c, gate) => {
    const { incidentPage } = await import('./incident.ts');
    const id = c.req.param('id') ?? '';
    const { tag, read } = await incidentPage(context, id, toQuery(c), await gate.readers()?.channelOf(id));
    return knowsTag(c.req.raw, tag) ? toUnchangedResponse(tag) : { page: await read(), tag };
  },
  '/dashboards': async (context, c) => ({
    page: await (await import('./dashboards.ts')).dashboardsPage(context, toQuery(c)),
  }),
  '/d/:uid/:slug?': async (context, c) => ({
    page: await (await import('./dashboard.ts')).dashboardPage(context, c.req.param('uid') ?? '', toQuery(c)),
  }),
  '/dashboards/f/:uid/:slug?': async (context, c) => ({
    page: await (await import('./folder.ts')).folderPage(context, c.req.param('uid') ?? ''),
  }),
  '/d/:uid/:slug/model.json': async (context, c) =>
    toJsonResponse(await getModel(context, c.req.param('uid') ?? '', toQuery(c).get('version') ?? '')),
};

/**
 * Serves the pages that links from Slack lead to, for all readers, if the options say so. The reference of the API, which shows no stored
 * data, is always served. The first page loads the code of the pages.
 */
export function mountPages(app: Hono, gate: CallGate): void {
  const packed = compress({ encoding: 'gzip' });
  const get = (path: string, answer: PageHandler, how: PageAccess) =>
    app.get(path, packed, c => answerPage(gate, c, answer, how));
  const fixed = (path: string, make: () => Promise<PageAnswer | Response>) => {
    const made = createFixedPage(async () => await toResponse(gate.options, await make()));
    app.get(path, c => answerPage(gate, c, () => made(c.req.raw), { access: 'anyone' }));
  };
  fixed('/openapi.json', async () => toJsonResponse((await import('../../contract/openapi.ts')).toOpenApi()));
  fixed('/reference', async () => ({ page: (await import('./reference.ts')).referencePage(gate.options) }));
  // Browsers and other programs ask for the icon unasked, on every page.
  for (const path of ['/pages/:file', '/favicon.ico']) get(path, asset, { access: 'anyone' });
  if (gate.options.pages === 'off') return;
  if (gate.options.pages === 'slack') mountDoor(app, gate);
  const list = `${subPath(gate.options)}/incidents`;
  // People cut addresses short by hand.
  for (const path of ['/', '/a', '/a/:plugin', '/a/:plugin/incidents']) app.get(path, () => toRedirect(list));
  for (const rest of ['', '/*']) {
    app.get(`/incidents/:id{[1-9][0-9]*}${rest}`, c =>
      toRedirect(`${subPath(gate.options)}/a/${defaultPluginID}/incidents/${c.req.param('id')}`),
    );
  }
  /** Of pages of HTML, which are the same for all who read them without a name. A file may stream, so each reader has their own. */
  const shared: PageAccess = { pages: new Map() };
  for (const [path, answer] of Object.entries(pages)) get(path, answer, /\.\w+$/.test(path) ? {} : shared);
}

async function toResponse(
  options: ServiceOptions,
  shown: PageAnswer | Response,
  reader?: AdmittedReader,
): Promise<Response> {
  if (shown instanceof Response) return shown;
  const { toHtml } = await import('./document.ts');
  const response = toHtmlResponse(await toHtml(options, shown.page, reader), shown.status);
  if (shown.tag !== undefined) response.headers.set('etag', shown.tag);
  return response;
}

/** Who may read a page; and where it waits with others for its turn, by what is asked for. Absent: readers, and by itself. */
interface PageAccess {
  readonly access?: 'reader' | 'anyone';
  readonly pages?: Map<string, Promise<Response>>;
}

/**
 * Answers all requests for one page that wait at the same time with one answer: during an outage all open the same list. `make` calls its
 * argument before it reads anything, so that no page is older than its request.
 */
async function together(
  pages: NonNullable<PageAccess['pages']>,
  { req }: Exchange,
  make: (begin: () => void) => Promise<Response>,
): Promise<Response> {
  const key = `${req.url} ${req.header('if-none-match') ?? ''}`;
  const begin = () => void pages.delete(key);
  let page = pages.get(key);
  if (!page) {
    page = make(begin);
    pages.set(key, page);
    // A request that was broken off before its turn begins nothing.
    page.catch(begin);
  }
  const answer = await page;
  // So many answers at once would hold up others.
  await takeTurn();
  return answer.clone();
}

/** A page that shows what is stored is for readers; what shows nothing of it is for `anyone`. */
async function answerPage(
  gate: CallGate,
  c: Exchange,
  answer: PageHandler,
  { access = 'reader', pages }: PageAccess = {},
): Promise<Response> {
  let reader: AdmittedReader | undefined;
  try {
    // Links of the page have the requested plugin id, if it is one of ours.
    const pluginID = pluginIDs.find(each => each === c.req.param('plugin')) ?? defaultPluginID;
    const origin = { ...gate.originOf(c.req.raw), pluginID };
    const admitted = await gate.admit(origin, { access, effect: 'read', isSearch: true });
    ({ reader } = admitted.caller);
    const make = (begin = () => {}) =>
      admitted.run(async context => {
        await takeTurn();
        begin();
        const shown = (await findRightAddress(context, gate, c)) ?? (await answer(context, c, gate));
        await takeTurn();
        return await toResponse(gate.options, shown, reader);
      });
    if (reader) return await toOwnAnswer(gate, reader, await make());
    return pages ? await together(pages, c, make) : await make();
  } catch (error) {
    return await errorPage(gate.options, c.req.raw, toRpcError(error, gate.log), reader);
  }
}

function toQuery(c: Exchange): URLSearchParams {
  return new URL(c.req.url).searchParams;
}

const asset: PageHandler = async (_context, c) => {
  const { assetPaths, icon, style } = await import('./style.ts');
  if (c.req.path === assetPaths.style) return toAssetResponse(style, 'text/css');
  if ([assetPaths.icon, '/favicon.ico'].includes(c.req.path)) return toAssetResponse(icon, 'image/svg+xml');
  return c.notFound();
};

/** Why a guest reads no dashboard, the same for one that there is and one that there is not. */
const forMembers =
  'You are a guest in this workspace. The page of an incident names the dashboards that were linked to it; ask a full member to show you one.';

/**
 * The redirect to a page whose name in the address is not its own; undefined where it is right. Throws `not_found` for what the
 * reader may not see: who is in the room of an incident is asked each time. Throws `permission_denied` for dashboards that a guest asks for.
 */
async function findRightAddress(context: Context, gate: CallGate, c: Exchange): Promise<Response | undefined> {
  const { id, uid, slug } = c.req.param() as Readonly<Partial<Record<'id' | 'uid' | 'slug', string>>>;
  const { reader } = context.caller;
  const isOfDashboards = /^\/(d|dashboards)(\/|$)/.test(c.req.path);
  if (isOfDashboards && reader?.seesDashboards === false) throw new RpcError('permission_denied', forMembers);
  const dashboards = openRecords(context.db).selectFrom('dashboard').select('slug').where('deleted_at', 'is', null);
  const named = uid !== undefined && c.req.path.startsWith('/d/') ? dashboards.where('uid', '=', uid) : undefined;
  const right = id === undefined ? (await named?.executeTakeFirst())?.slug : await incidentSlug(context, gate, id);
  const isNamed = slug !== undefined && !c.req.path.endsWith('/model.json');
  if (!isNamed || right === undefined || slug === right) return undefined;
  const { search } = new URL(c.req.url);
  const path = c.req.path.split('/');
  return toRedirect(inward(context.options, `${path.with(path[1] === 'd' ? 3 : 5, right).join('/')}${search}`));
}

async function incidentSlug(context: Context, gate: CallGate, id: string): Promise<string> {
  const { reader } = context.caller;
  try {
    const { slug, is_private } = await findIncident(context, id);
    if (!reader) return slug;
    const incident = { incidentID: id, isPrivate: is_private === 1 };
    const isSeen = await (gate.readers()?.confirms(reader.badge.userId, incident) ?? 'away');
    if (isSeen === 'away') throw slackAway();
    if (isSeen) return slug;
    throw notFound('incident', id);
  } catch (error) {
    const isHidden = reader && error instanceof RpcError && error.code === 'not_found';
    if (isHidden) gate.readers()?.lookAgain(reader.badge.userId, id);
    // A reader who may not see it cannot tell whether there is such an incident.
    throw isHidden && reader.leftOut > 0 ? slackAway() : error;
  }
}

const zip = promisify(gzip);

/**
 * Keeps what `make` answers while the process runs. It is made once, for the first request, and again if that failed. It is zipped where the
 * client takes that, and 304 where it has it already (RFC 9110, 13.1.2).
 */
export function createFixedPage(make: () => Promise<Response>) {
  let made: ReturnType<typeof keep> | undefined;
  const keep = async () => {
    const response = await make();
    const plain = Buffer.from(await response.arrayBuffer());
    const tag = `W/"${hash('sha256', plain, 'base64url').slice(0, 22)}"`;
    const headers = [...response.headers, ['etag', tag], ['vary', 'Accept-Encoding']] as [string, string][];
    return { tag, headers, plain, zipped: await zip(plain, { level: constants.Z_BEST_COMPRESSION }) };
  };
  return async (request: Request) => {
    made ??= keep().catch(error => {
      made = undefined;
      throw error;
    });
    const { tag, headers, plain, zipped } = await made;
    if (knowsTag(request, tag)) return new Response(null, { status: 304, headers });
    if (!acceptsGzip(request.headers.get('accept-encoding'))) return new Response(plain, { headers });
    return new Response(zipped, { headers: [...headers, ['content-encoding', 'gzip']] });
  };
}
