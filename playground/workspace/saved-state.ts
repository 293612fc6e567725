import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FakeSlackBase, SlackState } from '../fake-slack/fake-slack.ts';
import type { ReadMarks, SavedReadMarks } from './read-marks.ts';
import type { Attempts } from './troubles.ts';

/** What is kept of a workspace in its file. */
export interface SavedWorkspace {
  readonly slack: SlackState;
  readonly reads: SavedReadMarks;
}

/** Milliseconds between two writes, at least. */
const interval = 1000;
/** Writing may take one part in so many of the time. */
const share = 20;

/** Reads what was kept; undefined when nothing was. Rejects with a sentence when the file cannot be used. */
export async function loadWorkspace(file: string): Promise<SavedWorkspace | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const saved = parse(text);
  if (saved?.slack?.version === 1) return saved;
  throw new Error(`The workspace in ${file} cannot be read. Start with --fresh to begin anew.`);
}

function parse(text: string): SavedWorkspace | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a workspace in a file from now on. Disposing writes what is left. `attempts` hears of each write before that. */
export function keepWorkspace(
  file: string,
  { slack, reads }: { readonly slack: FakeSlackBase; readonly reads: ReadMarks },
  attempts: Attempts,
): AsyncDisposable {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let pause = interval;

  async function write(): Promise<void> {
    timer = undefined;
    const began = performance.now();
    const saved: SavedWorkspace = { slack: slack.save(), reads: reads.saved };
    const text = JSON.stringify(saved);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(`${file}.new`, text, { flush: true });
    await rename(`${file}.new`, file);
    pause = Math.max(interval, (performance.now() - began) * share);
  }

  /** One write at a time: they share the file that takes the place of the other. */
  function writeNext(): void {
    writing = writing.then(write).then(attempts.succeeded, attempts.failed);
  }

  function schedule(): void {
    timer ??= setTimeout(writeNext, pause);
  }

  const ends = [slack.watch(schedule), reads.watch(schedule)];
  schedule();
  return {
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) end();
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}
