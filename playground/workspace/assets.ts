import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file for the browser. */
export interface Asset {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
}

/** The folder whose files a browser may get, in part. Addresses are paths in it. */
const root = new URL('../', import.meta.url);
const page = 'page';
/** The page's own files, and those of others that they import. */
const open = /^(page\/|fake-slack\/(protocol|block-kit|render)\/|workspace\/protocol\.ts$)/;
const wellFormed = /^[a-z0-9-]+(\/[a-z0-9-]+)*\.(ts|css|svg)$/;
const types: Readonly<Record<string, string>> = {
  ts: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The packages that scripts of the page may import. */
const packages = ['preact', 'preact/hooks', 'htm', 'htm/preact', 'gemoji'];

/** Where the browser finds the packages. */
export const importMap = JSON.stringify({
  imports: Object.fromEntries(packages.map(name => [name, `/modules/${name}.js`])),
});

/** Scripts and styles as a browser takes them: TypeScript without its types. A file is read again when it changed. */
export class Assets {
  readonly #made = new Map<string, { readonly changed: number; readonly asset: Asset }>();

  /** The file at an address; undefined when there is none for browsers. */
  async find(path: string): Promise<Asset | undefined> {
    const name = path.slice(1);
    const module = /^modules\/(.+)\.js$/.exec(name)?.[1];
    if (module !== undefined) {
      return packages.includes(module) ? this.#read(fileURLToPath(import.meta.resolve(module)), 'ts') : undefined;
    }
    const kind = wellFormed.exec(name)?.[2];
    if (kind === undefined || !open.test(name)) return undefined;
    return this.#read(fileURLToPath(new URL(name, root)), kind);
  }

  /** The addresses of the page's style sheets: its own first, then those of its parts. */
  async styles(): Promise<readonly string[]> {
    const files = await readdir(new URL(page, root), { recursive: true });
    const rank = (name: string): string => `${name.startsWith('style/') ? 0 : 1}${name}`;
    return files
      .map(file => file.replaceAll('\\', '/'))
      .filter(file => file.endsWith('.css'))
      .sort((one, other) => (rank(one) < rank(other) ? -1 : 1))
      .map(file => `/${page}/${file}`);
  }

  /** The addresses of a page's first script and of all that it imports. */
  async scripts(entry: string): Promise<readonly string[]> {
    const found = new Set([entry]);
    for (const path of found) {
      const { body = '' } = (await this.find(path)) ?? {};
      for (const [, to = ''] of body.matchAll(/(?:from|import)\s*'([^']+)'/g)) {
        if (to.startsWith('.')) found.add(posix.join(posix.dirname(path), to));
        else if (packages.includes(to)) found.add(`/modules/${to}.js`);
      }
    }
    return [...found];
  }

  async #read(file: string, kind: string): Promise<Asset | undefined> {
    const facts = await stat(file).catch(() => undefined);
    if (!facts?.isFile()) return undefined;
    const made = this.#made.get(file);
    if (made?.changed === facts.mtimeMs) return made.asset;
    const source = await readFile(file, 'utf8');
    const body = file.endsWith('.ts') ? stripTypeScriptTypes(source) : source;
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const asset = { type: types[kind] ?? '', body, etag };
    this.#made.set(file, { changed: facts.mtimeMs, asset });
    return asset;
  }
}
