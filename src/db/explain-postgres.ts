import { isForbidden, isForeignTable } from './failure.ts';

/** What to do about a connection that TLS or the server's own rules refuse, by the code or the words of the refusal. */
const remedies: readonly (readonly [sign: RegExp, remedy: string])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID /,
    'Its certificate is for another host: name that host in DATABASE_URL, or give the server a certificate for this one.',
  ],
  [
    /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|(?:DEPTH_ZERO_)?SELF_SIGNED_CERT(?:_IN_CHAIN)?) /,
    'No authority that Muster knows has signed its certificate: put &sslrootcert=<file> with the certificate of yours behind sslmode in DATABASE_URL.',
  ],
  [/^CERT_HAS_EXPIRED /, 'Renew the certificate of the server, and see that this machine’s clock is right.'],
  [
    /The server does not support SSL connections/,
    'Switch TLS on there (ssl = on), or take sslmode out of DATABASE_URL.',
  ],
  [
    /unsupported startup parameter/,
    'A pooler before Postgres does not pass it on: take it out of DATABASE_URL, or add it to ignore_startup_parameters of PgBouncer.',
  ],
  [
    /^(?:26000|42P05) /,
    'A pooler before Postgres gives connections away and knows no names: set DATABASE_STATEMENTS=unnamed.',
  ],
  [/^28000 .*no encryption/, 'It wants TLS: end DATABASE_URL with ?sslmode=verify-full.'],
];

/** The error of a start as one that names the database and, where something can be done, what. `url` is that of the database. */
export function explainPostgres(error: unknown, url = ''): Error {
  const [first] = error instanceof AggregateError ? error.errors : [error];
  const reason = first instanceof Error ? first.message : String(first);
  const sentence = `The database of DATABASE_URL cannot be used: ${reason.replace(/[.;: ]*$/, '')}.`;
  const remedy = isForeignTable(first)
    ? 'It has tables of another program: name a database of Muster, or an empty one.'
    : isForbidden(first)
      ? letMakeTables(url)
      : remedies.find(([sign]) => sign.test(`${toCode(first)} ${reason}`))?.[1];
  return new Error(remedy === undefined ? sentence : `${sentence} ${remedy}`, { cause: error });
}

function letMakeTables(url: string): string {
  const { username = '', pathname = '' } = URL.parse(url) ?? {};
  const role = JSON.stringify(decodeURIComponent(username) || '<role>');
  const database = JSON.stringify(decodeURIComponent(pathname.slice(1)) || '<database>');
  return `Its role may not make Muster’s tables. As an administrator: alter database ${database} owner to ${role}, or, before Postgres 15, grant create on schema public to ${role}. Where another role owns the tables, start this version once as that one: docs/operating.md, The role on Postgres.`;
}

function toCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
