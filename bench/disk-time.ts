import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './measure.ts';

const writes = 50;

/** How long the disk under TMPDIR takes to keep a commit of two pages, in milliseconds: Muster waits for it, a bare app does not. */
export async function diskTime(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  try {
    await using file = await open(join(folder, 'commits'), 'w');
    const waits: number[] = [];
    for (let index = 0; index < writes; index += 1) {
      await file.write(Buffer.alloc(8192, index));
      const began = performance.now();
      await file.datasync();
      waits.push(performance.now() - began);
    }
    return median(waits);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
