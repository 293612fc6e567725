import type { Random } from '../../soak/simulate/random.ts';
import { signs } from './alphabets.ts';

/** One kind of text that holds no secret. */
interface HarmlessKind {
  readonly name: string;
  make(random: Random): string;
}

/** A text without a secret. */
export interface HarmlessSample {
  readonly kind: string;
  readonly text: string;
}

const services = ['checkout', 'payments', 'search', 'orders', 'gateway', 'inventory', 'mailer'];
const uuid = (random: Random) => [8, 4, 4, 4, 12].map(size => signs(random, 'hex', size)).join('-');
const moment = (random: Random) =>
  `2026-${String(random.whole(1, 12)).padStart(2, '0')}-${String(random.whole(1, 28)).padStart(2, '0')}T${String(random.whole(0, 23)).padStart(2, '0')}:${String(random.whole(0, 59)).padStart(2, '0')}:07.123Z`;

/** What people write about secrets without telling one. */
const aboutSecrets: readonly string[] = [
  'the password is wrong again',
  'password is required for the admin account',
  'Password: required',
  'I reset the password for bob',
  'the token is expired, refresh it',
  'the API key is invalid since the rotation',
  'rotate the secrets of checkout',
  'password=$DB_PASSWORD',
  `PASSWORD=\${DB_PASSWORD}`,
  'password: ********',
  'password: <redacted>',
  'the password was changed at 14:05',
  'the password is stored in Vault under shop/db',
  'Authorization: Bearer <token>',
  'Authorization: Bearer $TOKEN',
  `curl -H "Authorization: Bearer \${TOKEN}" https://api.example.com`,
  'token: null',
  'the bearer token authentication failed',
  'secretName: checkout-tls',
  'secretKeyRef:\n  name: shop-db\n  key: password',
  'DB_PASSWORD is not set in the new pods',
  'api_key=YOUR_API_KEY',
  'token bucket is empty, limit is 5000',
  'tokens: 128000',
  'the token expires at 2026-11-20T11:55:00Z',
  'postgres://shop:***@db.example.com/shop',
  'postgres://user:password@localhost/shop',
  'postgresql://db.example.com:5432/shop?sslmode=require',
  'https://alice@git.example.com/shop.git',
  'git@github.com:acme/shop.git',
  'password: {{ vault_db_password }}',
  'apiKey: process.env.API_KEY',
  'const token = await readToken();',
  'password = os.environ["DB_PASSWORD"]',
  'token = config.get("token")',
  'the secret is that nobody looked at the dashboard',
  'secret: none',
  'use --password-stdin',
  'Passwort: siehe Vault',
  'access denied for user shop@10.0.0.7 (using password: YES)',
  'FATAL: password authentication failed for user "shop"',
  'the password has at least 12 characters',
  'key: checkout-7f9c',
  'pw reset mail was not sent',
];

const notes: readonly string[] = [
  'rolled back to v41, error rate falls',
  'the pool is exhausted and retries pile up',
  'failed over to the replica at 14:05, p99 is 220 ms',
  'bob looks at the ingress, carol at the certificates',
  'we saw 5xx of 12.5 % from 11:55 to 12:10 UTC',
  'deploy 2026.11.20-3 is out; 40 of 40 pods are ready',
  'disk of db-3 is at 97 %, growing 1 GB per minute',
  'cache hit ratio 0.31 → 0.88 after the restart',
];

