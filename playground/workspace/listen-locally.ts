import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Listens on the loopback address, at the first of these ports that is free; 0 is any free one. Resolves to the port. Throws when none is
 * free, or on any other error.
 */
export async function listenLocally(server: Server, [wanted = 0, ...others]: readonly number[]): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(wanted, '127.0.0.1', resolve);
  try {
    await promise;
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (others.length === 0 || !isTaken) throw error;
    return await listenLocally(server, others);
  } finally {
    server.off('error', reject);
  }
  return (server.address() as AddressInfo).port;
}
