import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of WCAG AA that depend on colours. */
const colourRules = ['color-contrast', 'link-in-text-block'];

/** What axe-core finds wrong with a page as it stands: the rule and the elements that break it, a line each; at wish with its colours alone. */
export async function findWithAxe(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules === 'colours' && { runOnly: colourRules }) };
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe);
  return await page.evaluate<string[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(each => each.id + ' ' + each.nodes.map(node => node.html).join(' ')))`,
  );
}
