import { expect, test } from 'vitest';
import { type Settings, toReachable, toWebUrl } from '../../../../../src/bot/incident/state/settings.ts';

test.each([
  ['https://api.example.com', 'http://localhost:3000/goto/a1?orgId=1', 'https://api.example.com/goto/a1?orgId=1'],
  ['http://127.0.0.1:4400', 'http://localhost:4400/goto/a1?orgId=1', 'http://127.0.0.1:4400/goto/a1?orgId=1'],
  ['https://example.com/grafana', 'http://localhost:3000/grafana/goto/a1', 'https://example.com/grafana/goto/a1'],
  ['https://api.example.com', 'https://grafana.example.com/goto/a1', 'https://grafana.example.com/goto/a1'],
  ['', 'http://localhost:3000/goto/a1', 'http://localhost:3000/goto/a1'],
  ['https://api.example.com', '/goto/a1', 'https://api.example.com/goto/a1'],
  ['https://api.example.com/sub', '/goto/a1?orgId=1', 'https://api.example.com/sub/goto/a1?orgId=1'],
  ['https://api.example.com', '', 'https://api.example.com/goto/u1'],
  ['https://api.example.com', '  ', 'https://api.example.com/goto/u1'],
  ['https://api.example.com/sub', '', 'https://api.example.com/sub/goto/u1'],
  ['https://api.example.com', 'http://', 'https://api.example.com/goto/u1'],
  ['https://api.example.com', 'grafana.example.com/goto/a1', 'https://api.example.com/goto/a1'],
  ['https://api.example.com', 'javascript:alert(1)', 'https://api.example.com/goto/u1'],
  ['https://api.example.com', 'null', 'https://api.example.com/goto/u1'],
  ['https://api.example.com', 'undefined/goto/', 'https://api.example.com/goto/'],
  ['', '', ''],
  ['', '/goto/a1', ''],
])('reached at “%s”, the short link %s is %s', (webUrl, url, reached) => {
  expect(toReachable({ webUrl } as Settings, { uid: 'u1', url })).toBe(reached);
});

test.each([
  ['https://a.example.com/grafana', '/grafana/d/u/slug', 'https://a.example.com/grafana/d/u/slug'],
  ['https://a.example.com/grafana', '/d/u/slug', 'https://a.example.com/grafana/d/u/slug'],
  ['https://a.example.com/grafana', '/grafanas/d', 'https://a.example.com/grafana/grafanas/d'],
  ['https://a.example.com', '/d/u/slug', 'https://a.example.com/d/u/slug'],
  ['https://a.example.com', 'd/u/slug', 'https://a.example.com/d/u/slug'],
  ['', '/d/u/slug', ''],
])('at “%s”, the path %s is %s', (webUrl, path, whole) => {
  expect(toWebUrl({ webUrl } as Settings, path)).toBe(whole);
});
