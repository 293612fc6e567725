import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openFolder } from '../folder.ts';
import { freePort } from '../free-port.ts';
import { run } from './tool.ts';

/** The addresses that the proxies' files let in from inside, as they stand there. */
const inside = /127\.0\.0\.0\/8/;

/** What a proxy's file becomes for a test. */
interface ProxyOptions {
  /** A file of `deploy/proxy`. */
  readonly file: string;
  /** Where Muster listens, as `127.0.0.1:1234`. */
  readonly muster: string;
  /** Whether the test asks as somebody from inside, or as a stranger. */
  readonly from: 'inside' | 'outside';
}

/** Runs nginx with a file of `deploy/proxy` until the test ends: on a free port, with TLS. Returns its port and its certificate. */
export async function openNginx(options: ProxyOptions): Promise<{ port: number; certificate: string }> {
  const folder = await openFolder();
  const port = await freePort();
  const { certificate, key } = makeCertificate(folder);
  const site = (await adapt(options))
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/etc/ssl/certs/muster.pem', certificate)
    .replace('/etc/ssl/private/muster.key', key);
  await writeFile(join(folder, 'site.conf'), site);
  await mkdir(join(folder, 'temporary'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    each => `${each}_temp_path ${join(folder, 'temporary', each)};`,
  );
  const main = join(folder, 'nginx.conf');
  await writeFile(
    main,
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}\n` +
      `http { access_log off; ${temporary.join(' ')} include ${folder}/site.conf; }\n`,
  );
  const checked = run('nginx', ['-t', '-q', '-e', `${folder}/error.log`, '-c', main], folder);
  if (checked.code !== 0) throw new Error(`nginx refuses ${options.file}: ${checked.text}`);
  await untilListening(start('nginx', ['-e', `${folder}/error.log`, '-c', main], folder), port);
  return { port, certificate };
}

/** Runs Caddy with a file of `deploy/proxy` until the test ends: on a free port, without TLS, whose certificates Caddy would fetch. */
export async function openCaddy(options: ProxyOptions): Promise<{ port: number }> {
  const folder = await openFolder();
  const port = await freePort();
  const site = (await adapt(options)).replace(/^muster\.example\.com \{/m, `http://127.0.0.1:${port} {`);
  const file = join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n}\n${site}`);
  const checked = run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], folder);
  if (checked.code !== 0) throw new Error(`Caddy refuses ${options.file}: ${checked.text}`);
  await untilListening(start('caddy', ['run', '--adapter', 'caddyfile', '--config', file], folder), port);
  return { port };
}

async function adapt({ file, muster, from }: ProxyOptions): Promise<string> {
  const text = await readFile(new URL(`../../../deploy/proxy/${file}`, import.meta.url), 'utf8');
  const here = text.replace('127.0.0.1:3000', muster).replaceAll('127.0.0.1:3000', muster);
  return from === 'inside' ? here : here.replace(inside, '192.0.2.0/24');
}

function makeCertificate(folder: string): { certificate: string; key: string } {
  const certificate = join(folder, 'muster.pem');
  const key = join(folder, 'muster.key');
  const names = 'subjectAltName=DNS:muster.example.com,DNS:tools.example.com';
  const subject = ['-subj', '/CN=muster.example.com', '-addext', names, '-days', '1'];
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const { code, text } = run('openssl', [...kind, '-keyout', key, '-out', certificate, ...subject], folder);
  if (code !== 0) throw new Error(`openssl makes no certificate: ${text}`);
  return { certificate, key };
}

function start(program: string, args: readonly string[], folder: string): ChildProcess {
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, args, { cwd: folder, env, stdio: 'ignore' });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  return child;
}

/** Resolves when somebody can connect. */
async function untilListening(child: ChildProcess, port: number): Promise<void> {
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
