import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createStatusApp } from '../../../src/operations/health.ts';
import { createMetrics } from '../../../src/operations/metrics.ts';

function openStatus(countByState: () => Promise<[]>, errors: unknown[] = []) {
  return createStatusApp({
    bot: { isConnected: () => true, missingScopes: () => [], refusal: () => '', journal: { countByState } },
    api: { health: () => ({ state: 'closed', failingSince: undefined, lastFailure: undefined }) },
    service: undefined,
    metrics: createMetrics({ census: countByState, backlogs: async () => [], clock: () => new Date() }),
    clock: () => new Date(),
    log: pino({ level: 'error' }, { write: line => errors.push(line) }),
  });
}

test('while the database is away, the process is not ready, and no error is logged', async () => {
  const errors: unknown[] = [];
  const app = openStatus(() => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), errors);
  const answer = await app.request('/readyz');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ ready: false, slack: 'connected', journal: 'not available' });
  expect(errors).toEqual([]);
});
