import { createClient } from '../../../src/client/client.ts';
import type { Transport } from '../../../src/client/transport.ts';
import { patient } from '../deadlines.ts';

export type { Api } from '../../../src/contract/contract.ts';

/** A client that does not wait before it tries again. */
export function createOf(transport: Transport) {
  return createClient({ ...patient().api, transport, sleep: async () => {} });
}
