import type { Random } from '../../soak/simulate/random.ts';
import { readList } from '../table.ts';
import { base64, iban, luhnDigit, signs } from './alphabets.ts';

/** One kind of secret, made as its vendor describes it. */
interface SecretKind {
  readonly name: string;
  make(random: Random): string;
  /** The ways in which people paste it; absent: all of {@link surroundings}. */
  readonly as?: readonly ((secret: string, random: Random) => string)[];
}

/** A secret in a text, as a person pastes it. */
export interface SecretSample {
  readonly kind: string;
  readonly secret: string;
  readonly text: string;
}

const sentences = [
  'I used this one on the bastion: ',
  'can somebody check whether this still works? ',
  'found in the logs of checkout-7f9c: ',
  'rotate please ',
  'the deploy ran with ',
];

const variables = ['API_KEY', 'ACCESS_TOKEN', 'CLIENT_SECRET', 'SERVICE_TOKEN', 'export AUTH_TOKEN', 'secret_key'];

/** The ways in which people paste a token whose look is its own. */
const surroundings: readonly ((secret: string, random: Random) => string)[] = [
  secret => secret,
  (secret, random) => `${random.pick(sentences)}${secret}`,
  (secret, random) => `${random.pick(sentences)}${secret}, please revoke it`,
  secret => `it was ${secret}.`,
  secret => `\`${secret}\``,
  secret => `\`\`\`\n${secret}\n\`\`\``,
  (secret, random) => `${random.pick(variables)}=${secret}`,
  (secret, random) => `${random.pick(variables)}="${secret}"`,
  secret => `{"level":"info","token":"${secret}","msg":"started"}`,
  secret => `{\n  "apiKey": "${secret}",\n  "region": "eu-west-1"\n}`,
  secret => `curl -s -H 'Authorization: Bearer ${secret}' https://api.example.com/v1/me`,
  secret => `curl -H "X-Api-Key: ${secret}" https://api.example.com/v1/me`,
  secret => `https://api.example.com/v1/orders?access_token=${secret}`,
  secret => `env:\n  - name: TOKEN\n    value: ${secret}`,
  secret => `(${secret})`,
];

/** The ways in which people paste a value that only its name makes a secret. */
const named =
  (...names: readonly string[]) =>
  (secret: string, random: Random): string => {
    const name = random.pick(names);
    return random.pick([
      `${name}=${secret}`,
      `export ${name}=${secret}`,
      `${name}="${secret}"`,
      `${name}: ${secret}`,
      `{"${name}":"${secret}"}`,
      `${random.pick(sentences)}${name}=${secret}`,
      `\`\`\`\n${name} = '${secret}'\n\`\`\``,
    ]);
  };

const words = ['hunter', 'dragon', 'summer', 'Winter', 'Checkout', 'monkey', 'letmein', 'Sunshine', 'tiger', 'acme'];

/** A password as people choose it, or as a manager makes it. */
function password(random: Random): string {
  return random.pick([
    () => `${random.pick(words)}${random.whole(2, 9999)}`,
    () => `${random.pick(words)}${random.whole(10, 99)}!`,
    () => `${random.pick(words)}-${random.pick(words)}-${random.pick(words)}-${random.pick(words)}`,
    () => `${signs(random, 'alphanumeric', random.whole(11, 23))}${random.whole(0, 9)}`,
    () =>
      `${signs(random, 'alphanumeric', 6)}${random.pick(['!', '#', '%', '&', '*'])}${signs(random, 'alphanumeric', 6)}7`,
  ])();
}

const passwordSentences: readonly ((secret: string) => string)[] = [
  secret => `password is ${secret}`,
  secret => `the password is ${secret}, change it later`,
  secret => `the admin password is "${secret}"`,
  secret => `Password: ${secret}`,
  secret => `pw: ${secret}`,
  secret => `pwd=${secret}`,
  secret => `db password = ${secret}`,
  secret => `DB_PASSWORD=${secret}`,
  secret => `export PGPASSWORD='${secret}'`,
  secret => `{"username":"root","password":"${secret}"}`,
  secret => `username: admin\npassword: ${secret}`,
  secret => `password for the replica is \`${secret}\``,
  secret => `mysqldump --user=root --password=${secret} shop`,
  secret => `spring.datasource.password=${secret}`,
  secret => `das Passwort ist ${secret}`,
  secret => `the new password of the jump host is now ${secret}`,
];