const harmlessKinds: readonly HarmlessKind[] = [
  { name: 'note', make: random => random.pick(notes) },
  { name: 'words about secrets', make: random => random.pick(aboutSecrets) },
  {
    name: 'git hash',
    make: random =>
      random.pick([
        `rolled back to ${signs(random, 'hex', 40)}`,
        `commit ${signs(random, 'hex', random.whole(7, 12))} broke it`,
        `https://github.com/acme/shop/commit/${signs(random, 'hex', 40)}`,
        `Merge ${signs(random, 'hex', 40)} into ${signs(random, 'hex', 40)}`,
      ]),
  },
  {
    name: 'UUID',
    make: random =>
      random.pick([
        uuid(random),
        `request ${uuid(random)} failed`,
        `{"order_id":"${uuid(random)}"}`,
        `GET /v1/users/${uuid(random)}`,
      ]),
  },
  {
    name: 'trace id',
    make: random =>
      random.pick([
        `trace_id=${signs(random, 'hex', 32)} span_id=${signs(random, 'hex', 16)}`,
        `traceparent: 00-${signs(random, 'hex', 32)}-${signs(random, 'hex', 16)}-01`,
        `X-Request-Id: ${signs(random, 'hex', 32)}`,
        `X-Amzn-Trace-Id: Root=1-${signs(random, 'hex', 8)}-${signs(random, 'hex', 24)}`,
      ]),
  },
  {
    name: 'IPv6 address',
    make: random => {
      const address = Array.from({ length: 8 }, () => signs(random, 'hex', 4)).join(':');
      return random.pick([
        address,
        `[${address}]:443 refused`,
        `ping6 fe80::${signs(random, 'hex', 4)}:${signs(random, 'hex', 4)}`,
      ]);
    },
  },
  {
    name: 'address',
    make: random =>
      random.pick([
        `${random.pick(services)}@example.com bounced`,
        `https://grafana.example.com/d/${signs(random, 'alphanumeric', 9)}/${random.pick(services)}?from=1763640000000&to=1763643600000&var-pod=All`,
        `http://10.${random.whole(0, 255)}.${random.whole(0, 255)}.7:8080/healthz returns 503`,
        `12 Main Street, Springfield 62701-${signs(random, 'digits', 4)}`,
        `https://acme.slack.com/archives/C0${signs(random, 'base32', 9)}/p17${signs(random, 'digits', 14)}`,
        `mac ${Array.from({ length: 6 }, () => signs(random, 'hex', 2)).join(':')}`,
        `https://docs.google.com/document/d/1${signs(random, 'base64url', 43)}/edit`,
      ]),
  },
  {
    name: 'stack trace',
    make: random =>
      random.pick([
        `TypeError: Cannot read properties of undefined (reading 'token')\n    at readToken (/app/src/auth/tokens.ts:${random.whole(1, 400)}:17)\n    at async handle (/app/node_modules/hono/dist/index.js:${random.whole(1, 400)}:5)`,
        `java.lang.IllegalStateException: password must not be null\n\tat com.acme.shop.Orders.load(Orders.java:${random.whole(1, 400)})\n\tat org.springframework.web.Filter$1.run(Filter.java:88)`,
        `Traceback (most recent call last):\n  File "/app/shop/db.py", line ${random.whole(1, 400)}, in connect\n    conn = psycopg.connect(host=host, password=password)\nOperationalError: connection refused`,
        `panic: runtime error: index out of range [5] with length 5\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/main.go:${random.whole(1, 400)} +0x${signs(random, 'hex', 4)}`,
      ]),
  },
  {
    name: 'image in base64',
    make: random =>
      random.pick([
        `<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUg${signs(random, 'base64', random.whole(80, 600))}=">`,
        `data:image/gif;base64,R0lGODlh${signs(random, 'base64', random.whole(20, 300))}`,
        Array.from({ length: random.whole(2, 8) }, () => signs(random, 'base64', 76)).join('\n'),
      ]),
  },
  {
    name: 'phone number',
    make: random =>
      random.pick([
        `+49 151 ${signs(random, 'digits', 8)}`,
        `call +1 (${signs(random, 'digits', 3)}) ${signs(random, 'digits', 3)}-${signs(random, 'digits', 4)}`,
        `the bridge: +44 20 ${signs(random, 'digits', 4)} ${signs(random, 'digits', 4)} PIN on request`,
        `dial-in ${signs(random, 'digits', 3)} ${signs(random, 'digits', 3)} ${signs(random, 'digits', 4)}#`,
      ]),
  },
  {
    name: 'order number',
    make: random =>
      random.pick([
        `order 45${signs(random, 'digits', 8)} was charged twice`,
        `order ${signs(random, 'digits', 3)}-${signs(random, 'digits', 7)}-${signs(random, 'digits', 7)}`,
        `invoice INV-2026-${signs(random, 'digits', 6)}`,
        `shipment 1Z${signs(random, 'base32', 6)}${signs(random, 'digits', 10)}`,
        `event at 17${signs(random, 'digits', 11)} (ms), 17${signs(random, 'digits', 14)} (µs)`,
      ]),
  },
  {
    name: 'Slack id',
    make: random =>
      random.pick([
        `<#C0${signs(random, 'base32', 9)}>`,
        `user U0${signs(random, 'base32', 9)} in T0${signs(random, 'base32', 9)}`,
        `message 17${signs(random, 'digits', 8)}.${signs(random, 'digits', 6)}`,
      ]),
  },
  {
    name: 'pod',
    make: random =>
      random.pick([
        `${random.pick(services)}-${signs(random, 'hex', 10)}-${signs(random, 'lower', 5)} CrashLoopBackOff`,
        `kubectl delete pod ${random.pick(services)}-${signs(random, 'hex', 9)}-${signs(random, 'lower', 5)} -n prod`,
        `node ip-10-${random.whole(0, 255)}-${random.whole(0, 255)}-7.eu-west-1.compute.internal is NotReady`,
      ]),
  },
  {
    name: 'ARN',
    make: random =>
      random.pick([
        `arn:aws:iam::${signs(random, 'digits', 12)}:role/${random.pick(services)}-deploy`,
        `arn:aws:secretsmanager:eu-west-1:${signs(random, 'digits', 12)}:secret:prod/${random.pick(services)}/db-${signs(random, 'alphanumeric', 6)}`,
        `i-0${signs(random, 'hex', 16)} in vpc-${signs(random, 'hex', 17)}`,
      ]),
  },
  {
    name: 'digest',
    make: random =>
      random.pick([
        `registry.example.com/${random.pick(services)}@sha256:${signs(random, 'hex', 64)}`,
        `sha256sum ${signs(random, 'hex', 64)}  dump.sql`,
        `"integrity": "sha512-${random.bytes(64).toString('base64')}"`,
        `md5 ${signs(random, 'hex', 32)}`,
        `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${signs(random, 'base64', 43)} alice@laptop`,
        `SHA256:${signs(random, 'base64', 43)} is the fingerprint of the host`,
        `ETag: "${signs(random, 'hex', 32)}"`,
      ]),
  },
  {
    name: 'ticket',
    make: random => `${random.pick(['OPS', 'INC', 'JIRA', 'SEC'])}-${random.whole(1, 99_999)}: ${random.pick(notes)}`,
  },
  {
    name: 'log line',
    make: random =>
      `${moment(random)} ERROR [${random.pick(services)},${signs(random, 'hex', 32)},${signs(random, 'hex', 16)}] o.a.s.Handler : status=500 path=/v1/${random.pick(services)} dur=${random.whole(1, 9999)}ms user=${random.whole(1, 99_999)}`,
  },
  {
    name: 'certificate',
    make: random =>
      `-----BEGIN CERTIFICATE-----\n${Array.from({ length: random.whole(2, 12) }, () => signs(random, 'base64', 64)).join('\n')}\n-----END CERTIFICATE-----`,
  },
  {
    name: 'command',
    make: random =>
      random.pick([
        `kubectl -n prod rollout undo deploy/${random.pick(services)} --to-revision=${random.whole(1, 90)}`,
        `ssh -p 2222 deploy@10.0.0.${random.whole(1, 250)} 'systemctl restart ${random.pick(services)}'`,
        `mkdir -p /var/lib/${random.pick(services)}/data && psql -h db -U shop -p 5432 -c 'select 1'`,
        `docker run -p 8080:8080 -u 1000:1000 acme/${random.pick(services)}:v${random.whole(1, 90)}`,
        `curl -X POST https://api.example.com/v1/${random.pick(services)}?limit=100&sort=created_at`,
      ]),
  },
];

/** So many texts without a secret, of each kind as many. */
export function makeHarmless(random: Random, count: number): readonly HarmlessSample[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = harmlessKinds[index % harmlessKinds.length];
    if (!kind) throw new Error('There are no kinds');
    return { kind: kind.name, text: kind.make(random) };
  });
}
