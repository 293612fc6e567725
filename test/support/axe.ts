import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with a page as it stands: the rule and the elements that break it, a line each. */
export function findWithAxe(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(
    `(async () => { ${axe}; return (await axe.run()).violations.map(each => each.id + ' ' + each.nodes.map(node => node.html).join(' ')); })()`,
  );
}