const inUrls: readonly ((secret: string, random: Random) => string)[] = [
  secret => `https://deploy:${secret}@git.example.com/shop.git`,
  secret => `curl https://admin:${secret}@grafana.example.com/api/health`,
  secret => `cloned from http://ci:${secret}@10.1.2.3:8080/repo and it worked`,
  secret => `proxy is socks5://alice:${secret}@proxy.example.com:1080`,
  secret => `\`ftp://backup:${secret}@files.example.com\``,
];

const inConnections: readonly ((secret: string, random: Random) => string)[] = [
  secret => `postgres://shop:${secret}@db.example.com:5432/shop?sslmode=require`,
  secret => `DATABASE_URL=postgresql://shop:${secret}@10.0.0.7/shop`,
  secret => `mongodb+srv://app:${secret}@cluster0.ab1cd.mongodb.net/shop`,
  secret => `redis://:${secret}@cache.internal:6379/0`,
  secret => `"amqp://worker:${secret}@mq.example.com/vhost"`,
  secret => `mysql://root:${secret}@127.0.0.1/shop`,
  secret => `Server=db.example.com;Database=shop;User Id=sa;Password=${secret};Encrypt=true`,
  secret => `jdbc:postgresql://db.example.com/shop?user=shop&password=${secret}`,
];

/** A password in which no sign has a meaning of its own in addresses. */
function plainPassword(random: Random): string {
  return random.pick([
    () => `${random.pick(words)}${random.whole(2, 9999)}`,
    () => signs(random, 'alphanumeric', random.whole(10, 24)),
    () => `${signs(random, 'alphanumeric', 9)}%21`,
  ])();
}

function jwt(random: Random): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ alg: random.pick(['HS256', 'RS256', 'ES256']), typ: 'JWT' });
  const claims = part({ sub: signs(random, 'digits', 8), iat: 1_760_000_000 + random.whole(0, 9_999_999) });
  return `${header}.${claims}.${signs(random, 'base64url', 43)}`;
}

function pem(random: Random): string {
  const label = random.pick(
    readList(`
    RSA PRIVATE KEY | EC PRIVATE KEY | PRIVATE KEY | OPENSSH PRIVATE KEY | PGP PRIVATE KEY BLOCK
  `),
  );
  const lines = Array.from({ length: random.whole(3, 20) }, () => signs(random, 'base64', 64));
  return [`-----BEGIN ${label}-----`, ...lines, `${signs(random, 'base64', 30)}==`, `-----END ${label}-----`].join(
    '\n',
  );
}

const inPem: readonly ((secret: string) => string)[] = [
  secret => secret,
  secret => `here is the key of the bastion\n${secret}`,
  secret => `\`\`\`\n${secret}\n\`\`\``,
  secret => `{"type":"service_account","private_key":${JSON.stringify(secret)}}`,
  secret => `TLS_KEY="${secret.replaceAll('\n', '\\n')}"`,
];

/** Beginnings and lengths of card numbers, by the networks' tables. */
const cards = [
  ['4', 16],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['2720', 16],
  ['34', 15],
  ['37', 15],
  ['6011', 16],
  ['65', 16],
  ['3530', 16],
  ['36', 14],
] as const;

function card(random: Random): string {
  const [begin, size] = random.pick(cards);
  const body = `${begin}${signs(random, 'digits', size - begin.length - 1)}`;
  const number = `${body}${luhnDigit(body)}`;
  const groups = size === 16 ? /(\d{4})(\d{4})(\d{4})(\d{4})/ : /(\d{4})(\d{6})(\d{4,5})/;
  const gap = random.pick(['', ' ', '-']);
  return number.replace(groups, (_all, ...parts: string[]) =>
    parts
      .filter(part => /^\d{4,6}$/.test(part))
      .slice(0, size === 16 ? 4 : 3)
      .join(gap),
  );
}

