import { setTimeout as pause } from 'node:timers/promises';

/** A webhook for Muster. */
interface Parcel {
  /** Where Muster takes it: `/hooks/alerts/watchdog`. */
  readonly path: string;
  readonly body: string;
  /** The headers beside its type, at the moment at which it is sent: a signature has a time. */
  readonly headers: () => Readonly<Record<string, string>>;
}

/** What a courier needs. */
export interface CourierOptions {
  /** Where Muster is, without a trailing slash: `http://127.0.0.1:3000`. */
  readonly url: () => string;
  /** Is called whenever one is taken or refused. */
  readonly changed?: () => void;
  /** Milliseconds before it sends again what Muster did not take; a second when absent. */
  readonly again?: number;
}

/** Brings webhooks to Muster in order. What Muster does not take is sent again. Disposing ends what waits. */
export interface Courier extends AsyncDisposable {
  send(parcel: Parcel): void;
  /** How many wait, and why Muster refused the last one. */
  facts(): { readonly waiting: number; readonly problem?: string };
  /** Resolves when Muster took or refused everything. */
  sent(): Promise<void>;
}

/** Opens a courier; `what` names one of its webhooks: `an alert`. */
export function openCourier(what: string, options: CourierOptions): Courier {
  const { url, changed = () => undefined, again = 1000 } = options;
  const closing = new AbortController();
  let waiting = 0;
  let problem: string | undefined;
  let last = Promise.resolve();

  /** Whether nobody needs to send it again: Muster took it, or refused it for good. */
  async function isTaken({ path, body, headers }: Parcel): Promise<boolean> {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers() },
      body,
      signal: closing.signal,
    };
    const response = await fetch(`${url()}${path}`, request).catch(() => undefined);
    if (response === undefined || response.status >= 500) return false;
    const text = await response.text();
    problem = response.ok ? undefined : `Muster refused ${what}: ${response.status} ${text.slice(0, 300)}`.trim();
    return true;
  }

  return {
    send: parcel => {
      waiting += 1;
      last = last
        .then(async () => {
          while (!(await isTaken(parcel))) await pause(again, undefined, { signal: closing.signal });
        })
        .catch(() => undefined)
        .finally(() => {
          waiting -= 1;
          changed();
        });
    },
    facts: () => ({ waiting, ...(problem === undefined ? {} : { problem }) }),
    sent: () => last,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await last;
    },
  };
}
