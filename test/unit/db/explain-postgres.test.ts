import { expect, test } from 'vitest';
import { explainPostgres } from '../../../src/db/postgres.ts';

const entry = 'no pg_hba.conf entry for host "203.0.113.7", user "muster", database "muster", no encryption';

test.each([
  ['28000', entry, ' It wants TLS: end DATABASE_URL with ?sslmode=verify-full.'],
  [
    'CERT_HAS_EXPIRED',
    'certificate has expired',
    ' Renew the certificate of the server, and see that this machine’s clock is right.',
  ],
  ['28P01', 'password authentication failed for user "muster"', ''],
])('what Postgres refuses with %s is said with what to do, where something can be', (code, message, remedy) => {
  const error = Object.assign(new Error(message), { code });
  expect(explainPostgres(error).message).toBe(`The database of DATABASE_URL cannot be used: ${message}.${remedy}`);
});
