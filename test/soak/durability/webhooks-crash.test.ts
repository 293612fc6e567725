import { expect, test } from 'vitest';
import { makeDatabase } from '../../support/databases/fresh.ts';
import { openReceiver, openReceiverAt, type Receiver } from '../../support/webhook-receiver.ts';
import { type ServiceProcess, startProcess, token } from './process.ts';

async function call({ url }: ServiceProcess, operation: string, body: object): Promise<void> {
  const response = await fetch(`${url}/api/plugins/grafana-irm-app/resources/api/v1/IncidentsService.${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

const retitle = (process: ServiceProcess, title: string) => call(process, 'UpdateTitle', { incidentID: '1', title });

/** The titles that came, each id once. */
function titlesOf({ received }: Receiver): readonly string[] {
  const first = new Map(received.map(each => [each.payload.id, each.payload.incident.title]));
  return [...first.values()];
}

/** Waits for so many different events. After a crash one may have come twice. */
const untilCame = (receiver: Receiver, count: number) =>
  expect.poll(() => titlesOf(receiver).length, { interval: 50 }).toBe(count);

test('events for a receiver that is away outlive two processes that are killed, and arrive in order', async () => {
  await using fresh = await makeDatabase('no tables');
  await using stack = new AsyncDisposableStack();
  const quick = stack.use(await openReceiver());
  const gone = await openReceiver();
  const start = async () => {
    const { ready, kill } = startProcess(fresh.url, `${gone.url},${quick.url}`);
    stack.defer(kill);
    return await ready;
  };
  await gone[Symbol.asyncDispose]();
  const port = Number(new URL(gone.url).port);
  const one = await start();
  const two = await start();
  await call(one, 'CreateIncident', { title: '0' });
  for (let number = 1; number < 10; number += 1) await retitle(number % 2 === 0 ? one : two, String(number));
  // Whoever serves the two endpoints dies with their leases.
  await Promise.all([one.kill(), two.kill()]);
  const three = await start();
  await retitle(three, '10');
  const back = stack.use(await openReceiverAt(port));
  const expected = Array.from({ length: 11 }, (_, number) => String(number));
  await untilCame(quick, 11);
  await untilCame(back, 11);
  expect(titlesOf(quick)).toEqual(expected);
  expect(titlesOf(back)).toEqual(expected);
});
