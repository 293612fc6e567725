import { createHash } from 'node:crypto';
import { html } from 'hono/html';
import { raw } from 'hono/utils/html';
import { type Assets, importMap } from './assets.ts';

const mapHash = createHash('sha256').update(importMap).digest('base64');

/** What the page may load, run and frame: its own files, and pictures and pages of the incident service. */
export function toPolicy(pagesUrl: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${mapHash}'`,
    "style-src 'self'",
    `img-src 'self' data: ${pagesUrl}`.trim(),
    "connect-src 'self'",
    `frame-src 'self' ${pagesUrl}`.trim(),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

/** A page: what its first script is, what it fills, and styles beside those that all pages have. */
export interface Document {
  readonly title: string;
  readonly entry: string;
  readonly root: string;
  /** What stands there until the scripts have come. */
  readonly waiting: string;
  readonly styles: readonly string[];
}

/** The workspace. */
export const workspacePage: Document = {
  title: 'Muster playground',
  entry: '/playground/page/main.ts',
  root: 'page',
  waiting: 'Opening the workspace…',
  styles: [],
};

/** Every block and element, for those who work on them. */
export const galleryPage: Document = {
  title: 'Blocks and elements',
  entry: '/playground/page/gallery/gallery.ts',
  root: 'gallery',
  waiting: 'Opening the gallery…',
  styles: ['/playground/page/gallery/gallery.css'],
};

/** A page before its scripts run. */
export async function writeShell(
  assets: Assets,
  { title, entry, root, waiting, styles: more }: Document,
): Promise<string> {
  const styles = [...(await assets.styles()), ...more].map(path => html`<link rel="stylesheet" href="${path}">`);
  const scripts = (await assets.scripts(entry)).map(path => html`<link rel="modulepreload" href="${path}">`);
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
${styles}
<script type="importmap">${raw(importMap)}</script>
${scripts}
<script type="module" src="${entry}"></script>
</head>
<body><div id="${root}"><p class="waiting" role="status">${waiting}</p></div>
<noscript>The playground needs JavaScript.</noscript></body>
</html>
`;
  return page.toString();
}
