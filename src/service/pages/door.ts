import type { Context as Exchange, Hono } from 'hono';
import { html } from 'hono/html';
import { errorCodes, type RpcError } from '../../contract/errors.ts';
import type { CallGate } from '../call/admit.ts';
import type { ServiceOptions } from '../call/options.ts';
import { type AdmittedReader, awayReason, doorReason } from '../call/readers.ts';
import { inward, toHtml } from './document.ts';
import { type Html, toOneLine } from './escape.ts';
import { bareHeaders, toHtmlResponse } from './responses.ts';

/*
 * The door to the pages with PAGES=slack. Every refusal of a page is the same: it says how to get in, and nothing of what was asked for.
 */

/** Mounts the door: links of people's own lead in, and a button leads out. */
export function mountDoor(app: Hono, gate: CallGate): void {
  const { options, door, log } = gate;
  // Slack, scanners and browsers open links before people do: looking uses nothing up, and shows the same for every key.
  app.get('/door/:key', () =>
    doorAnswer(options, 200, 'Open the pages', [
      html`<p>This link opens the incidents that you may see, in this browser, for 30 days. It works once.</p>`,
      html`<form method="post"><button type="submit">Open</button></form>`,
    ]),
  );
  app.post('/door/:key', async c => {
    const key = c.req.param('key');
    const find = async (userId: string) => await (gate.readers()?.find(userId) ?? 'away');
    const badge = await door.read(c.req.header('cookie'));
    // The cookie of a person who may read nothing any more keeps no link from opening.
    const signedIn = badge && (await find(badge.userId));
    if (signedIn === 'away') return slackAwayPage(options, 'unnamed');
    const userId = isOwn(c) ? await door.findOwner(key, signedIn && badge) : undefined;
    const person = userId === undefined ? undefined : (signedIn ?? (await find(userId)));
    if (person === 'away') return slackAwayPage(options);
    const found = person && (await door.takeKey(key));
    if (!found) {
      log.info(userId === undefined ? {} : { user: userId }, 'pages: a link was refused');
      return await refuseLink(options, badge && signedIn && { ...signedIn, badge });
    }
    log.info({ user: found.userId }, 'pages: a person was let in');
    const cookie = await door.signIn(found.userId);
    return new Response(null, {
      status: 303,
      headers: { ...bareHeaders, location: inward(options, found.path), 'set-cookie': cookie },
    });
  });
  app.post('/sign-out', async c => {
    if (!isOwn(c)) return doorPage(options);
    const answer = await doorAnswer(options, 200, 'You are signed out', [
      html`<p>This browser shows no incidents any more. ${wayIn(options)}</p>`,
    ]);
    answer.headers.set('set-cookie', await door.signOut(c.req.header('cookie')));
    return answer;
  });
}

/**
 * The page for a person whose address cannot be answered: what was asked, why it fails, and where to go on. With `doorReason` it tells
 * nothing of that.
 */
export async function errorPage(
  options: ServiceOptions,
  { url, method }: Request,
  error: RpcError,
  reader?: AdmittedReader,
): Promise<Response> {
  if (error.reason === doorReason) return await doorPage(options);
  const { explain, toApology } = await import('./error-words.ts');
  const { pathname } = new URL(url);
  const words = explain(options, { path: pathname, method }, error);
  const signedIn = reader ?? (error.reason === awayReason ? 'unnamed' : undefined);
  return toHtmlResponse(await toApology(options, pathname, words, signedIn), errorCodes[error.code].status);
}

/** The page for a person without a valid cookie. */
function doorPage(options: ServiceOptions): Promise<Response> {
  return doorAnswer(options, 401, 'Open this page from Slack', [
    html`<p>It is for the people of the team, so Slack has to say who you are. ${wayIn(options)}</p>`,
    html`<p>A link of your own opens once, within ten minutes.</p>`,
  ]);
}

/** Says why a link does not open, and how to go on: the same for every key, so that nobody learns of one. */
function refuseLink(options: ServiceOptions, signedIn: AdmittedReader | undefined): Promise<Response> {
  const why = 'It was opened before, or it is older than ten minutes';
  const words = signedIn
    ? [
        html`<p>${why}, or it is not a link of <bdi>${toOneLine(signedIn.name, 60)}</bdi>, who is signed in with this browser.</p>`,
        html`<p>If the link is yours, sign out here and open it again in Slack.</p>`,
        html`<form action="${inward(options, '/sign-out')}" method="post"><button type="submit">Sign out</button></form>`,
      ]
    : [
        html`<p>${why}. Or Slack no longer says that its person belongs to the team.</p>`,
        html`<p>Get a new one. ${wayIn(options)}</p>`,
      ];
  return doorAnswer(options, 401, 'This link does not open', words, signedIn);
}

/** The page for a person whose link must wait for Slack. */
function slackAwayPage(options: ServiceOptions, signedIn?: 'unnamed'): Promise<Response> {
  const words = [
    html`<p>So Muster cannot tell who you are. Your link is not used up: open it again in a minute.</p>`,
    html`<p>When it is older than ten minutes, get a new one. ${wayIn(options)}</p>`,
  ];
  return doorAnswer(options, 503, 'Slack does not answer', words, signedIn);
}

/** Gives a page that a person reads what is theirs: no other reader gets it from a cache, and their cookie goes on. */
export async function toOwnAnswer(gate: CallGate, { badge }: AdmittedReader, answer: Response): Promise<Response> {
  answer.headers.append('vary', 'Cookie');
  const renewed = await gate.door.renew(badge);
  if (renewed !== undefined) answer.headers.set('set-cookie', renewed);
  return answer;
}

/** A form of another site neither signs a person in nor out. */
function isOwn(c: Exchange): boolean {
  return [undefined, 'same-origin', 'none'].includes(c.req.header('sec-fetch-site'));
}

function wayIn({ pageCommand }: ServiceOptions): Html {
  return html`Type <code>${pageCommand}</code> in Slack, or press <b>Open page</b> on the card of an incident.`;
}

async function doorAnswer(
  options: ServiceOptions,
  status: number,
  title: string,
  words: readonly Html[],
  signedIn?: AdmittedReader | 'unnamed',
) {
  const body = html`<div class="empty"><h1>${title}</h1>${words}</div>`;
  const section = signedIn ? 'none' : 'door';
  const answer = toHtmlResponse(await toHtml(options, { title, section, body }, signedIn), status);
  answer.headers.set('cache-control', 'no-store');
  return answer;
}
