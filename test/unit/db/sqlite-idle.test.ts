import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createIdleCheckpoint } from '../../../src/db/sqlite.ts';
import { openFolder } from '../../support/folder.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A file with a log, its writer, and a reader. The log is written to, and the clock stands still until a test moves it. */
async function openFile() {
  const file = join(await openFolder(), 'muster.db');
  const open = () => {
    const database = new DatabaseSync(file, { timeout: 0 });
    onTestFinished(() => database.close());
    return database;
  };
  const writer = open();
  writer.exec('pragma journal_mode = wal; create table thing (name text not null)');
  const onWritten = createIdleCheckpoint(writer);
  const write = () => {
    writer.exec("insert into thing (name) values ('a')");
    onWritten();
  };
  return { writer, open, write, logBytes: () => statSync(`${file}-wal`).size };
}

/** Expects that the log is full for a minute, and empty a second after `leave`. */
function expectEmptiedAfter(leave: () => void, logBytes: () => number): void {
  vi.advanceTimersByTime(60_000);
  expect(logBytes()).toBeGreaterThan(0);
  leave();
  vi.advanceTimersByTime(1000);
  expect(logBytes()).toBe(0);
}

test('the log is emptied a second after the last write', async () => {
  const { write, logBytes } = await openFile();
  write();
  vi.advanceTimersByTime(900);
  write();
  vi.advanceTimersByTime(900);
  expect(logBytes()).toBeGreaterThan(0);
  vi.advanceTimersByTime(100);
  expect(logBytes()).toBe(0);
});

test('the log is emptied once a reader has left that held it, though nothing is written any more', async () => {
  const { open, write, logBytes } = await openFile();
  const reader = open();
  reader.exec('begin; select name from thing');
  write();
  expectEmptiedAfter(() => reader.exec('commit'), logBytes);
});

test('the log is emptied once another connection has given back the lock for writing', async () => {
  const { open, write, logBytes } = await openFile();
  write();
  const other = open();
  other.exec('begin immediate');
  expectEmptiedAfter(() => other.exec('rollback'), logBytes);
});

test('the log is emptied after a transaction of the writer itself', async () => {
  const { writer, write, logBytes } = await openFile();
  write();
  writer.exec('begin');
  expectEmptiedAfter(() => writer.exec('commit'), logBytes);
});

test('a closed database is left alone', async () => {
  const { writer, write } = await openFile();
  write();
  writer.close();
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
  writer.open();
});
