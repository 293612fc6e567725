import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../src/client/client.ts';
import { openHttpTransport } from '../../src/client/transport.ts';
import { patient } from '../support/deadlines.ts';
import { readMetrics, toMisuses } from '../support/exposed-metrics.ts';
import { openWorkplace } from '../support/workplace.ts';

const Target = z.looseObject({ expr: z.string(), refId: z.string() });
const Panel = z.looseObject({
  id: z.number(),
  type: z.string(),
  title: z.string(),
  description: z.string().optional(),
  gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
  datasource: z.object({ type: z.string(), uid: z.string() }).optional(),
  targets: z.array(Target).default([]),
});
const file = JSON.parse(readFileSync(new URL('../../grafana/muster.dashboard.json', import.meta.url), 'utf8'));
const dashboard = z
  .looseObject({
    uid: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
    schemaVersion: z.number(),
    panels: z.array(Panel),
    templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  })
  .parse(file);
const expressions = dashboard.panels.flatMap(panel => panel.targets.map(target => target.expr));

test('every metric in the dashboard is one that Muster exposes, with these labels, and none is left out', async () => {
  const { series, types } = await readMetrics();
  expect(types.size).toBeGreaterThan(5);

  expect(expressions.flatMap(expr => toMisuses(expr, series))).toEqual([]);
  const used = expressions.join('\n');
  for (const name of types.keys()) expect(used).toContain(name);
});

test('counters and histograms are rated, gauges are not', async () => {
  const { types } = await readMetrics();
  for (const expr of expressions) {
    const [name = ''] = /muster_\w+/.exec(expr) ?? [];
    const isCounted = ['histogram', 'counter'].includes(types.get(name.replace(/_(bucket|sum|count)$/, '')) ?? '');
    expect(/\b(rate|increase)\(muster_/.test(expr), expr).toBe(isCounted);
  }
});

test('the dashboard is one that Grafana imports', () => {
  expect(dashboard).toMatchObject({ uid: 'muster', title: 'Muster', tags: ['muster', 'incident'], id: null });
  expect(dashboard.schemaVersion).toBeGreaterThanOrEqual(39);
  expect(dashboard.templating.list[0]).toMatchObject({ name: 'DS_PROMETHEUS', type: 'datasource' });
  const panels = dashboard.panels.filter(panel => panel.type !== 'row');
  const variables = dashboard.templating.list.map(each => each.name);
  for (const panel of panels) {
    expect(panel.datasource, panel.title).toEqual({ type: 'prometheus', uid: `\${${variables[0]}}` });
    expect(panel.description, panel.title).toBeTruthy();
    expect(panel.targets.length, panel.title).toBeGreaterThan(0);
    for (const { expr } of panel.targets) {
      for (const [, name = ''] of expr.matchAll(/\$(\w+)/g)) {
        if (!name.startsWith('__')) expect(variables, expr).toContain(name);
      }
    }
  }
  const ids = dashboard.panels.map(panel => panel.id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('no two panels overlap, and none is wider than the page', () => {
  const taken = new Set<string>();
  for (const { gridPos, title } of dashboard.panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        expect(taken.has(`${x},${y}`), `${title} at ${x},${y}`).toBe(false);
        taken.add(`${x},${y}`);
      }
    }
  }
});

test('POST /api/dashboards/db takes the file as it is and gives it back', async () => {
  const place = await openWorkplace({ settings: { SERVICE_TOKENS: 'glsa_of_the_operator:Editor' } });
  await using transport = openHttpTransport({ baseUrl: place.muster.url });
  const api = createClient({ ...patient().api, transport, token: 'glsa_of_the_operator' });

  const saved = await api.Dashboards.save({ dashboard: file, folderUid: '', overwrite: false, message: 'Imported' });
  expect(saved).toMatchObject({ uid: 'muster', status: 'success', slug: 'muster', version: 1 });

  const answer = await fetch(`${place.muster.url}/api/dashboards/uid/muster`, {
    headers: { authorization: 'Bearer glsa_of_the_operator' },
  });
  const stored: unknown = await answer.json();
  expect(stored).toHaveProperty('dashboard', { ...file, id: saved.id, version: saved.version });
});
