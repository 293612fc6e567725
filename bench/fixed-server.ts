import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { incidentBody } from '../test/support/incident-body.ts';

/** A process of its own that gives one answer to everything, so that a measurement counts the caller's work alone. */
const body = Buffer.from(incidentBody);
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
