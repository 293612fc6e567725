import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Resident memory of a process in MB (10⁶ bytes). */
export function residentMemory(pid: number): number {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return (Number(kibibytes) * 1024) / 1e6;
  } catch {
    return (Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024) / 1e6;
  }
}

/** CPU time of a process and its living threads so far, in milliseconds; NaN where there is no Linux to tell. */
export function cpuTime(pid: number): number {
  try {
    const tasks = `/proc/${pid}/task`;
    // Nanoseconds stand first. The times in `stat` are whole hundredths of a second, more than a few notes take.
    const times = readdirSync(tasks).map(task => readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]);
    return times.reduce((sum, each) => sum + Number(each), 0) / 1e6;
  } catch {
    return Number.NaN;
  }
}
