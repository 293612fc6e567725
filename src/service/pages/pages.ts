import type { Context as Exchange, Hono } from 'hono';
import { compress } from 'hono/compress';
import { pluginIDs } from '../../contract/contract.ts';
import type { CallGate } from '../call/admit.ts';
import { type Context, defaultPluginID } from '../call/context.ts';
import { toRpcError } from '../call/errors.ts';
import type { ServiceOptions } from '../call/options.ts';
import { doorReason, slackAway } from '../call/readers.ts';
import { subPath } from '../dashboards/address.ts';
import { findRightAddress } from './address.ts';
import { errorPage } from './dead-link.ts';
import type { PageContent } from './document.ts';
import { doorPage, mountDoor, toOwnAnswer } from './door.ts';
import { createFixedPage } from './fixed-page.ts';
import {
  toAssetResponse,
  toCsvResponse,
  toHtmlResponse,
  toJsonResponse,
  toRedirect,
  toUnchangedResponse,
} from './responses.ts';

/** Answers a request for a page, by the parameters of its path and query. */
type PageHandler = (context: Context, exchange: Exchange) => Promise<Response>;

/**
 * Serves the pages that links from Slack lead to, for everybody, if the options say so. The reference of the API, which shows
 * no stored data, is always served. The first page loads the code of the pages.
 */
export function mountPages(app: Hono, gate: CallGate): void {
  const packed = compress({ encoding: 'gzip' });
  const get = (path: string, answer: PageHandler) => app.get(path, packed, c => answerPage(gate, c, answer));
  const free = (path: string, answer: PageHandler) => app.get(path, packed, c => answerPage(gate, c, answer, 'anyone'));
  const fixed = (path: string, make: () => Promise<Response>) => {
    const page = createFixedPage(make);
    app.get(path, c => answerPage(gate, c, () => page.answer(c.req.raw), 'anyone'));
  };
  fixed('/openapi.json', openApi);
  fixed('/reference', () => reference(gate.options));
  free('/pages/:file', asset);
  // Browsers and other programs ask for it unasked, whatever the page says.
  free('/favicon.ico', asset);
  if (gate.options.pages === 'off') return;
  if (gate.options.pages === 'slack') mountDoor(app, gate);
  const list = `${subPath(gate.options)}/incidents`;
  app.get('/', () => toRedirect(list));
  get('/incidents', incidents);
  get('/incidents/figures', figures);
  get('/incidents.csv', incidentsFile);
  // Addresses that people cut short by hand.
  for (const path of ['/a', '/a/:plugin', '/a/:plugin/incidents']) app.get(path, () => toRedirect(list));
  for (const rest of ['', '/*']) {
    app.get(`/incidents/:id{[1-9][0-9]*}${rest}`, c =>
      toRedirect(`${subPath(gate.options)}/a/${defaultPluginID}/incidents/${c.req.param('id')}`),
    );
  }
  get('/a/:plugin/incidents/:id/:slug?', incident(gate));
  get('/dashboards', dashboards);
  get('/d/:uid/:slug?', dashboard);
  get('/dashboards/f/:uid/:slug?', folder);
  get('/d/:uid/:slug/model.json', dashboardModel);
}

/** A page that shows what is stored is for readers; what shows nothing of it is for `anyone`. */
async function answerPage(
  gate: CallGate,
  c: Exchange,
  answer: PageHandler,
  access: 'reader' | 'anyone' = 'reader',
): Promise<Response> {
  try {
    const origin = { ...gate.originOf(c.req.raw), pluginID: toPlugin(c.req.param('plugin')) };
    const admitted = await gate.admit(origin, { access, effect: 'read', isSearch: true });
    const { reader } = admitted.caller;
    const page = await admitted.run(
      async context => (await findRightAddress(context, gate, c)) ?? (await answer(context, c)),
    );
    return reader ? await toOwnAnswer(gate, reader, page) : page;
  } catch (error) {
    const refusal = toRpcError(error, gate.log);
    if (refusal.reason === doorReason) return await doorPage(gate.options);
    return await errorPage(gate.options, c.req.raw, refusal);
  }
}

