import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '../..');

const importMap = JSON.stringify({
  imports: {
    preact: '/modules/preact/dist/preact.mjs',
    'preact/hooks': '/modules/preact/hooks/dist/hooks.mjs',
    htm: '/modules/htm/dist/htm.mjs',
    'htm/preact': '/modules/htm/preact/index.mjs',
    gemoji: '/modules/gemoji/index.js',
  },
});

const hash = createHash('sha256').update(importMap).digest('base64');
const policy = `default-src 'none'; script-src 'self' 'sha256-${hash}'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'`;

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Gallery</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="/page/icon.svg">
<link rel="stylesheet" href="/page/blocks/blocks.css"><link rel="stylesheet" href="/page/gallery/gallery.css">
<script type="importmap">${importMap}</script><script type="module" src="/page/gallery/gallery.ts"></script>
</head><body><div id="gallery"></div></body></html>`;

/** The folders whose files are served, by the beginning of their address. */
const folders: readonly (readonly [address: string, folder: string])[] = [
  ['/page/', 'src/playground/page/'],
  ['/fake-slack/', 'src/fake-slack/'],
  ['/modules/', 'node_modules/'],
];

const types: Readonly<Record<string, string>> = { '.css': 'text/css', '.svg': 'image/svg+xml' };

/** Serves the gallery of blocks under the page's own content security policy. */
export async function serveGallery(): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    answer(new URL(request.url ?? '/', 'http://localhost').pathname, response).catch(() => {
      response.writeHead(404).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

async function answer(path: string, response: ServerResponse): Promise<void> {
  const write = (type: string, body: string): void => {
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(body);
  };
  if (path === '/') return write('text/html', page);
  if (path === '/page/icon.svg') return write('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const [address = '', folder = ''] = folders.find(([each]) => path.startsWith(each)) ?? [];
  if (address === '') throw new Error(`no file at ${path}`);
  const text = await readFile(join(root, folder, normalize(path.slice(address.length))), 'utf8');
  const extension = extname(path);
  write(types[extension] ?? 'text/javascript', extension === '.ts' ? stripTypeScriptTypes(text) : text);
}
