import type { ActAnswer, MessagePage, PinPage, Told } from '../workspace/protocol.ts';
import type { Connection, Hearer } from './connection.ts';

const kinds: readonly Told['kind'][] = [
  'workspace',
  'channel',
  'channelGone',
  'person',
  'message',
  'messageGone',
  'views',
  'system',
  'wire',
  'journal',
  'stories',
];

const unreachable = 'The playground does not answer. Is `npm run demo` still running?';

/** Connects the page of one person. */
export function connect(as: string, { onTold, onLine }: Hearer): Connection {
  const events = new EventSource(`/events?${new URLSearchParams({ as })}`);
  events.addEventListener('open', () => onLine(true));
  events.addEventListener('error', () => onLine(false));
  for (const kind of kinds) {
    events.addEventListener(kind, event => onTold({ kind, ...JSON.parse(event.data) }));
  }
  return {
    async act(act) {
      const body = JSON.stringify({ as, act });
      return ask<ActAnswer>('/acts', { problem: unreachable }, { method: 'POST', body });
    },
    messages: query => ask<MessagePage | undefined>('/messages', undefined, {}, { as, ...query }),
    pins: channel => ask<PinPage | undefined>('/pins', undefined, {}, { as, channel }),
    close: () => events.close(),
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
