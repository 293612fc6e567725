import { expect, test } from 'vitest';
import { explainListen } from '../../../../src/service/http/server.ts';

const failure = (code: string) => Object.assign(new Error(`listen ${code}: of Node`), { code });

test.for([
  [
    'EADDRINUSE',
    { port: 3000, setting: 'PORT' },
    'Muster cannot listen at port 3000 (PORT): another program listens there. Stop that program, or set PORT to another port.',
  ],
  [
    'EACCES',
    { port: 80, setting: 'PORT' },
    'Muster cannot listen at port 80 (PORT): this user may not open a port below 1024. Set PORT to a port from 1024 on, and let a proxy listen on 80.',
  ],
  [
    'EACCES',
    { port: 6000, setting: 'METRICS_PORT' },
    'Muster cannot listen at port 6000 (METRICS_PORT): the system does not let this user. Set METRICS_PORT to another port.',
  ],
  [
    'EADDRNOTAVAIL',
    { port: 3000, host: '192.0.2.1', setting: 'PORT' },
    'Muster cannot listen at 192.0.2.1, port 3000 (PORT): this machine has no such address. Set HOST to an address of this machine, or leave it empty for all of them.',
  ],
] as const)('%s says port, reason and what to do', ([code, at, sentence]) => {
  const error = explainListen(failure(code), at);
  expect(error.message).toBe(sentence);
  expect(error).toMatchObject({ code, cause: { code } });
});
