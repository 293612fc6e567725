import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readApiDocument } from '../../../../src/service/pages/api-document.ts';
import { examplesPath, makeExamples } from '../../../docs/reference-examples.ts';
import { get, openPages } from '../../../support/pages.ts';

const kept: Record<string, { curl: string; answer: string }> = JSON.parse(
  readFileSync(new URL(`../../../../${examplesPath}`, import.meta.url), 'utf8'),
);

test('the examples of the reference are what the service answers; `npm run docs` renews them', async () => {
  expect(kept).toEqual(await makeExamples());
});

test('every operation has an example, and the reference shows it', async () => {
  const operations = Object.values(readApiDocument().paths).flatMap(each =>
    Object.values(each).map(({ operationId }) => operationId),
  );
  expect(Object.keys(kept).toSorted()).toEqual(operations.toSorted());
  await using opened = await openPages();
  const { text } = await get(opened, '/reference');
  expect(text.match(/<pre class="code"[^>]*><code>curl /g)).toHaveLength(operations.length);
});
