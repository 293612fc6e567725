import type { MusterProcess } from './muster-process.ts';
import { lineOf } from './run-muster.ts';

/** A `muster start` that listens and may still wait for what it needs. */
export async function untilListening(child: MusterProcess) {
  const { port } = JSON.parse(await lineOf(child, /"msg":"muster: listens"/));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    ready: async () => {
      const response = await fetch(`${url}/readyz`);
      return Object.assign(JSON.parse(await response.text()), { status: response.status });
    },
    metrics: async () => (await fetch(`${url}/metrics`)).text(),
  };
}

/** What a process has logged of its start, one message after another. */
export function startMessages(stdout: string): readonly string[] {
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => String(JSON.parse(line).msg))
    .filter(message => message.startsWith('start: '));
}
