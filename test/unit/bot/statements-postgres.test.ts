import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { openGeneral } from '../../support/general.ts';

test('zz', async () => {
  const { type, place, alice } = await openGeneral();
  const declared = await place.api.IncidentsService.CreateIncident({
    title: 'Disk',
    severity: 'minor',
    roomPrefix: '',
    labels: [],
    isDrill: false,
    status: 'active',
    attachCaption: '',
    attachURL: '',
    floating: '',
  } as never);
  expect(declared.incident.incidentID).toBe('1');
  for (const n of [1, 2, 3]) await type(`/note --incident 1 warm ${n}`);
  await new Promise(r => setTimeout(r, 1500));
  await place.quiet();
  const log: { text: string; at: number; stack: string; c: number; n: number }[] = [];
  let waiting = 0;
  let merged = 0;
  let own = 0;
  const busy = new Map<object, number>();
  const ids = new Map<object, number>();
  const query = pg.Client.prototype.query as (...a: unknown[]) => Promise<unknown>;
  Error.stackTraceLimit = 60;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (this: object, ...a: unknown[]) {
    const text = typeof a[0] === 'string' ? a[0] : (a[0] as { text: string }).text;
    if (waiting === 0) merged += 1;
    if (!busy.get(this)) own += 1;
    waiting += 1;
    busy.set(this, (busy.get(this) ?? 0) + 1);
    if (!ids.has(this)) ids.set(this, ids.size);
    const stack = (new Error().stack ?? '')
      .split('\n')
      .filter(l => l.includes('/src/') && !l.includes('/src/db/'))
      .map(l => l.replace(/^.*\/src\//, '').replace(/\)$/, ''))
      .map(x => x.trim());
    log.push({ text, at: performance.now(), stack: stack.slice(0, 7).join(' < '), c: ids.get(this) ?? 0, n: merged });
    try {
      return await query.apply(this, a);
    } finally {
      waiting -= 1;
      busy.set(this, (busy.get(this) ?? 0) - 1);
    }
  } as never);
  await type('/note --incident 1 the cache is full');
  const l = [...log];
  vi.restoreAllMocks();
  writeFileSync(
    '/tmp/count-c-pg.txt',
    JSON.stringify([...busy.values(), waiting]) +
      `${l.length} statements, ${own} own, ${merged} merged\n` +
      l
        .map((e, i) => `${i + 1} [c${e.c} m${e.n}] ${e.text.replace(/\s+/g, ' ').slice(0, 200)}\n        ${e.stack}`)
        .join('\n'),
  );
  expect(place.lastRead(alice, 'general')).toContain('note');
});
