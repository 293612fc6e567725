import { latinSpellings } from '../store/slug.ts';

const longest = 100;

/**
 * The readable end of an incident's address: lower case, everything but ASCII letters and digits as single hyphens, Latin
 * letters without accents and `ß` as `ss`, at most 100 characters, `incident` when nothing is left (docs/api-rules.md A2).
 */
export function toIncidentSlug(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/\P{ASCII}/gu, letter => latinSpellings[letter] ?? letter)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longest)
    .replace(/-$/, '');
  return slug || 'incident';
}
