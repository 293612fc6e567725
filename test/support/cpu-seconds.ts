import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second. */
const ticks = 100;

/** What Linux says of a process: its parent, and CPU seconds of its own and of what it started and has ended. */
interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly own: number;
  readonly ended: number;
}

/** Undefined where there is no such process, and no Linux. */
function statOf(pid: number): Stat | undefined {
  try {
    // The name of the program stands in brackets and may have spaces. Behind it, the fields are counted from the third on.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const [, parent = 0] = fields;
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11);
    return { pid, parent, own: (user + system) / ticks, ended: (endedUser + endedSystem) / ticks };
  } catch {
    return undefined;
  }
}

/** CPU seconds of this process so far, and of all that it started and that have ended. Without Linux its own alone. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + (statOf(process.pid)?.ended ?? 0);
}

/** CPU seconds of another process so far, and of those that it started; 0 without Linux. */
export function cpuSecondsOf(pid: number): number {
  const { own = 0, ended = 0 } = statOf(pid) ?? {};
  return own + ended + childrenOf(pid).reduce((sum, each) => sum + each.own + each.ended, 0);
}

/** The processes that another one started and that have not ended; none without Linux. */
export function childrenOf(pid: number): readonly Stat[] {
  const all = readdirSync('/proc').flatMap(name => statOf(Number(name)) ?? []);
  return all.filter(each => each.parent === pid);
}
