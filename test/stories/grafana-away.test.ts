import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { Deadlines } from '../../src/deadlines.ts';
import { patient } from '../support/deadlines.ts';
import { lacks, run } from '../support/deploy/tool.ts';
import { openFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { openProgram } from '../support/program.ts';
import { openInstalledSlack, openWorkplace } from '../support/workplace.ts';

const token = 'glsa_that_nobody_reads';

/** A server that is closed when the test ends, and its address with the host. */
async function listen(server: Server, scheme: 'http' | 'https', host = '127.0.0.1'): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = new Set<{ destroy(): unknown }>();
  server.on('connection', socket => sockets.add(socket));
  onTestFinished(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  return `${scheme}://${host}:${(server.address() as AddressInfo).port}`;
}

const plain = (listener: RequestListener) => listen(createServer(listener), 'http');

/**
 * A TLS server with a certificate that it has signed itself, for `name`, valid for so many days from now. `isKnown`: this process takes it
 * for one of an authority.
 */
async function withCertificate({ name = 'localhost', days = 2, isKnown = false } = {}): Promise<string> {
  const folder = await openFolder();
  await writeFile(`${folder}/names`, `subjectAltName=DNS:${name}`);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', 'key.pem'];
  const request = ['req', '-new', ...key, '-out', 'request.pem', '-subj', `/CN=${name}`];
  const signing = ['-signkey', 'key.pem', '-extfile', 'names', '-days', String(days), '-out', 'cert.pem'];
  for (const args of [request, ['x509', '-req', '-in', 'request.pem', ...signing]]) {
    const { code, text } = run('openssl', args, folder);
    if (code !== 0) throw new Error(text);
  }
  const read = (file: string) => readFileSync(`${folder}/${file}`);
  if (isKnown) {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, read('cert.pem')]);
    onTestFinished(() => setDefaultCACertificates(before));
  }
  const server = createTlsServer({ key: read('key.pem'), cert: read('cert.pem') }, (_, response) => response.end());
  return await listen(server, 'https', 'localhost');
}

/** A bot whose Grafana is there, and what its log, its readiness and the doctor say of it. */
async function ask(address: string, deadlines: Deadlines) {
  const slack = await openInstalledSlack();
  const databaseFile = `${await openFolder()}/muster.db`;
  const settings = { GRAFANA_URL: address, GRAFANA_TOKEN: token };
  const place = await openWorkplace({ slack, databaseFile, settings, deadlines });
  const logged = () => place.troubles.map(each => String(each.msg)).filter(each => each.startsWith('start: '));
  await expect.poll(logged).toHaveLength(1);
  const { problems } = JSON.parse(await (await fetch(`${place.muster.url}/readyz`)).text());
  const environment = {
    ...{ SLACK_BOT_TOKEN: slack.botToken, SLACK_SIGNING_SECRET: slack.signingSecret, SLACK_API_URL: slack.apiUrl },
    ...{ DATABASE_URL: `sqlite:${databaseFile}`, ...settings },
  };
  const { said, run } = openProgram(environment, deadlines);
  await run('doctor', '--json');
  const { findings } = JSON.parse(said.printed) as { findings: { subject: string; found: string; fix: string }[] };
  const found = findings.filter(each => /API/.test(each.subject) && each.found !== '');
  return [logged().join('\n'), problems.join('\n'), found.map(each => `${each.found} ${each.fix}`).join('\n')];
}

/** For an API that says nothing. */
const soon = { attemptTimeout: 50, budget: 50 };
const hasty = patient({ apiProbe: soon, apiDoctor: soon });

const noTls = lacks('openssl');

test.each<[string, () => Promise<string>, RegExp, boolean?]>([
  ['nothing listens', async () => `http://127.0.0.1:${await freePort()}`, /refused the connection/],
  ['the host is unknown', async () => 'http://grafana.invalid', /grafana\.invalid could not be found by name.*DNS/],
  ['it says nothing', () => listen(createRawServer(), 'http'), /did not answer within \d+ ms/],
  [
    'it hangs up',
    () =>
      listen(
        createRawServer(each => each.destroy()),
        'http',
      ),
    /closed the connection/,
  ],
  [
    'it is no HTTP',
    () =>
      listen(
        createRawServer(each => each.end('SSH-2.0\r\n')),
        'http',
      ),
    /not HTTP/,
  ],
  ['it speaks no TLS', async () => (await plain(() => {})).replace('http', 'https'), /does not speak TLS.*http:\/\//],
  ['its certificate is its own', () => withCertificate(), /has signed.*NODE_EXTRA_CA_CERTS/s, noTls],
  ['its certificate has expired', () => withCertificate({ days: -1, isKnown: true }), /has expired.*clock/s, noTls],
  [
    'its certificate is of another host',
    () => withCertificate({ name: 'other.test', isKnown: true }),
    /for another host/,
    noTls,
  ],
  ['a login page answers', () => plain((_, each) => each.writeHead(200).end('<html>')), /a web page.*login/],
  ['it sends to a login', () => plain((_, each) => each.writeHead(302, { location: '/login' }).end()), /login.*302/],
  ['a proxy answers', () => plain((_, each) => each.writeHead(502).end('<html>Bad gateway')), /a web page.*502/],
  ['it fails', () => plain((_, each) => each.writeHead(500).end('{"error":"disk"}')), /status 500, “disk”/],
])('%s: log, readiness and doctor name it and the host', async (name, open, words, isSkipped = false) => {
  if (isSkipped) return;
  const address = await open();
  for (const said of await ask(address, name === 'it says nothing' ? hasty : patient())) {
    expect(said).toMatch(words);
    expect(said).toContain(new URL(address).host);
    expect(said).not.toContain(token);
  }
});
