import type { Logger } from 'pino';
import type { ObservedAttempt } from './attempt.ts';
import type { NextDelivery } from './queue.ts';

/** Logs what becomes of deliveries: a line when an endpoint begins to fail, when it recovers, and for each delivery given up. */
export interface EndpointHealth {
  attempted(
    endpoint: number,
    delivery: NextDelivery,
    attempt: { readonly result: ObservedAttempt['outcome']; readonly outcome: string },
  ): void;
}

/** Watches the endpoints that one process sends to. An address is logged without its path, which may hold a secret. */
export function watchEndpoints(log: Logger): EndpointHealth {
  const failing = new Set<number>();
  return {
    attempted(endpoint, { seq, url, event, attempts }, { result, outcome }) {
      const facts = { endpoint, origin: new URL(url).origin, delivery: seq, event, attempts: attempts + 1, outcome };
      if (result === 'success') {
        if (failing.delete(endpoint)) log.info(facts, 'webhooks: the endpoint takes deliveries again');
        return;
      }
      if (result === 'failed') {
        log.warn(facts, 'webhooks: delivery failed for good; `muster webhooks retry` sends it again');
        return;
      }
      if (failing.has(endpoint)) return;
      failing.add(endpoint);
      log.warn(facts, 'webhooks: the endpoint fails; its deliveries wait and are tried again');
    },
  };
}
