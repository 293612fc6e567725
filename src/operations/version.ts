import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Which Muster this is. */
interface Build {
  /** As package.json has it. Each landing raises it. */
  readonly version: string;
  /** The first eight digits of the commit; `""` where nothing tells it. */
  readonly commit: string;
}

/** A commit in SHA-1 or SHA-256. A person may shorten the one that an image is given. */
const hash = /^[0-9a-f]{7,64}$/;

/**
 * The version, and the commit: an image has it in the file `revision` (Dockerfile), a clone in its folder of git. Git itself is not asked:
 * it need not be installed, and it refuses the folder of another user. Both are next to the `manifest`, package.json.
 */
export function readBuild(manifest: URL = new URL('../../package.json', import.meta.url)): Build {
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  const commit =
    [readLine(new URL('revision', manifest)), readHead(new URL('.', manifest))].find(each => hash.test(each)) ?? '';
  return { version, commit: commit.slice(0, 8) };
}

/** The commit that is checked out, by the layout of git's folder (gitrepository-layout(5)); `""` when it cannot be read. */
function readHead(root: URL): string {
  const [, elsewhere] = /^gitdir: (.+)$/.exec(readLine(new URL('.git', root))) ?? [];
  const own = elsewhere === undefined ? new URL('.git/', root) : toFolder(elsewhere, root);
  const head = readLine(new URL('HEAD', own));
  const [, reference] = /^ref: (refs\/(?:(?!\.\.)[^\0?#%\\])+)$/.exec(head) ?? [];
  if (reference === undefined) return head;
  // A further work tree shares its branches with the first.
  const shared = toFolder(readLine(new URL('commondir', own)) || '.', own);
  const packed = readText(new URL('packed-refs', shared)).split('\n');
  const line = packed.find(each => each.endsWith(` ${reference}`));
  return readLine(new URL(reference, shared)) || (line?.split(' ', 1)[0] ?? '');
}

function toFolder(path: string, base: URL): URL {
  return path.startsWith('/') ? pathToFileURL(`${path}/`) : new URL(`${path}/`, base);
}

function readLine(file: URL): string {
  return readText(file).split('\n', 1)[0] ?? '';
}

/** The text of a file; `""` when there is none that can be read. */
function readText(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
