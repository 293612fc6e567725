import { writeFile } from 'node:fs/promises';
import { pages } from './pages.ts';
import { examplesPath, makeExamples } from './reference-examples.ts';

/*
 * `npm run docs`: writes the pages of docs/ that are made from the code. test/unit/docs/generated.test.ts fails when one of them
 * is out of date.
 */
for (const { path, write } of pages) {
  await writeFile(new URL(`../../${path}`, import.meta.url), write());
  process.stdout.write(`${path}\n`);
}
const examples = `${JSON.stringify(await makeExamples(), null, 2)}\n`;
await writeFile(new URL(`../../${examplesPath}`, import.meta.url), examples);
process.stdout.write(`${examplesPath}\n`);
