import { html } from 'hono/html';
import type { Html } from './escape.ts';

/** Shows a picture in the reader's colours and at the width of their screen. `path` may already have a query. */
export function picture(path: string, alt: string): Html {
  const of = (query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;
  const narrow = '(max-width: 40rem)';
  const dark = '(prefers-color-scheme: dark)';
  return html`<picture>
<source media="screen and ${dark} and ${narrow}" srcset="${of('theme=dark&size=narrow')}">
<source media="screen and ${dark}" srcset="${of('theme=dark')}">
<source media="screen and ${narrow}" srcset="${of('size=narrow')}">
<img src="${of('theme=light')}" alt="${alt}">
</picture>`;
}
