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
  const client = createClient({ ...createRecorder().options, transport: scripted(...answers).transport, budget: 0 });
  const api = watchRecovery(client, () => {
    noticed += 1;
  });
  return { list: () => api.RolesService.GetRoles({}), noticed: () => noticed };
}

test('the first answer of all, and the first after a failure, are noticed once', async () => {
  const { list, noticed } = openWatched(roles, roles, away, away, roles, roles);
  await list();
  await list();
  expect(noticed()).toBe(1);
  await failureOf(list());
  await failureOf(list());
  expect(noticed()).toBe(1);
  await list();
  await list();
  expect(noticed()).toBe(2);
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
