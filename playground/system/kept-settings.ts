import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const Kept = z.object({ port: z.number().int() });

/** What a playground keeps from one run to the next besides databases: the port of links that stand in messages. */
export type KeptSettings = z.output<typeof Kept>;

/** Reads them; undefined when there are none yet. */
export async function readKept(file: string): Promise<KeptSettings | undefined> {
  try {
    return Kept.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes them. */
export async function writeKept(file: string, kept: KeptSettings): Promise<void> {
  await writeFile(file, JSON.stringify(kept));
}
