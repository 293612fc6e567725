import type { Context as Exchange, Hono } from 'hono';
import { html } from 'hono/html';
import type { CallGate } from '../call/admit.ts';
import type { ServiceOptions } from '../call/options.ts';
import type { AdmittedReader } from '../call/readers.ts';
import { inward, toHtml } from './document.ts';
import type { Html } from './escape.ts';
import { bareHeaders, toHtmlResponse } from './responses.ts';

/*
 * The door to the pages with PAGES=slack. Every refusal is the same page: it says how to get in, and nothing of what was asked for.
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
    const reader = await door.read(c.req.header('cookie'));
    const found = isOwn(c) ? await door.takeKey(c.req.param('key'), reader) : undefined;
    const person = found && (await gate.readers()?.find(found.userId));
    if (!found || !person || person === 'away') {
      log.info(found ? { user: found.userId } : {}, 'pages: a link was refused');
      return doorPage(options);
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

/** The page for a person without a valid cookie. */
export function doorPage(options: ServiceOptions): Promise<Response> {
  return doorAnswer(options, 401, 'Open this page from Slack', [
    html`<p>It is for the people of the team, so Slack has to say who you are. ${wayIn(options)}</p>`,
    html`<p>A link of your own opens once, within ten minutes.</p>`,
  ]);
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

async function doorAnswer(options: ServiceOptions, status: number, title: string, words: readonly Html[]) {
  const body = html`<div class="empty"><h1>${title}</h1>${words}</div>`;
  const answer = toHtmlResponse(await toHtml(options, { title, section: 'door', body }), status);
  answer.headers.set('cache-control', 'no-store');
  return answer;
}
