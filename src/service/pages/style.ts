import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const sheets = [
  'base',
  'frame',
  'marks',
  'choices',
  'list',
  'incident',
  'timeline',
  'picture',
  'figures',
  'reference',
  'paper',
] as const;

/** The one stylesheet of all pages: the files of style/ in order, and the places of a dashboard's grid of 24 columns. */
export const style = [
  ...sheets.map(name => readFileSync(new URL(`style/${name}.css`, import.meta.url), 'utf8')),
  gridPlaces(),
].join('');

/** Muster's icon in the browser's tab. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3b5bdb"/><path d="M8 23V10l8 8 8-8v13" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** The paths of the stylesheet and the icon, below the service's own. Their names change with their content. */
export const assetPaths = { style: `/pages/${toHash(style)}.css`, icon: `/pages/${toHash(icon)}.svg` } as const;

function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function gridPlaces(): string {
  const columns = Array.from({ length: 24 }, (_, index) => index);
  const rules = columns.map(x => `.x${x}{grid-column-start:${x + 1}}.w${x + 1}{grid-column-end:span ${x + 1}}`);
  return `@media screen and (min-width:48rem){${rules.join('')}}\n`;
}
