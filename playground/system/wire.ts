import { isDeepStrictEqual } from 'node:util';
import type { WireLine } from '../workspace/protocol.ts';

/** Lines that are kept. */
const kept = 500;
/** The most characters of a request's or an answer's JSON. */
const longest = 20_000;

/** Calls that the bot makes by itself, whether or not anybody does anything. */
const heartbeats = ['auth.test', 'IncidentsService.GetHomescreenVersion'];

/** Whether nobody caused a request: a heartbeat, or the doctor's try to change incident 0, which is nobody's (`bot/doctor/api.ts`). */
function isRoutine({ name, request }: WireRequest): boolean {
  if (heartbeats.includes(name)) return true;
  return typeof request === 'object' && request !== null && 'incidentID' in request && request.incidentID === '0';
}

/** A request as it begins. */
type WireRequest = Pick<WireLine, 'way' | 'name' | 'request'>;
/** How a request ended. */
export type WireAnswer = Required<Pick<WireLine, 'outcome' | 'isFailure' | 'response'>>;

/** What goes between Slack, the bot and the service: the last {@link kept} requests. */
export interface Wire {
  /** Oldest first. */
  readonly lines: readonly WireLine[];
  /**
   * Writes a line. The function it returns adds how the request ended; calls after the first do nothing. A request like the one
   * right before it, that ends as that did, is counted in its line: the bot asks the API every ten seconds what has changed.
   */
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

  function push(line: WireLine): void {
    lines.push(line);
    if (lines.length > kept) lines.shift();
    tell(line);
  }

  function replace(line: WireLine, by: WireLine): void {
    const at = lines.indexOf(line);
    if (at >= 0) lines[at] = by;
    tell(by);
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
      const began = performance.now();
      const mark = isRoutine({ way, name, request }) ? ({ isRoutine: true } as const) : {};
      const fresh = { way, name, at: Date.now(), isFailure: false, request: toShown(request), ...mark };
      const before = lines.at(-1);
      const first = before !== undefined && isRepeat(before, fresh) ? before : undefined;
      let open: WireLine = first ? { ...fresh, id: first.id, times: timesOf(first) + 1 } : { ...fresh, id: ++last };
      if (first) replace(first, open);
      else push(open);
      let isOpen = true;
      return ({ outcome, isFailure, response }) => {
        if (!isOpen) return;
        isOpen = false;
        if (first && first.outcome !== outcome) {
          replace(open, first);
          open = { ...fresh, id: ++last };
          push(open);
        }
        const duration = Math.round((performance.now() - began) * 10) / 10;
        replace(open, { ...open, duration, outcome, isFailure, response: toShown(response) });
      };
    },
    follow: listener => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Whether a request is like the one of a line that has its answer. */
function isRepeat(line: WireLine, { way, name, request }: WireRequest): boolean {
  return (
    line.outcome !== undefined && line.way === way && line.name === name && isDeepStrictEqual(line.request, request)
  );
}

function timesOf({ times = 1 }: WireLine): number {
  return times;
}
