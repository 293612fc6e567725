import { expect, test } from 'vitest';
import { watchRecovery } from '../../../../../src/bot/incident/api/calls.ts';
import { createClient } from '../../../../../src/client/client.ts';
import { createRecorder, failureOf, scripted } from '../../../../support/client.ts';

const roles = () => ({ status: 200, body: { roles: [] } });
const refused = () => ({ status: 404, body: { error: 'no such incident' } });
const away = () => ({ status: 503, body: {} });
const busy = () => ({ status: 429, body: {} });

/** An API that answers from a list, and how often its recovery was noticed. */
function openWatched(...answers: Parameters<typeof scripted>) {
  let noticed = 0;
  const recorder = createRecorder();
  const client = createClient({
    ...recorder.options,
    transport: scripted(...answers).transport,
    budget: 0,
    breaker: { failures: 2, coolDown: 1000 },
  });
  const api = watchRecovery(
    client,
    () => client.health().state !== 'closed',
    () => {
      noticed += 1;
    },
  );
  return { list: () => api.RolesService.GetRoles({}), noticed: () => noticed, pass: recorder.pass };
}

test('the first answer of all, and the first after the API was away, are noticed once', async () => {
  const { list, noticed, pass } = openWatched(roles, roles, away, away, roles, roles);
  await list();
  await list();
  expect(noticed()).toBe(1);
  pass(1000);
  await failureOf(list());
  await failureOf(list());
  await failureOf(list());
  expect(noticed()).toBe(1);
  pass(1000);
  await list();
  await list();
  expect(noticed()).toBe(2);
});

test('one operation that fails while others are answered makes the API not away', async () => {
  const { list, noticed } = openWatched(roles, away, roles, away, roles);
  await list();
  for (let turn = 0; turn < 2; turn += 1) {
    await failureOf(list());
    await list();
  }
  expect(noticed()).toBe(1);
});

test('a refusal is an answer', async () => {
  const { list, noticed } = openWatched(away, refused);
  await failureOf(list());
  await failureOf(list());
  expect(noticed()).toBe(1);
});

test('an API that is too busy is not away', async () => {
  const { list, noticed } = openWatched(roles, busy, roles);
  await list();
  await failureOf(list());
  await list();
  expect(noticed()).toBe(1);
});
