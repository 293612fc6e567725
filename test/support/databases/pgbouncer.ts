import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openFolder } from '../folder.ts';
import { freePort } from '../free-port.ts';

/**
 * A PgBouncer in front of a Postgres, with its usual settings and those of `more`; ended when the test ends. Returns the address of the
 * same database through it.
 */
export async function openPgbouncer(url: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await openFolder();
  const { hostname, port, username, password } = new URL(url);
  const listening = await freePort();
  await writeFile(join(folder, 'users.txt'), `"${username}" "${decodeURIComponent(password)}"\n`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: String(listening),
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    unix_socket_dir: '',
    ...more,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=${hostname} port=${port}\n[pgbouncer]\n${lines.join('\n')}\n`,
  );
  await chmod(folder, 0o755);
  // It refuses to run as root.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const path = `${process.env.PATH}${delimiter}/usr/sbin`;
  const child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...{ stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, PATH: path }, ...nobody },
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let said = '';
  child.stderr?.on('data', chunk => {
    said += chunk;
  });
  while (!(await isListening(listening))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${said}`);
    await pause(20);
  }
  const through = new URL(url);
  through.port = String(listening);
  return through.href;
}

async function isListening(port: number): Promise<boolean> {
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
