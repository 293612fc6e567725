import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Resident memory of a process in MB (10⁶ bytes). */
export function residentMemory(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (Number(kibibytes) * 1024) / 1e6;
  } catch {
    return (Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024) / 1e6;
  }
}

/** Ticks of Linux's process accounting in a second, on every architecture that Node runs on (proc(5), USER_HZ). */
const ticksPerSecond = 100;

/** CPU time of a process and its threads so far, in milliseconds; NaN where there is no Linux to tell. */
export function cpuTime(pid: number): number {
  try {
    // The second field is the name of the program, which may hold anything.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}
