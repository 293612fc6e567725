import type { WireLine } from '../workspace/protocol.ts';

/** Lines that are kept. */
const kept = 500;
/** The most characters of a request's or an answer's JSON. */
const longest = 20_000;

/** A request as it begins. */
export type WireRequest = Pick<WireLine, 'way' | 'name' | 'request'>;
/** How a request ended. */
export type WireAnswer = Required<Pick<WireLine, 'outcome' | 'isFailure' | 'response'>>;

/** What goes between Slack, the bot and the service: the last {@link kept} requests. */
export interface Wire {
  /** Oldest first. */
  readonly lines: readonly WireLine[];
  /** Writes a line. The function it returns adds how the request ended; calls after the first do nothing. */
  begin(request: WireRequest): (answer: WireAnswer) => void;
  /** Calls the listener with each new line, and with the line again when its request has ended. Returns what ends that. */
  follow(listener: (line: WireLine) => void): () => void;
}

/** Opens a wire. No line has any of the `secrets`. */
export function openWire(secrets: readonly string[]): Wire {
  const lines: WireLine[] = [];
  const listeners = new Set<(line: WireLine) => void>();
  let last = 0;

  function tell(line: WireLine): void {
    for (const listener of listeners) listener(line);
  }

  function toShown(value: unknown): unknown {
    let json = JSON.stringify(value) ?? '';
    for (const secret of secrets) json = json.replaceAll(secret, '[secret]');
    if (json.length > longest) return `${json.slice(0, longest)} … (${json.length - longest} more characters)`;
    return json === '' ? undefined : JSON.parse(json);
  }

  return {
    lines,
    begin: ({ way, name, request }) => {
      last += 1;
      const began = performance.now();
      const open: WireLine = { id: last, way, name, at: Date.now(), isFailure: false, request: toShown(request) };
      lines.push(open);
      if (lines.length > kept) lines.shift();
      tell(open);
      let isOpen = true;
      return ({ outcome, isFailure, response }) => {
        if (!isOpen) return;
        isOpen = false;
        const duration = Math.round((performance.now() - began) * 10) / 10;
        const ended: WireLine = { ...open, duration, outcome, isFailure, response: toShown(response) };
        const at = lines.indexOf(open);
        if (at >= 0) lines[at] = ended;
        tell(ended);
      };
    },
    follow: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
