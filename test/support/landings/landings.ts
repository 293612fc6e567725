import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A commit that people run. */
export interface Landing {
  readonly commit: string;
  /** The last step of the bot's schema, and of the service's, that it knows. */
  readonly bot: string;
  readonly service: string;
}

/** The landing that runs while an update to today's code is rolled out. Each landing puts the one before it here. */
export const lastLanding: Landing = {
  commit: '36272bd0460231c012b571f2580a972fed3c6b82',
  bot: '039-changes-of-deliveries',
  service: '012-incident-counts',
};

/**
 * Landings whose databases today's code brings up to date, oldest first: that of the baseline (`db/steps.ts`), and the last three.
 * `npm run landings` makes the databases of new ones.
 */
export const landings: readonly Landing[] = [
  { commit: '39c3d564bc69f967916c19b8417c2ee6cc53b49e', bot: '035-visits', service: '011-readers' },
  { commit: '5ea59fbc9b560d0c45f522bddc816c2d287e488d', bot: '035-visits', service: '011-readers' },
  {
    commit: '256fe39f69795fdadb32cd83dfbb54372744236a',
    bot: '039-changes-of-deliveries',
    service: '012-incident-counts',
  },
  lastLanding,
];

/** The short name of a landing, as its files have it. */
export function nameOf({ commit }: Landing): string {
  return commit.slice(0, 8);
}

const run = promisify(execFile);
const home = fileURLToPath(new URL('../../..', import.meta.url));

async function expectCommit({ commit }: Landing): Promise<void> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: home }).catch(cause => {
    const how = 'Fetch all of it, with `git fetch --unshallow` say.';
    throw new Error(`This clone does not have the landing ${commit} in its history. ${how}`, { cause });
  });
}

/** The files of a landing's code that name a table or column, apart from the steps of its schema. Throws as {@link unpack} does. */
export async function findUses(landing: Landing, name: string): Promise<readonly string[]> {
  await expectCommit(landing);
  const where = ['src', ':!src/bot/schema', ':!src/service/store'];
  const args = ['grep', '-lw', '-e', name, landing.commit, '--', ...where];
  const found = await run('git', args, { cwd: home }).catch(error => {
    if (error.code !== 1) throw error;
    return { stdout: '' };
  });
  return found.stdout.split('\n').filter(line => line !== '');
}

/** The `package.json` of a landing. Throws as {@link unpack} does. */
export async function readPackage(landing: Landing): Promise<string> {
  await expectCommit(landing);
  return (await run('git', ['show', `${landing.commit}:package.json`], { cwd: home })).stdout;
}

/** The code of a landing in a folder of its own. */
export interface Unpacked extends AsyncDisposable {
  readonly folder: string;
  /** Its `main.ts`. */
  readonly program: string;
}

/**
 * Takes the code of a landing out of the history. It uses the packages that are installed here, unless `installs` says that it gets its
 * own. Throws with a sentence when the history does not have it.
 */
export async function unpack(landing: Landing, { installs } = { installs: false }): Promise<Unpacked> {
  const { commit } = landing;
  await expectCommit(landing);
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-landing-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'code.tar');
  // A landing that gets its own packages runs its own steps of the installation.
  const parts = installs ? [] : ['src', 'package.json', 'package-lock.json'];
  await run('git', ['archive', '--output', archive, commit, ...parts], { cwd: home });
  await run('tar', ['-xf', archive, '-C', folder]);
  if (installs) await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder });
  else await symlink(join(home, 'node_modules'), join(folder, 'node_modules'));
  const running = stack.move();
  return { folder, program: join(folder, 'src/main.ts'), [Symbol.asyncDispose]: () => running.disposeAsync() };
}
