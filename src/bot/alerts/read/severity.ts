import type { AlertSource } from '../../../config/alert-sources.ts';
import { findSeverity } from '../../incident/state/settings.ts';

/** Usual words of tools, by how far they are below the worst one. */
const usualWords: ReadonlyMap<string, number> = new Map(
  [
    ['critical', 'crit', 'page', 'fatal', 'emergency', 'emerg', 'panic', 'disaster', 'blocker'],
    ['error', 'err', 'high', 'major', 'severe'],
    ['warning', 'warn', 'average', 'moderate', 'medium'],
    ['info', 'information', 'informational', 'low', 'notice', 'minor', 'debug'],
  ].flatMap((words, below) => words.map(word => [word, below] as const)),
);
/** The mildest of those words mean the mildest severity, however many a team has. */
const mildest = 3;

/** A rank, as in P4: findSeverity knows those that the team has. */
const ranked = /^(?:severity|sev|priority|prio|p|s)[-_ ]?(\d)$/;

/**
 * The team's severity for a word of a tool: the source's own `words` come first, then the team's names and ranks, then usual words of tools.
 * A word that is none of these becomes the first severity, “not yet known”. `severities` are the team's, from mild to grave.
 */
export function toSeverity(severities: readonly string[], words: AlertSource['severities'], said: string): string {
  const word = said.trim().toLowerCase();
  const mapped = words.get(word);
  const known = findSeverity(severities, mapped ?? said);
  if (known !== undefined) return known;
  const below = usualWords.get(word) ?? (ranked.test(word) ? mildest : undefined);
  const [unknown = '', ...real] = severities;
  if (below === undefined) return unknown;
  return (below < mildest ? real.at(-1 - below) : undefined) ?? real[0] ?? unknown;
}

/** The worst of some words of tools, as far as they are usual; the first one where none is. `""` for none. */
export function gravestOf(words: readonly string[]): string {
  const [first = ''] = words.toSorted((one, other) => gravity(one) - gravity(other));
  return first;
}

function gravity(said: string): number {
  const word = said.trim().toLowerCase();
  const rank = ranked.exec(word)?.[1];
  return usualWords.get(word) ?? (rank === undefined ? Number.MAX_SAFE_INTEGER : Math.max(0, Number(rank) - 1));
}
