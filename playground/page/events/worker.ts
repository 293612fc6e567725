import type { Told } from '../../workspace/protocol.ts';
import { SharedStream } from './shared-stream.ts';

/* A shared worker: all windows of a browser are told over its one stream. */

/** What a window asks: to be told what a person sees, or, without one, nothing more. */
export interface Asked {
  readonly as?: string;
}

/** What the worker answers. */
export type Answered = { readonly told: Told } | { readonly isOnline: boolean };

const stream = new SharedStream(address => new EventSource(address));

addEventListener('connect', event => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  const answer = (words: Answered): void => port.postMessage(words);
  let leave: (() => void) | undefined;
  port.onmessage = ({ data: { as } }: MessageEvent<Asked>) => {
    leave?.();
    leave =
      as === undefined
        ? undefined
        : stream.enter(as, { onTold: told => answer({ told }), onLine: isOnline => answer({ isOnline }) });
  };
});
