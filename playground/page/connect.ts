import type { ActAnswer, MessagePage, PinPage } from '../workspace/protocol.ts';
import type { Connection, Hearer } from './connection.ts';
import { listen } from './events/listen.ts';

const unreachable = 'The playground does not answer. Is `npm run demo` still running?';

/** Connects the page of one person. */
export function connect(as: string, hearer: Hearer): Connection {
  const close = listen(as, hearer);
  return {
    async act(act) {
      const body = JSON.stringify({ as, act });
      return ask<ActAnswer>('/acts', { problem: unreachable }, { method: 'POST', body });
    },
    messages: query => ask<MessagePage | undefined>('/messages', undefined, {}, { as, ...query }),
    pins: channel => ask<PinPage | undefined>('/pins', undefined, {}, { as, channel }),
    close,
  };
}

async function ask<T>(path: string, otherwise: T, init: RequestInit, query: Record<string, string> = {}): Promise<T> {
  try {
    const headers = { 'content-type': 'application/json' };
    const search = new URLSearchParams(query).toString();
    const response = await fetch(search === '' ? path : `${path}?${search}`, { ...init, headers });
    return response.ok ? await response.json() : otherwise;
  } catch {
    return otherwise;
  }
}