/** The plugin id for the page's links: the requested one, if it is one of ours. */
function toPlugin(asked: string | undefined): string {
  return pluginIDs.find(each => each === asked) ?? defaultPluginID;
}

function toQuery(c: Exchange): URLSearchParams {
  return new URL(c.req.url).searchParams;
}

async function toShown({ options, caller }: Context, content: PageContent, status?: number): Promise<Response> {
  const { toHtml } = await import('./document.ts');
  return toHtmlResponse(await toHtml(options, content, caller.reader), status);
}

const incidents: PageHandler = async (context, c) => {
  const { incidentsPage } = await import('./incidents.ts');
  const { page, status } = await incidentsPage(context, toQuery(c));
  return await toShown(context, page, status);
};

const figures: PageHandler = async (context, c) => {
  const { figuresPage } = await import('./figures-page.ts');
  const { page, status } = await figuresPage(context, toQuery(c));
  return await toShown(context, page, status);
};

const incidentsFile: PageHandler = async (context, c) => {
  // A file cannot say that incidents are left out.
  if (context.caller.reader?.leftOut) throw slackAway();
  const { incidentsCsv } = await import('./incidents-csv.ts');
  return toCsvResponse(await incidentsCsv(context, toQuery(c)), 'incidents.csv');
};

const incident =
  (gate: CallGate): PageHandler =>
  async (context, c) => {
    const { incidentPage, incidentTag } = await import('./incident.ts');
    const id = c.req.param('id') ?? '';
    const room = await gate.readers()?.channelOf(id);
    const tag = await incidentTag(context, id, c.req.url, room);
    if (tag !== undefined && isKnown(c, tag)) return toUnchangedResponse(tag);
    const page = await toShown(context, await incidentPage(context, id, toQuery(c), room));
    if (tag !== undefined) page.headers.set('etag', tag);
    return page;
  };

/** Whether the browser has the page of a tag already. */
function isKnown(c: Exchange, tag: string): boolean {
  return (c.req.header('if-none-match') ?? '').split(/,\s*/).includes(tag);
}

const dashboard: PageHandler = async (context, c) => {
  const { dashboardPage } = await import('./dashboard.ts');
  return await toShown(context, await dashboardPage(context, c.req.param('uid') ?? '', toQuery(c)));
};

const dashboards: PageHandler = async (context, c) => {
  const { dashboardsPage } = await import('./dashboards.ts');
  return await toShown(context, await dashboardsPage(context, toQuery(c)));
};

const folder: PageHandler = async (context, c) => {
  const { folderPage } = await import('./folder.ts');
  return await toShown(context, await folderPage(context, c.req.param('uid') ?? ''));
};

const dashboardModel: PageHandler = async (context, c) => {
  const { readModel } = await import('./dashboard.ts');
  return toJsonResponse(await readModel(context, c.req.param('uid') ?? '', toQuery(c).get('version') ?? ''));
};

async function openApi(): Promise<Response> {
  const { toOpenApi } = await import('../../contract/openapi.ts');
  return toJsonResponse(toOpenApi());
}

async function reference(options: ServiceOptions): Promise<Response> {
  const [{ toHtml }, { referencePage }] = await Promise.all([import('./document.ts'), import('./reference.ts')]);
  return toHtmlResponse(await toHtml(options, referencePage(options)));
}

const asset: PageHandler = async (_context, c) => {
  const { assetPaths, icon, style } = await import('./style.ts');
  if (c.req.path === assetPaths.style) return toAssetResponse(style, 'text/css');
  if ([assetPaths.icon, '/favicon.ico'].includes(c.req.path)) return toAssetResponse(icon, 'image/svg+xml');
  return c.notFound();
};
