import { expect, test } from 'vitest';
import { ownPath, safeAddress } from '../../../../playground/page/blocks/address.ts';

test.each(['https://a.example/x?y=1', 'http://a.example/', 'mailto:a@b.example'])('%s may be opened', url => {
  expect(safeAddress(url)).toBe(url);
});

test.each([
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'a.example',
  '',
  undefined,
  7,
])('%s may not', url => {
  expect(safeAddress(url)).toBeUndefined();
});

test('only images of the page’s own server are asked for', () => {
  const origin = 'http://127.0.0.1:4711';
  expect(ownPath('/files/F1?x=1', origin)).toBe('/files/F1?x=1');
  expect(ownPath('http://127.0.0.1:4711/files/F1', origin)).toBe('/files/F1');
  for (const url of ['https://a.example/x.png', '//a.example/x.png', 'data:image/png;base64,AA', 'javascript:1', 7]) {
    expect(ownPath(url, origin)).toBeUndefined();
  }
});
