import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The program as people run it. Who is killed or waits under its own deadlines runs this one. */
export const muster = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** `muster` with the deadlines of tests. */
export const patientMuster = fileURLToPath(new URL('patient-muster.ts', import.meta.url));

/** `npm run demo` with the deadlines of tests. */
export const patientDemo = fileURLToPath(new URL('patient-demo.ts', import.meta.url));

/** A `muster` process, whose output can be read. */
export type MusterProcess = ChildProcessByStdio<null, Readable, Readable>;

/** How a process differs from the usual. */
export interface MusterProcessOptions {
  /** Absent: a folder that has no `.env` of a developer. */
  readonly cwd?: string;
  /** The program; {@link patientMuster} when absent. */
  readonly program?: string;
  /** For Node. */
  readonly flags?: readonly string[];
}

/** Starts a `muster` process with nothing in its environment but what is given. */
export function spawnMuster(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  { cwd = tmpdir(), flags = [], program = patientMuster }: MusterProcessOptions = {},
): MusterProcess {
  return spawn(process.execPath, [...flags, program, ...args], {
    cwd,
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
