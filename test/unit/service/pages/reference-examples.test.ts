import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { toOpenApi } from '../../../../src/contract/openapi.ts';
import { readApiDocument } from '../../../../src/contract/openapi-document.ts';
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

/** Every `description` below a value of the document. */
function descriptions(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) =>
    name === 'description' && typeof below === 'string' ? [below] : descriptions(below),
  );
}

/** The document, as far as it holds descriptions. */
interface Described {
  readonly components: { readonly schemas: object; readonly responses: Record<string, { description: string }> };
  readonly paths: Record<string, Record<string, DescribedOperation>>;
}

interface DescribedOperation {
  readonly requestBody?: object;
  readonly parameters?: object;
  readonly responses: Record<string, { readonly content?: object }>;
}

test('the reference is small on the wire, and leaves out no description, no error and no word of a list', async () => {
  await using opened = await openPages();
  const zipped = await opened.service.fetch(
    new Request('http://test/reference', { headers: { 'accept-encoding': 'gzip' } }),
  );
  const bytes = await zipped.bytes();
  expect(bytes.length).toBeLessThan(19_000);
  const page = gunzipSync(bytes).toString();
  const words = page
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
  const { components, paths } = toOpenApi() as unknown as Described;
  const operations = Object.values(paths).flatMap(each => Object.values(each));
  const inBodies = operations.flatMap(({ requestBody, parameters, responses }) =>
    descriptions([requestBody, parameters, Object.values(responses).map(answer => answer.content)]),
  );
  const errors = Object.values(components.responses).map(each => each.description);
  const all = new Set([...descriptions(components.schemas), ...errors, ...inBodies]);
  expect(all.size).toBeGreaterThan(300);
  expect([...all].filter(each => !words.includes(each.replaceAll('`', '')))).toEqual([]);
  for (const kind of ['hookRunMetadata', 'siftResult', 'screenshare', 'failed_precondition'])
    expect(words).toContain(kind);
});
