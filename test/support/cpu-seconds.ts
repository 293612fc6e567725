import { readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second. */
const ticks = 100;

/** CPU seconds of this process so far, and of all that it started and that have ended. Without Linux its own alone. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childrenSeconds();
}

function childrenSeconds(): number {
  try {
    // The name of the program stands in brackets and may have spaces. Behind it, the fields are counted from the third on.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) / ticks;
  } catch {
    return 0;
  }
}
