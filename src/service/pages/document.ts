import { html } from 'hono/html';
import type { ServiceOptions } from '../call/options.ts';
import type { AdmittedReader } from '../call/readers.ts';
import { subPath } from '../dashboards/address.ts';
import { type Html, toOneLine } from './escape.ts';
import { type Filters, toAddressQuery } from './filters.ts';
import { timeTag } from './moments.ts';
import { assetPaths } from './style.ts';

/** The part of the service that a page belongs to, as the bar at its top shows. The bar of the door leads to no page behind it. */
type Section = 'incidents' | 'figures' | 'dashboards' | 'reference' | 'none' | 'door';

/** The content of a page. */
export interface PageContent {
  readonly title: string;
  readonly section: Section;
  /** The filters of a list or of figures, which the bar keeps from one to the other. */
  readonly filters?: Filters;
  readonly body: Html;
  /** The browser asks for the page again every half minute. */
  readonly isFollowed?: boolean;
  /** What the foot on paper says: the path of the page within its host, and the time that it shows. */
  readonly printed?: { readonly path: string; readonly at: Date };
}

/** An address within the service: `/incidents` below the service's own path. */
export function inward(options: ServiceOptions, path: string): string {
  return `${subPath(options)}${path}`;
}

/** The whole HTML document of a page, for the person who reads it with a cookie: `unnamed` while Slack does not say who that is. */
export async function toHtml(
  options: ServiceOptions,
  { title, section, filters, body, isFollowed, printed }: PageContent,
  signedIn?: AdmittedReader | 'unnamed',
): Promise<string> {
  const link = (part: Section, path: string, words: string) =>
    html`<a href="${inward(options, path)}" ${part === section ? html`aria-current="page"` : ''}>${words}</a>`;
  const pages = options.pages !== 'off' && section !== 'door';
  const reader = signedIn === 'unnamed' ? undefined : signedIn;
  const name = reader?.name || 'Somebody of the team';
  const out = html`<form class="out" action="${inward(options, '/sign-out')}" method="post"><bdi>${toOneLine(name, 60)}</bdi><button type="submit">Sign out</button></form>`;
  const kept = filters ? toAddressQuery(filters) : '';
  const text = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${toOneLine(title, 120)} – Muster</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${isFollowed ? html`<meta http-equiv="refresh" content="30">` : ''}
<link rel="icon" type="image/svg+xml" href="${inward(options, assetPaths.icon)}">
<link rel="stylesheet" href="${inward(options, assetPaths.style)}">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><nav aria-label="Pages">
<a class="brand" href="${inward(options, pages ? '/incidents' : '/reference')}"><img src="${inward(options, assetPaths.icon)}" alt="" width="22" height="22">Muster</a>
<span class="links">${pages ? [link('incidents', `/incidents${kept}`, 'Incidents'), link('figures', `/incidents/figures${kept}`, 'Figures'), reader?.seesDashboards === false ? '' : link('dashboards', '/dashboards', 'Dashboards')] : ''}${link('reference', '/reference', 'API')}</span>${signedIn ? out : ''}
</nav></header>
<main id="content">
${filters && reader?.leftOut ? leftOut(reader) : ''}
${body}
${printed ? html`<p class="foot"><span dir="ltr">${new URL(printed.path, options.rootUrl).href}</span> as of ${timeTag(printed.at)}</p>` : ''}
</main>
</body>
</html>
`;
  return String(text);
}

/** Says on a list that it is not whole. */
function leftOut({ leftOut: rooms }: AdmittedReader): Html {
  const whose =
    rooms === 1 ? 'one of your rooms, so its incident is' : `${rooms} of your rooms, so their incidents are`;
  return html`<p class="warn" role="status">Slack does not say in time who is in ${whose} left out here. Load the page again in a minute.</p>`;
}
