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

const entry = '/page/main.ts';

/** The workspace before its scripts run. */
export async function writeShell(assets: Assets): Promise<string> {
  const styles = (await assets.styles()).map(path => html`<link rel="stylesheet" href="${path}">`);
  const scripts = (await assets.scripts(entry)).map(path => html`<link rel="modulepreload" href="${path}">`);
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Muster playground</title>
<link rel="icon" href="data:,">
${styles}
<script type="importmap">${raw(importMap)}</script>
${scripts}
<script type="module" src="${entry}"></script>
</head>
<body><div id="page"><p class="waiting" role="status">Opening the workspace…</p></div>
<noscript>The playground needs JavaScript.</noscript></body>
</html>
`;
  return page.toString();
}
