import { expect, inject, onTestFinished, test } from 'vitest';
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
  await expect.poll(async () => (await ready()).status, { timeout: 30_000 }).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
  expect(startMessages(printed.stdout)).toEqual([
    'start: the database cannot be reached, so Muster waits for it',
    'start: the database answers',
  ]);
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
  await execute(
    fresh.url,
    "create table schema_migration (part text, name text, applied_at text, primary key (part, name)); insert into schema_migration values ('service', '999-later', '')",
  );
  const newer = await runMuster(['start'], { ...settings, DATABASE_URL: fresh.url }).ended;
  expect(newer.code).toBe(1);
  expect(newer.stderr).toContain('it was last used by a newer Muster');
});
