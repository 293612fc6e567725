import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listenLocally } from '../workspace/listen-locally.ts';
import type { WireAnswer } from './wire.ts';

/** How a proxy disturbs the requests that it watches. */
export interface Disturbance {
  /** The connection breaks before the request reaches anybody. */
  readonly isDown: boolean;
  /** Milliseconds that a request waits before it is passed on. */
  readonly delay: number;
  /** The request takes effect, then the connection breaks. */
  readonly losesAnswers: boolean;
}

/** A request that the proxy watches. */
interface WatchedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What a proxy needs. */
export interface ProxyOptions {
  /** The port to listen on; a free one when it is absent or taken. */
  readonly port?: number | undefined;
  /** Where requests go; undefined while nobody is there. */
  readonly target: () => string | undefined;
  /** Whether a request is watched and disturbed. Others pass straight. */
  readonly watches: (request: IncomingMessage) => boolean;
  readonly disturbance?: () => Disturbance;
  /** The sources that may frame what is not watched, as a content security policy names them; those that the target allows when absent. */
  readonly framedBy?: string;
  /** Hears of a watched request; the function it returns hears of its end. */
  readonly begin: (request: WatchedRequest) => (answer: WireAnswer) => void;
}

/** A proxy on this machine's loopback address. Disposing breaks every connection. */
export interface Proxy extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly port: number;
}

/** Headers about one connection alone. */
const ofOneHop = ['connection', 'keep-alive', 'transfer-encoding'];

const undisturbed: Disturbance = { isDown: false, delay: 0, losesAnswers: false };

/** Opens a proxy that passes requests on, tells of them, and disturbs them. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  // A connection that is kept may be closed by the other side in the very moment of its next use.
  const agent = new Agent({ keepAlive: false });
  const closing = new AbortController();
  const server = createServer((incoming, response) => {
    carry({ ...options, agent, signal: closing.signal }, incoming, response).catch(() => response.destroy());
  });
  const port = await listenLocally(server, [options.port ?? 0, 0]);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      agent.destroy();
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Carrying = ProxyOptions & { readonly agent: Agent; readonly signal: AbortSignal };

async function carry(options: Carrying, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readAll(incoming);
  const { method = 'GET', url: path = '/' } = incoming;
  if (!options.watches(incoming))
    return write(response, framedBy(options.framedBy, await ask(options, incoming, body)));
  const disturbance = options.disturbance ?? (() => undisturbed);
  const end = options.begin({ method, path, body: body.toString() });
  const breakOff = (outcome: string, answer: unknown) => {
    end({ outcome, isFailure: true, response: answer });
    response.destroy();
  };
  try {
    const { delay } = disturbance();
    if (delay > 0) await pause(delay, undefined, { signal: options.signal });
    // A request whose caller is gone ends here: a bot that starts again looks for its effect, and must find it or none.
    if (incoming.socket.destroyed || disturbance().isDown) return breakOff('not reached', undefined);
    const answer = await ask(options, incoming, body);
    const content = toContent(answer);
    if (disturbance().losesAnswers) return breakOff('answer lost', content);
    const { status } = answer;
    end({ outcome: status < 300 ? 'ok' : String(status), isFailure: status >= 400, response: content });
    write(response, answer);
  } catch {
    breakOff('not reached', undefined);
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** The answer, which these sources may frame. */
function framedBy(sources: string | undefined, answer: Answer): Answer {
  const policy = answer.headers['content-security-policy'];
  if (sources === undefined || typeof policy !== 'string') return answer;
  const opened = policy.replace(/frame-ancestors [^;]*/, `frame-ancestors ${sources}`);
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': opened } };
}

/** Passes a request on. Rejects when nobody answers. */
async function ask({ target, agent }: Carrying, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const base = target();
  if (base === undefined) throw new Error('Nobody is there.');
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { ...incoming.headers, 'content-length': String(body.length) };
  // A recorded answer is read by people.
  Reflect.deleteProperty(headers, 'accept-encoding');
  for (const hop of ofOneHop) Reflect.deleteProperty(headers, hop);
  const outgoing = request(`${base}${incoming.url}`, { method: incoming.method, headers, agent });
  outgoing.on('response', reply => {
    const { statusCode: status = 502, headers: own } = reply;
    readAll(reply).then(content => resolve({ status, headers: own, body: content }), reject);
  });
  outgoing.on('error', reject);
  outgoing.end(body);
  return await promise;
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  const own = { ...headers, 'content-length': String(body.length) };
  for (const hop of ofOneHop) Reflect.deleteProperty(own, hop);
  response.writeHead(status, own).end(body);
}

function toContent({ body }: Answer): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
