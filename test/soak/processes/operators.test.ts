import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyWebhook } from '../../../src/contract/webhook-signature.ts';
import { spawnMuster } from '../../support/muster-process.ts';
import { openReceiver } from '../../support/webhook-receiver.ts';

/*
 * What operators do with commands while a service runs, each in a process of its own.
 */

const settingSecret = 'the-secret-of-the-settings';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-operators-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]) => runWith({}, ...args);

function runWith(settings: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const usual = {
    DATABASE_URL: `sqlite:${join(folder, 'muster.db')}`,
    LOG_LEVEL: 'trace',
    WEBHOOK_SECRET: settingSecret,
  };
  const child = spawnMuster(args, { ...usual, ...settings }, { cwd: folder });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', text => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    said.err += text;
  });
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  return { child, said, ended };
}

async function command(...args: readonly string[]) {
  const { said, ended } = run(...args);
  return { code: await ended, ...said };
}

/** A service that listens, and its address. */
const serve = (...args: readonly string[]) => whenListening(run('service', '--port', '0', ...args));

async function whenListening(service: ReturnType<typeof run>) {
  const url = await new Promise<string>((resolve, reject) => {
    service.child.stdout.on('data', () => {
      const [found] = /http:\S+/.exec(service.said.out) ?? [];
      if (found) resolve(found);
    });
    service.child.once('close', () => reject(new Error(service.said.err)));
  });
  return {
    ...service,
    url,
    async [Symbol.asyncDispose]() {
      service.child.kill('SIGTERM');
      await service.ended;
    },
  };
}

const call = (url: string, operation: string, body: object, token: string) =>
  fetch(`${url}/api/plugins/grafana-irm-app/resources/api/v1/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });

test('tokens and webhooks are managed while the service runs, and nothing it says holds a secret', async () => {
  await using byCommand = await openReceiver();
  await using bySetting = await openReceiver(400);
  await using service = await serve('--webhook-urls', `${bySetting.url}?key=hidden`);
  const [created, added] = await Promise.all([
    command('tokens', 'create', 'ci', '--role', 'editor'),
    command('webhooks', 'add', byCommand.url, '--query', 'severity:critical'),
  ]);
  const token = created.out.trim();
  const secret = added.out.trim();
  expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^glsa_\w{43}_[0-9a-f]{8}\n$/) });
  expect(created.err).toContain('Token 1, "ci", has the role Editor. Muster shows it only now');
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^[0-9a-f]{64}\n$/) });
  expect(added.err).toContain('Added endpoint 2. It receives events of incidents that match, but not of private ones.');

  expect((await call(service.url, 'IncidentsService.CreateIncident', { title: 'quiet' }, token)).status).toBe(200);
  const hook = `${service.url}/api/plugins/grafana-irm-app/resources/api/v1/incoming-webhooks/grafana.incident.create`;
  const parameters = new URLSearchParams({ title: 'loud', severity: 'critical', token });
  expect((await fetch(`${hook}?${parameters}`, { method: 'POST' })).status).toBe(200);
  const [told] = await byCommand.first(1);
  expect(told?.payload.incident.title).toBe('loud');
  const genuine = verifyWebhook(String(told?.headers['gi-signature']), told?.body ?? '', secret);
  expect(genuine).toMatchObject({ genuine: true });
  await bySetting.first(2);

  const [tokens, endpoints, deliveries, revoked] = await Promise.all([
    command('tokens', 'list'),
    command('webhooks', 'list'),
    command('webhooks', 'deliveries', '--endpoint', '2'),
    command('tokens', 'revoke', 'ci'),
  ]);
  expect(tokens.out).toMatch(/^id\s+name\s+role\s+created\s+last used\s+revoked\n1\s+ci\s+Editor\s+2\S+Z\s+2\S+Z\s+/);
  expect(endpoints.out).toMatch(/\n1 .* WEBHOOK_URLS .*\n2 .* severity:critical\s+no\s+command/);
  expect(deliveries.out).toMatch(/\n\d\s+2\S+Z\s+2\s+grafana.incident.created\s+2\s+success\s+1\s+HTTP 200\s+/);
  const retried = await command('webhooks', 'retry', '--failed');
  expect(retried).toMatchObject({ code: 0, err: expect.stringMatching(/^2 deliveries are due now\./m) });
  await bySetting.first(4);
  expect(bySetting.received[2]?.body).toBe(bySetting.received[0]?.body);
  expect(revoked).toMatchObject({ code: 0, err: expect.stringContaining('Token "ci" is revoked') });
  await expect
    .poll(async () => (await call(service.url, 'IncidentsService.GetHomescreenVersion', {}, token)).status)
    .toBe(401);
  expect(await (await fetch(`${hook}?${parameters}`, { method: 'POST' })).json()).toMatchObject({
    message: 'Token revoked',
  });
  await service[Symbol.asyncDispose]();

  const everything = [service.said, tokens, endpoints, deliveries, revoked].map(each => each.out + each.err).join('');
  for (const hidden of [token, token.slice(5, 20), secret, settingSecret]) expect(everything).not.toContain(hidden);
  expect(service.said.out + service.said.err).not.toContain('key=hidden');
  expect(created.err + added.err).not.toContain(token);
});

test('the service alone takes its port and tokens from the settings too, unless options say otherwise', async () => {
  const settings = { PORT: '0', SERVICE_TOKENS: 'glsa_number_one_of_three:Viewer, glsa_number_two_of_three:Admin' };
  const statuses = async (url: string) =>
    Promise.all(
      ['glsa_number_one_of_three', 'glsa_number_two_of_three', 'glsa_number_three_of_three'].map(
        async token => (await call(url, 'RolesService.CreateRole', { role: { name: token } }, token)).status,
      ),
    );
  await using service = await whenListening(runWith(settings, 'service'));
  expect(await statuses(service.url)).toEqual([403, 200, 401]);
  expect(service.said.err).not.toContain('glsa_');
  await service[Symbol.asyncDispose]();
  await using other = await whenListening(runWith(settings, 'service', '--token', 'glsa_number_three_of_three:Admin'));
  expect(await statuses(other.url)).toEqual([401, 401, 200]);
});

test.each([
  [['tokens', 'create', 'x', '--role', 'Boss'], 'The role must be one of Viewer, Editor, Admin.'],
  [['tokens', 'revoke', 'nobody'], 'there is no token "nobody" that could be revoked'],
  [['webhooks', 'add', 'mailto:x'], 'the address must begin with http:// or https:// and name a host'],
  [['webhooks', 'remove', 'x'], 'Name an endpoint by its number. muster webhooks list shows the numbers.'],
  [['webhooks', 'deliveries', '--status', 'lost'], 'The status must be one of todo, success, failed.'],
  [['webhooks', 'retry'], 'Name one delivery, or --failed.'],
  [['webhooks', 'retry', 'all'], 'Name a delivery by its number. muster webhooks deliveries shows the numbers.'],
  [['webhooks', 'retry', '99'], 'Delivery 99 cannot be sent again: the log has no such delivery.'],
  [['webhooks', 'discard', '99'], 'no delivery 99 waits'],
  [['service', '--webhook-urls', 'example.com'], 'address 1 must begin with http:// or https:// and name a host'],
])('%j says what is wrong', async (args, words) => {
  const { code, out, err } = await command(...args);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(words);
});
