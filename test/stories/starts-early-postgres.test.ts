import { expect, inject, onTestFinished, test } from 'vitest';
import { serviceMigrations } from '../../src/service/store/migrations.ts';
import { execute } from '../support/databases/execute.ts';
import { makeDatabase } from '../support/databases/fresh.ts';
import { openGate } from '../support/gate.ts';
import { openSettings, runMuster } from '../support/run-muster.ts';
import { startMessages, untilListening } from '../support/waiting.ts';

/** The address of an empty Postgres database, and a gate in front of it. */
async function openLateDatabase() {
  const fresh = await makeDatabase('no tables');
  onTestFinished(() => fresh[Symbol.asyncDispose]());
  const address = new URL(fresh.url);
  const gate = await openGate({ port: Number(address.port) });
  address.port = String(gate.port);
  address.hostname = '127.0.0.1';
  return { fresh, gate, address };
}

test('it waits for a Postgres that comes late', async () => {
  const { gate, address } = await openLateDatabase();
  const { settings } = await openSettings();
  const { child, printed, ended } = runMuster(['start'], { ...settings, DATABASE_URL: address.href });
  const { ready } = await untilListening(child);
  await expect.poll(ready).toMatchObject({ status: 503, waitsFor: [{ name: 'database' }] });
  await gate.open();
  await expect.poll(async () => (await ready()).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(startMessages(printed.stdout)).toEqual([
    'start: the database cannot be reached, so Muster waits for it',
    'start: the database answers',
  ]);
});

test('the service alone waits for a Postgres that comes late too, and says so', async () => {
  const { gate, address } = await openLateDatabase();
  const { child, printed, ended } = runMuster(['service', '--port', '0', '--database', address.href]);
  const logged = () =>
    printed.stderr
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line));
  const listens = () => logged().find(line => line.msg === 'service: listens');
  await expect.poll(listens).toBeDefined();
  const url = `http://127.0.0.1:${listens().port}`;
  const ready = async () => (await fetch(`${url}/readyz`)).json();
  await expect.poll(ready).toMatchObject({ ready: false, waitsFor: [{ name: 'database' }] });
  expect(await ready()).not.toHaveProperty('slack');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('\nmuster_database_up 0\n');
  const early = await fetch(`${url}/openapi.json`);
  expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5']);
  expect(printed.stdout, 'scripts read that line when it answers').toBe('');
  await gate.open();
  await expect.poll(ready).toMatchObject({ ready: true });
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
  await expect.poll(() => printed.stdout).toBe(`Muster's incident service listens on ${url}\n`);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect(logged().map(line => line.msg)).toEqual([
    expect.stringMatching(/^settings: The password of --database .* env:NAME\.$/),
    'service: listens',
    'start: the database cannot be reached, so Muster waits for it',
    'start: the database answers',
    'service: ready',
    'service: stops',
    'service: stopped',
  ]);
});

test('a wrong password ends the service alone with a sentence, and a signal ends its waiting', async () => {
  const { address } = await openLateDatabase();
  const wrong = new URL(inject('postgres').url);
  wrong.password = 'SECRET';
  const refused = await runMuster(['service', '--port', '0', '--database', wrong.href]).ended;
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^The database of .* cannot be used: password authentication failed/m);
  expect(refused.stderr).not.toContain('SECRET');
  const { child, printed, ended } = runMuster(['service', '--port', '0', '--database', address.href]);
  await expect.poll(() => printed.stderr).toContain('Muster waits for it');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stdout: '' });
});

test('a wrong password and a database of a newer Muster end it with a sentence', async () => {
  const { fresh } = await openLateDatabase();
  const { settings } = await openSettings();
  const wrong = new URL(inject('postgres').url);
  wrong.password = 'SECRET';
  const refused = await runMuster(['start'], { ...settings, DATABASE_URL: wrong.href }).ended;
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^The database of DATABASE_URL cannot be used: password authentication failed/);
  expect(refused.stderr).not.toContain('SECRET');
  const steps = [...serviceMigrations.map(each => each.name), '999-later'];
  await execute(
    fresh.url,
    `create table schema_migration (part text, name text, applied_at text, primary key (part, name));
      insert into schema_migration values ${steps.map(name => `('service', '${name}', '')`).join(', ')}`,
  );
  const newer = await runMuster(['start'], { ...settings, DATABASE_URL: fresh.url }).ended;
  expect(newer.code).toBe(1);
  expect(newer.stderr).toContain('it was last used by a newer Muster');
});