const asNumber: readonly ((secret: string) => string)[] = [
  secret => secret,
  secret => `the customer paid with ${secret} and was charged twice`,
  secret => `card: ${secret}`,
  secret => `{"pan":"${secret}","cvc":"***"}`,
  secret => `refund goes to ${secret}.`,
  secret => `\`${secret}\``,
];

function account(random: Random): string {
  const made = random.pick([
    () => iban('DE', signs(random, 'digits', 18)),
    () => iban('GB', `${signs(random, 'upper', 4)}${signs(random, 'digits', 14)}`),
    () => iban('NL', `${signs(random, 'upper', 4)}${signs(random, 'digits', 10)}`),
    () => iban('FR', signs(random, 'digits', 23)),
    () => iban('ES', signs(random, 'digits', 20)),
    () => iban('CH', signs(random, 'digits', 17)),
    () => iban('AT', signs(random, 'digits', 16)),
    () => iban('NO', signs(random, 'digits', 11)),
    () =>
      iban(
        'MT',
        `${signs(random, 'upper', 4)}${signs(random, 'digits', 5)}${signs(random, 'alphanumeric', 18).toUpperCase()}`,
      ),
  ])();
  return random.chance(0.5) ? made : made.replace(/(.{4})(?=.)/g, '$1 ');
}

