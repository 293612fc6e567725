import { expect, test } from 'vitest';
import { hostile, openHostile } from '../../../support/hostile-pages.ts';
import { get } from '../../../support/pages.ts';

/** All that our pages are made of; whatever else appears was written by somebody else. */
const elements = new Set(
  'a article aside bdi blockquote body button circle code dd defs details div dl dt em figcaption figure form g h1 h2 h3 h4 head header html img input label li line link main meta nav ol p path pattern pre rect s section source span strong summary svg table tbody td text th thead time title tr ul'.split(
    ' ',
  ),
);
const attributes = new Set(
  'action alt aria-current aria-describedby aria-hidden aria-invalid aria-label aria-labelledby autocapitalize autocomplete charset class content cx cy d datetime dir dx fill for height href id lang http-equiv maxlength method name open patternTransform patternUnits placeholder preserveAspectRatio r rel role rx scope spellcheck src tabindex text-anchor title type value viewBox width x x1 x2 y y1 y2'.split(
    ' ',
  ),
);

/** Every opening tag of a page with its attributes, as a browser takes them apart. */
function tags(page: string): { name: string; attributes: [string, string][] }[] {
  return [...page.matchAll(/<([a-zA-Z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>/g)].map(([, name = '', rest = '']) => ({
    name,
    attributes: [...rest.matchAll(/([^\s"'=<>/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+)))?/g)].map(
      ([, key = '', double, single, bare]): [string, string] => [key, double ?? single ?? bare ?? ''],
    ),
  }));
}

test('what people wrote stays words, in every field of every page', async () => {
  await using opened = await openHostile();
  for (const path of opened.paths) {
    const { headers, text, status } = await get(opened, path);
    expect(status, path).toBeLessThan(500);
    // To the address with the right name.
    if (status === 302) continue;
    if (headers.get('content-type')?.startsWith('application/json')) {
      expect(headers.get('content-type'), path).not.toContain('html');
      continue;
    }
    expect(headers.get('content-security-policy'), path).toContain("script-src 'none'");
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(text, path).not.toMatch(/<script|<img src=x|<svg\/|<\/textarea|[\u202a-\u202e\u2066-\u2069]/i);
    const found = tags(text);
    expect(
      found.map(tag => tag.name).filter(name => !elements.has(name)),
      path,
    ).toEqual([]);
    const used = found.flatMap(tag => tag.attributes);
    expect(
      used.map(([name]) => name).filter(name => name !== '!doctype' && !attributes.has(name)),
      path,
    ).toEqual([]);
    const links = used.filter(([name]) => ['href', 'src', 'action', 'srcset'].includes(name)).map(([, value]) => value);
    expect(
      links.filter(link => !/^(\/(?!\/)|#|https?:\/\/)/.test(link)),
      path,
    ).toEqual([]);
  }
  expect(opened.errors).toEqual([]);
});

test('what people wrote can be read, not only kept out', async () => {
  await using opened = await openHostile();
  const escaped =
    '&lt;script&gt;window.pwned=1&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x onerror=window.pwned=1&gt;gnp.exe';
  const [overview = ''] = opened.paths;
  for (const path of [overview, '/incidents', '/incidents/figures', '/d/evil-board', '/dashboards/f/evil']) {
    expect((await get(opened, path)).text, path).toContain(escaped);
  }
});

test('a model and a file hold what people wrote only as text', async () => {
  await using opened = await openHostile();
  const model = await get(opened, '/d/evil-board/x/model.json');
  expect(model.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(model.headers.get('content-security-policy')).toBe(
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(JSON.parse(model.text).title).toBe(hostile);
  const file = await get(opened, '/incidents.csv');
  expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(file.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});
