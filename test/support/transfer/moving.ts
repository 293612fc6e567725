import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../../src/db/database.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { serviceMigrations } from '../../../src/service/store/migrations.ts';
import { openDatabaseSource } from '../../../src/transfer/database-source.ts';
import { writeExport } from '../../../src/transfer/export-folder.ts';
import type { TransferSource } from '../../../src/transfer/format.ts';
import { makeDatabase } from '../databases/fresh.ts';
import type { OpenedService } from '../service.ts';
import { type Api, createOf } from './api-of.ts';

/** When things are moved in these tests. */
export const movingDay = new Date('2026-11-20T12:00:00Z');

/** A folder that is removed at the end. */
export async function openFolder(): Promise<{ path: string } & AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), 'muster-transfer-'));
  return {
    path: join(root, 'export'),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

/** A database with the service's tables and nothing in them. */
export async function openEmpty(): Promise<{ database: Database; url: string } & AsyncDisposable> {
  const fresh = await makeDatabase();
  const database = await openDatabase(fresh.url);
  await migrate(database, 'service', serviceMigrations, movingDay);
  return {
    database,
    url: fresh.url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await fresh[Symbol.asyncDispose]();
    },
  };
}

/** Exports a database, or whatever else is a source, into a folder. */
export async function exportTo(path: string, from: Database | TransferSource): Promise<void> {
  const source = 'incidents' in from ? from : openDatabaseSource(from);
  await writeExport(path, source, '2026-11-20T12:00:00Z');
}

/** Every file of a folder by its path, the manifest without its time and source. */
export async function readFiles(path: string): Promise<Record<string, unknown>> {
  const names = await readdir(path, { recursive: true, withFileTypes: true });
  const files: Record<string, unknown> = {};
  for (const each of names.filter(name => name.isFile())) {
    const whole = join(each.parentPath, each.name);
    const value = JSON.parse(await readFile(whole, 'utf8'));
    const name = whole.slice(path.length + 1);
    files[name] = name === 'manifest.json' ? { ...value, createdTime: '', source: '' } : value;
  }
  return files;
}

/** The service of a test, called as a client would. */
export function apiOf(opened: Pick<OpenedService, 'service'>): Api {
  return createOf(opened.service.handle);
}
