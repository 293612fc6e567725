import type { Hearer } from '../connection.ts';
import { SharedStream } from './shared-stream.ts';
import type { Answered, Asked } from './worker.ts';

/**
 * Tells a window what a person sees, from the beginning. Returns what ends that. All windows of a browser share one stream where the
 * browser has shared workers; elsewhere, as on a phone, each has its own.
 */
export function listen(as: string, hearer: Hearer): () => void {
  if (!('SharedWorker' in globalThis)) return listenAlone(as, hearer);
  const worker = new SharedWorker(new URL('worker.ts', import.meta.url), { type: 'module' });
  const { port } = worker;
  let end = (): void => port.close();
  const ask = (words: Asked): void => port.postMessage(words);
  worker.addEventListener('error', () => {
    end = listenAlone(as, hearer);
  });
  port.onmessage = ({ data }: MessageEvent<Answered>) => {
    if ('told' in data) hearer.onTold(data.told);
    else hearer.onLine(data.isOnline);
  };
  const enter = (): void => ask({ as });
  const leave = (): void => ask({});
  // A window that the browser keeps for “Back” goes on where it is shown again.
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) enter();
  };
  addEventListener('pagehide', leave);
  addEventListener('pageshow', onShow);
  enter();
  return () => {
    removeEventListener('pagehide', leave);
    removeEventListener('pageshow', onShow);
    leave();
    end();
  };
}

function listenAlone(as: string, hearer: Hearer): () => void {
  return new SharedStream(address => new EventSource(address)).enter(as, hearer);
}
