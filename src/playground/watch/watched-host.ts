import { startPlayground } from '../playground.ts';

/*
 * The process of a playground that a supervisor starts again and again (supervisor.ts). Its options are its argument, as JSON.
 */

/** What the process is asked for. */
export interface HostOptions {
  readonly dataFolder: string;
  readonly port: number;
  readonly isFresh: boolean;
}

/** What the supervisor tells the process. */
export type Order = 'restart bot' | 'stop';
/** What the process tells the supervisor, once: that the playground is there. */
export interface Report {
  readonly url: string;
  readonly folder: string;
}

const tell = (sentence: string) => void process.stderr.write(`${sentence}\n`);

/** Ctrl+C reaches every process of the terminal. The supervisor stops this one. */
process.on('SIGINT', () => undefined);

const options: HostOptions = JSON.parse(process.argv[2] ?? '{}');
const playground = await startPlayground({ ...options, onError: tell }).catch((error: Error) => {
  tell(error.message);
  process.exit(1);
});
const { url, folder } = playground;
process.on('message', (order: Order) => {
  if (order === 'restart bot') playground.system.restartBot().catch((error: Error) => tell(error.message));
  else void stop();
});
process.once('disconnect', stop);
process.send?.({ url, folder } satisfies Report);

async function stop(): Promise<void> {
  await playground[Symbol.asyncDispose]();
  process.exit(0);
}
