import { execFileSync } from 'node:child_process';
import { lastLanding } from '../test/support/landings/landings.ts';

/*
 * Which test files a change needs. Most run on every change. The suites below test the tests, or what few files have a hand in, and
 * cost much: each runs when a file changed that it names. A change of any other file than those of `known` needs all of them.
 *
 * `node .ci/suites.ts` prints the paths of the tests that may stay away, a line each, and says on stderr which suites these are and why.
 * ALL_SUITES=1 runs all; WITHOUT_SUITES names suites that stay away whatever changed, to measure without them.
 */

/** A suite: the paths of its test files, and of the files whose change it watches. */
interface Suite {
  readonly tests: readonly RegExp[];
  readonly watches: readonly RegExp[];
}

/** The suites that may stay away, by name. */
export const suites: Readonly<Record<string, Suite>> = {
  // The broken variants of the simulation: whether its invariants still notice each of 55 known faults.
  broken: {
    tests: [/^test\/soak\/simulate\/broken\//],
    watches: [/^test\/soak\/simulate\//, /^test\/support\//, /^playground\/fake-slack\//],
  },
  // The commands of the documents, each in a fresh clone with an `npm ci` of its own.
  readme: {
    tests: [/^test\/soak\/readme\//],
    watches: [/^README\.md$/, /^CONTRIBUTING\.md$/, /^docs\/operating\.md$/, /^bin\//, /^deploy\//, /^\.npmrc$/, /^src\/(?:commands|config)\//, /^playground\/main\.ts$/],
  },
  // What deploy/ offers, tried with the programs that it is for.
  deploy: {
    tests: [/^test\/deploy\//],
    watches: [/^deploy\//, /^test\/(?:deploy|support)\//, /^src\/(?:config|operations|commands)\//, /^src\/service\/http\//, /^Dockerfile$/, /^bin\//],
  },
};

/** Changes of these need no suite but those that watch them. Anything else needs all: the database, the contract, packages, this file. */
const known: readonly RegExp[] = [
  /^src\/(?!db\/|contract\/)/,
  /^playground\//,
  /^test\//,
  /^docs\//,
  /^deploy\//,
  /^bin\//,
  /^bench\//,
  /^grafana\//,
  /^(?:README|CONTRIBUTING|CHANGELOG|SECURITY)\.md$/,
  /^(?:Dockerfile|manifest\.yml|openapi\.json|biome\.json|knip\.json|\.npmrc|\.gitignore|\.dockerignore)$/,
];

/** The suites that a change of these files needs, by name. */
export function suitesFor(paths: readonly string[]): readonly string[] {
  const matches = (patterns: readonly RegExp[], path: string) => patterns.some(each => each.test(path));
  if (paths.some(path => !matches(known, path))) return Object.keys(suites);
  return Object.entries(suites).flatMap(([name, { watches }]) => (paths.some(path => matches(watches, path)) ? [name] : []));
}

/**
 * The files that changed since the landing that test/support/landings/landings.ts names last: no merge tells of a landing, since one may
 * be a plain commit, and a merge may be of the change itself. Undefined when that landing is not in the history.
 */
function changedFiles(): readonly string[] | undefined {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    git('merge-base', '--is-ancestor', lastLanding.commit, 'HEAD');
    const changed = git('diff', '--name-only', '--no-renames', lastLanding.commit, 'HEAD').split('\n').filter(Boolean);
    return changed.length === 0 ? undefined : changed;
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const changed = process.env.ALL_SUITES === '1' ? undefined : changedFiles();
  const without = (process.env.WITHOUT_SUITES ?? '').split(',').filter(Boolean);
  const wanted = (changed === undefined ? Object.keys(suites) : suitesFor(changed)).filter(name => !without.includes(name));
  const away = Object.keys(suites).filter(name => !wanted.includes(name));
  const why = changed === undefined ? 'all suites, since nobody can tell what changed' : `${changed.length} files changed`;
  console.error(`${why}; runs: ${wanted.join(', ') || 'none'}; stays away: ${away.join(', ') || 'none'}`);
  const files = execFileSync('git', ['ls-files', 'test'], { encoding: 'utf8' }).split('\n');
  for (const file of files)
    if (file.endsWith('.test.ts') && away.some(name => suites[name]?.tests.some(each => each.test(file)))) console.log(file);
}
