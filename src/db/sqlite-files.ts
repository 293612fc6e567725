import { access, chmod, mkdir, open, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Size } from './engine.ts';

/** Whether a file is there. */
export async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

/** Makes the folder of a database file. Throws with a sentence when it cannot. */
export async function makeFolder(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await makeStepwise(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The folder ${folder} of the database in DATABASE_URL cannot be made: ${reason}. Name a file in a folder that Muster’s user may write.`,
      { cause: error },
    );
  }
}

/** Makes a folder and those above it. Node's own way never ends in folders like /proc, which deny that they could hold another. */
async function makeStepwise(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = toCode(error);
    if (code === 'EEXIST') return;
    const above = dirname(folder);
    if (code !== 'ENOENT' || above === folder) throw error;
    await makeStepwise(above);
    await mkdir(folder, { mode: 0o700 });
  }
}

/**
 * Makes a database file that its user alone may read, or takes the rights of strangers from one that is there. SQLite gives its log
 * the rights of the file. What the system refuses is left to SQLite, which says why.
 */
export async function makePrivate(file: string): Promise<void> {
  try {
    await (await open(file, 'wx', 0o600)).close();
  } catch {
    await Promise.all(['', '-wal', '-shm'].map(part => shutOut(file + part)));
  }
}

/** Takes the rights of strangers from a file; those of its group may be meant. */
async function shutOut(file: string): Promise<void> {
  try {
    const found = await stat(file);
    if (found.isFile() && (found.mode & 0o007) !== 0) await chmod(file, found.mode & 0o770);
  } catch {
    // It is absent, or another user's to guard.
  }
}

/** The first bytes of a write-ahead log, for either order of bytes in its checksums (sqlite.org/fileformat2.html, 4.1). */
const beginnings: readonly number[] = [0x377f0682, 0x377f0683];

/**
 * Logs when SQLite is about to drop the write-ahead log of a file, because its beginning is damaged: SQLite says nothing, and the
 * changes in it are lost.
 */
export async function checkWriteAheadLog(file: string, log: Logger | undefined): Promise<void> {
  const walFile = `${file}-wal`;
  let beginning: Buffer;
  try {
    await using handle = await open(walFile);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (bytesRead < 4) return;
    beginning = buffer;
  } catch (error) {
    if (toCode(error) !== 'ENOENT')
      log?.warn({ err: error, file: walFile }, 'database: could not read the write-ahead log');
    return;
  }
  if (beginnings.includes(beginning.readUInt32BE())) return;
  log?.error(
    { file: walFile },
    'database: the write-ahead log is damaged and SQLite drops it; changes since it was last copied into the database are lost',
  );
}

/** The size of a database file with its log, and the room on its disk. */
export async function sizeOf(file: string): Promise<Size> {
  if (file === ':memory:') return { bytes: 0, free: undefined };
  const parts = await Promise.all(['', '-wal'].map(part => stat(file + part).catch(() => ({ size: 0 }))));
  const { bavail, bsize } = await statfs(dirname(file));
  return { bytes: parts.reduce((sum, each) => sum + each.size, 0), free: bavail * bsize };
}

/** The code of a system error: `ENOENT`. */
export function toCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
