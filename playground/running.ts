import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deadlines } from '../src/deadlines.ts';

/** A playground that runs, as the file `running.json` in its folder names it. `mark` is its own: its page answers it at `/mark`. */
interface Running {
  readonly url: string;
  readonly mark: string;
}

const fileOf = (folder: string) => join(folder, 'running.json');

/** The address of the playground that runs with its state in a folder; undefined for none. A process that was killed leaves its file behind. */
export async function findRunning(folder: string, deadlines: Deadlines): Promise<string | undefined> {
  try {
    const { url, mark }: Running = JSON.parse(await readFile(fileOf(folder), 'utf8'));
    const response = await fetch(`${url}/mark`, { signal: AbortSignal.timeout(deadlines.playground.answer) });
    return (await response.text()) === mark ? url : undefined;
  } catch {
    return undefined;
  }
}

/** A mark for a playground that starts. */
export const newMark = randomUUID;

/** Says that a playground runs, until it is disposed. */
export async function tellRunning(folder: string, running: Running): Promise<AsyncDisposable> {
  await writeFile(fileOf(folder), JSON.stringify(running));
  return { [Symbol.asyncDispose]: () => rm(fileOf(folder), { force: true }) };
}
