import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import type { Person } from '../fake-slack/fake-slack.ts';
import { actBody } from './act-schema.ts';
import { perform, type Stage } from './acts.ts';
import type { Looking } from './app-face.ts';
import { Assets } from './assets.ts';
import type { Backstage } from './backstage.ts';
import { tellEvents } from './events.ts';
import { listMessages, listPins, openChannel } from './looking.ts';
import { Refusal } from './refusal.ts';
import { toPolicy, writeShell } from './shell.ts';

/** Bytes of an act: a file with a few megabytes. */
const mostBytes = 5_000_000;

/** Everything that the playground answers over HTTP (PLAY in protocol.ts). `mark` tells it from any other program. */
export function createApp(stage: Stage, mark = ''): Hono {
  const { slack, reads, feeds, backstage } = stage;
  const app = new Hono();
  const assets = new Assets();
  // The first page that is opened finds every script without its types.
  void writeShell(assets);

  /** The person of that id or name; the first of all people when the page names nobody. */
  const find = (name = ''): Person | undefined =>
    slack.people.find(each => name === '' || each.id === name || each.name === name);
  const who = (name?: string): Person => {
    const person = find(name);
    if (person === undefined) throw new HTTPException(404, { message: `There is nobody called “${name}”.` });
    return person;
  };
  const looking = (c: Context): Looking => ({ slack, reads, person: who(c.req.query('as')) });

  // It is served without TLS, on this machine alone.
  app.use(secureHeaders({ strictTransportSecurity: false }));
  app.use(async (c, next) => {
    const refusal = whyRefused(c.req.raw);
    return refusal === undefined ? next() : c.text(refusal, 403);
  });

  app.get('/mark', c => c.text(mark));
  // An address that names nobody is that of the first person: the engineer on call.
  app.get('/', async (c, next) => {
    const query = c.req.query();
    const first = slack.people.find(each => !each.record.isBot);
    if (query.as !== undefined || query.beside !== undefined || first === undefined) return next();
    return c.redirect(`/?${new URLSearchParams({ ...query, as: first.name })}`);
  });
  app.get('/', async c => {
    c.header('content-security-policy', toPolicy(pagesUrlOf(backstage)));
    c.header('cache-control', 'no-cache');
    return c.html(await writeShell(assets));
  });
  app.get('/events', c => {
    const [first, ...others] = c.req.queries('as') ?? [];
    // One window that names nobody must not take the stream of the others away.
    return tellEvents(c, feeds, others.length === 0 ? [who(first)] : [first, ...others].map(find));
  });
  app.post('/acts', bodyLimit({ maxSize: mostBytes }), async c => {
    const parsed = actBody.safeParse(await c.req.json().catch(() => undefined));
    if (!parsed.success) return c.json({ problem: 'The page sent something that is no act.' }, 400);
    return c.json(await perform(stage, who(parsed.data.as), parsed.data.act));
  });
  app.get('/messages', c => {
    const { channel = '', ...query } = c.req.query();
    return c.json(listMessages(looking(c), { channel, ...query }));
  });
  app.get('/pins', c => c.json(listPins(looking(c), c.req.query('channel') ?? '')));
  app.get('/files/:id', c => {
    const { person } = looking(c);
    const file = slack.file(c.req.param('id'));
    if (file === undefined) return c.text('There is no such file.', 404);
    openChannel(slack, person, file.channelId);
    // A file is a text of somebody: it is saved or shown as it is, and runs nothing.
    const type = /^(text\/plain|image\/(png|jpeg|gif))$/.test(file.mimetype) ? file.mimetype : 'text/plain';
    c.header('content-disposition', `inline; filename*=UTF-8''${encodeURIComponent(file.name)}`);
    c.header('content-security-policy', "default-src 'none'; sandbox");
    return c.body(file.content, 200, { 'content-type': `${type}; charset=utf-8` });
  });
  app.get('*', async c => {
    const asset = await assets.find(c.req.path);
    if (asset === undefined) return c.text('Not found', 404);
    c.header('cache-control', 'no-cache');
    c.header('etag', asset.etag);
    if (c.req.header('if-none-match')?.includes(asset.etag)) return c.body(null, 304);
    return c.body(asset.body, 200, { 'content-type': asset.type });
  });
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof Refusal) return c.json({ problem: error.message }, 404);
    return c.json({ problem: `The playground has a bug: ${error.message}` }, 500);
  });
  return app;
}

function pagesUrlOf(backstage: Backstage): string {
  let url = '';
  backstage.follow(told => {
    if (told.kind === 'system') url = told.system.pagesUrl;
  })();
  return url;
}

/** Names of this machine in an address. */
const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Says why a request is refused; undefined when it may pass. Only this machine's pages may ask: a foreign name for it (DNS
 * rebinding) and another site's script or form are refused.
 */
function whyRefused(request: Request): string | undefined {
  const host = request.headers.get('host') ?? '';
  if (!local.test(host)) return 'The playground answers under localhost only.';
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== `http://${host}`) return 'Another site may not use the playground.';
  const site = request.headers.get('sec-fetch-site') ?? 'none';
  const isNavigation = request.headers.get('sec-fetch-mode') === 'navigate' && request.method === 'GET';
  if (site !== 'same-origin' && site !== 'none' && !isNavigation) return 'Another site may not use the playground.';
  return undefined;
}