/** The kinds, each made from what its vendor says on its format. */
const secretKinds: readonly SecretKind[] = [
  { name: 'AWS access key id', make: random => `${random.pick(['AKIA', 'ASIA'])}${signs(random, 'base32', 16)}` },
  {
    name: 'AWS secret access key',
    make: random => signs(random, 'base64', 40),
    as: [
      named('AWS_SECRET_ACCESS_KEY', 'aws_secret_access_key', 'SecretAccessKey'),
      secret => secret,
      secret => `the secret access key is ${secret}`,
    ],
  },
  {
    name: 'GitHub token',
    make: random => `${random.pick(['ghp', 'gho', 'ghu', 'ghs', 'ghr'])}_${signs(random, 'alphanumeric', 36)}`,
  },
  {
    name: 'GitHub fine-grained token',
    make: random => `github_pat_${signs(random, 'alphanumeric', 22)}_${signs(random, 'alphanumeric', 59)}`,
  },
  { name: 'GitLab token', make: random => `glpat-${signs(random, 'base64url', 20)}` },
  {
    name: 'Slack bot token',
    make: random =>
      `xoxb-${signs(random, 'digits', 12)}-${signs(random, 'digits', 13)}-${signs(random, 'alphanumeric', 24)}`,
  },
  {
    name: 'Slack app token',
    make: random => `xapp-1-A${signs(random, 'base32', 10)}-${signs(random, 'digits', 13)}-${signs(random, 'hex', 64)}`,
  },
  {
    name: 'Slack webhook',
    make: random =>
      `https://hooks.slack.com/services/T${signs(random, 'base32', 10)}/B${signs(random, 'base32', 10)}/${signs(random, 'alphanumeric', 24)}`,
    as: [secret => secret, secret => `curl -d '{"text":"x"}' ${secret}`, named('SLACK_WEBHOOK_URL', 'webhook')],
  },
  {
    name: 'Stripe key',
    make: random => `${random.pick(['sk', 'rk'])}_live_${signs(random, 'alphanumeric', random.pick([24, 99]))}`,
  },
  { name: 'Google API key', make: random => `AIza${signs(random, 'base64url', 35)}` },
  { name: 'Google OAuth secret', make: random => `GOCSPX-${signs(random, 'base64url', 28)}` },
  {
    name: 'Azure storage key',
    make: random => base64(random, 64),
    as: [
      secret => `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${secret};EndpointSuffix=core.windows.net`,
      named('AZURE_STORAGE_KEY', 'AccountKey'),
    ],
  },
  {
    name: 'OpenAI key',
    make: random =>
      `sk-${random.pick(['proj-', 'svcacct-', ''])}${signs(random, 'alphanumeric', 20)}T3BlbkFJ${signs(random, 'alphanumeric', 20)}`,
  },
  { name: 'Anthropic key', make: random => `sk-ant-api03-${signs(random, 'base64url', 93)}AA` },
  {
    name: 'SendGrid key',
    make: random => `SG.${signs(random, 'base64url', 22)}.${signs(random, 'base64url', 43)}`,
  },
  {
    name: 'Twilio auth token',
    make: random => signs(random, 'hex', 32),
    as: [
      named('TWILIO_AUTH_TOKEN', 'authToken'),
      secret => `curl -u AC${'0'.repeat(32)}:${secret} https://api.twilio.com`,
    ],
  },
  { name: 'npm token', make: random => `npm_${signs(random, 'alphanumeric', 36)}` },
  { name: 'PyPI token', make: random => `pypi-AgEIcHlwaS5vcmc${signs(random, 'base64url', 120)}` },
  { name: 'Docker Hub token', make: random => `dckr_pat_${signs(random, 'base64url', 27)}` },
  { name: 'DigitalOcean token', make: random => `dop_v1_${signs(random, 'hex', 64)}` },
  {
    name: 'Vault token',
    make: random => `hvs.${signs(random, 'alphanumeric', 24)}${signs(random, 'base64url', random.whole(0, 70))}`,
  },
  {
    name: 'Grafana token',
    make: random => `glsa_${signs(random, 'alphanumeric', 32)}_${signs(random, 'hex', 8)}`,
  },
  { name: 'Hugging Face token', make: random => `hf_${signs(random, 'alphanumeric', 34)}` },
  {
    name: 'Telegram bot token',
    make: random => `${random.whole(1, 9)}${signs(random, 'digits', 9)}:AA${signs(random, 'base64url', 33)}`,
  },
  { name: 'Shopify token', make: random => `shpat_${signs(random, 'hex', 32)}` },
  { name: 'Databricks token', make: random => `dapi${signs(random, 'hex', 32)}` },
  { name: 'age key', make: random => `AGE-SECRET-KEY-1${signs(random, 'alphanumeric', 58).toUpperCase()}` },
  {
    name: 'Datadog key',
    make: random => signs(random, 'hex', 32),
    as: [named('DD_API_KEY', 'DATADOG_APP_KEY', 'api_key', 'dd-api-key'), secret => `the api key is ${secret}`],
  },
  { name: 'JWT', make: jwt },
  {
    name: 'opaque bearer token',
    make: random => signs(random, 'alphanumeric', random.whole(20, 60)),
    as: [
      secret => `curl -H 'Authorization: Bearer ${secret}' https://api.example.com`,
      secret => `Authorization: Bearer ${secret}`,
      secret => `authorization=Bearer ${secret}`,
      secret => `{"headers":{"Authorization":"Bearer ${secret}"}}`,
      secret => `Authorization: token ${secret}`,
    ],
  },
  {
    name: 'basic authorization',
    make: random => Buffer.from(`deploy:${plainPassword(random)}`).toString('base64'),
    as: [
      secret => `Authorization: Basic ${secret}`,
      secret => `curl -H "Authorization: Basic ${secret}" https://x.example`,
    ],
  },
  { name: 'password', make: password, as: passwordSentences },
  { name: 'password in an address', make: plainPassword, as: inUrls },
  { name: 'connection string', make: plainPassword, as: inConnections },
  {
    name: 'password of a command',
    make: plainPassword,
    as: [
      secret => `curl -u admin:${secret} https://api.example.com`,
      secret => `sshpass -p ${secret} ssh deploy@10.0.0.7`,
      secret => `mysql -h db -u root -p${secret} shop`,
      secret => `docker login -u ci --password ${secret}`,
      secret => `machine git.example.com login ci password ${secret}`,
    ],
  },
  { name: 'private key', make: pem, as: inPem },
  {
    name: 'WireGuard key',
    make: random => base64(random, 32),
    as: [secret => `[Interface]\nPrivateKey = ${secret}\nAddress = 10.0.0.2/32`, named('PrivateKey', 'PresharedKey')],
  },
  { name: 'card number', make: card, as: asNumber },
  { name: 'IBAN', make: account, as: asNumber },
];

/** So many secrets, of each kind as many, in the texts in which people paste them. */
export function makeSecrets(random: Random, count: number): readonly SecretSample[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = secretKinds[index % secretKinds.length];
    if (!kind) throw new Error('There are no kinds');
    const secret = kind.make(random);
    return { kind: kind.name, secret, text: random.pick(kind.as ?? surroundings)(secret, random) };
  });
}
