import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder until the test ends. */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
