import { type HttpTransport, openHttpTransport, type TransportRequest, type TransportResponse } from './transport.ts';

/** One request to an address of any host. */
interface PostRequest extends Pick<TransportRequest, 'headers' | 'timeout' | 'signal'> {
  readonly url: string;
  /** Who is asked, as the subject of a sentence: errors name them. */
  readonly whom: string;
  readonly body: string;
}

/** Connections to one host at a time. */
const connections = 4;
/** The most bytes of an answer: its words are for people. */
const maxResponseBytes = 65_536;

/**
 * Opens a poster, which posts to addresses of several hosts: it keeps a pool of connections for each that is asked. It throws as a
 * `Transport` does. Disposing closes its connections.
 */
export function openPoster() {
  const transports = new Map<string, HttpTransport>();
  const post = async ({ url, whom, ...request }: PostRequest): Promise<TransportResponse> => {
    const { origin, pathname, search } = new URL(url);
    const name = `${whom} at ${origin}`;
    const transport =
      transports.get(name) ?? openHttpTransport({ baseUrl: origin, whom, connections, maxResponseBytes });
    transports.set(name, transport);
    return await transport({ ...request, method: 'POST', path: `${pathname}${search}` });
  };
  return Object.assign(post, {
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...transports.values()].map(each => each[Symbol.asyncDispose]()));
    },
  });
}
