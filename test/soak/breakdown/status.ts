import { setTimeout as wait } from 'node:timers/promises';
import { patience } from '../../support/patience.ts';

/** What a process says of itself. */
export interface Status {
  /** `/readyz` answers 200. */
  readonly isReady: boolean;
  /** The sentences of `/readyz`. */
  readonly problems: readonly string[];
  /** Gauges without labels, by name. */
  readonly gauges: ReadonlyMap<string, number>;
}

/** Asks a process; undefined while it does not answer. */
async function readStatus(url: string): Promise<Status | undefined> {
  try {
    const signal = AbortSignal.timeout(patience);
    const readyz = await fetch(`${url}/readyz`, { signal });
    const { problems = [] }: { problems?: readonly string[] } = JSON.parse(await readyz.text());
    const page = await (await fetch(`${url}/metrics`, { signal })).text();
    const gauges = page
      .split('\n')
      .map(line => /^(\w+) ([\d.e+]+)$/.exec(line))
      .flatMap(found => (found ? [[found[1] ?? '', Number(found[2])] as const] : []));
    return { isReady: readyz.status === 200, problems, gauges: new Map(gauges) };
  } catch {
    return undefined;
  }
}

/** Resolves with the seconds until a process says so; rejects with its last words when that takes too long. */
export async function secondsUntil(url: string, says: (status: Status) => boolean): Promise<number> {
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1000;
  for (;;) {
    const status = await readStatus(url);
    if (status && says(status)) return passed();
    if (passed() > patience / 1000)
      throw new Error(`After ${patience / 1000} s it says ${status?.problems.join(' ') ?? 'nothing'}`);
    await wait(250);
  }
}
