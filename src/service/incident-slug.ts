const longest = 100;

/**
 * The readable end of an incident's address: lower case, everything but ASCII letters and digits as single hyphens, without
 * accents, at most 100 characters, `incident` when nothing is left (api-behaviour.md A2).
 */
export function toIncidentSlug(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longest)
    .replace(/-$/, '');
  return slug || 'incident';
}
