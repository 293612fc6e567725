import { type Dispatcher, Pool } from 'undici';
import { RpcError } from '../contract/errors.ts';
import { trimEnd } from '../trim-end.ts';

/** One complete request. HTTP itself adds headers, and nothing else does. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the root of the API, with a leading slash; already encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; undefined sends no body. */
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** Milliseconds for this attempt, from connecting to the end of the answer. */
  readonly timeout: number;
}

/** One answer, of any status. Header names are in lower case. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * The narrow seam between the client and the server: HTTP here, the embedded service called directly in one process. It throws
 * `RpcError` when there is no answer: `unavailable`, `deadline_exceeded`, `canceled`, or `invalid_response` when the other side
 * does not speak HTTP. `maybeApplied` is false only when the request was certainly never written.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** A transport that holds connections. Disposing closes them; calls under way fail with `unavailable`. */
export type HttpTransport = Transport & AsyncDisposable;

/** Where the API is, and the limits of a connection to it. */
interface HttpTransportOptions {
  /** `http(s)://host[:port][/sub/path]`, with or without a trailing slash. */
  readonly baseUrl: string;
  /** What is there, as the subject of a sentence; default `The API`. */
  readonly whom?: string;
  /** The most connections at a time; default 16. */
  readonly connections?: number;
  /** The most bytes of an answer; default 16 MiB. */
  readonly maxResponseBytes?: number;
}

/**
 * Opens a keep-alive pool to one host. Redirects are never followed. Throws TypeError when `baseUrl` is not an http(s)
 * address, or carries a user or password, which would end up in logs.
 */
export function openHttpTransport(options: HttpTransportOptions): HttpTransport {
  const base = toBase(options.baseUrl);
  const limit = options.maxResponseBytes ?? 16 * 1024 * 1024;
  // Each attempt has its own timer. It also covers waiting for a connection, and an answer that trickles in.
  const peer = `${options.whom ?? 'The API'} at ${base.host}`;
  const pool = new Pool(base.origin, { connections: options.connections ?? 16, headersTimeout: 0, bodyTimeout: 0 });
  const send: Transport = request =>
    new Promise((resolve, reject) => {
      const exchange = new Exchange(request, peer, limit, resolve, reject);
      if (!exchange.settled) {
        pool.dispatch(
          {
            path: base.prefix + request.path,
            method: request.method,
            headers: request.headers as Record<string, string>,
            body: request.body ?? null,
          },
          exchange,
        );
      }
    });
  return Object.assign(send, { [Symbol.asyncDispose]: () => pool.destroy() });
}

function toBase(baseUrl: string): { origin: string; host: string; prefix: string } {
  const url = URL.parse(baseUrl);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new TypeError('The address of the API must begin with http:// or https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('The address of the API must not carry a user or password; give a token instead.');
  }
  return { origin: url.origin, host: url.host, prefix: trimEnd(url.pathname, /\//) };
}

/**
 * One request and its answer. It uses undici's handler interface, not its `request`: the handler learns when the request is
 * about to be written, which decides whether a `create` may be repeated, and no stream is built for a body that is read whole.
 */
class Exchange implements Dispatcher.DispatchHandler {
  settled = false;
  readonly #request: TransportRequest;
  readonly #peer: string;
  readonly #limit: number;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: RpcError) => void;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onAbort: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: TransportResponse['headers'] = {};
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(
    request: TransportRequest,
    peer: string,
    limit: number,
    resolve: (response: TransportResponse) => void,
    reject: (error: RpcError) => void,
  ) {
    this.#request = request;
    this.#peer = peer;
    this.#limit = limit;
    this.#resolve = resolve;
    this.#reject = reject;
    const signal = request.signal;
    if (signal?.aborted) {
      this.#cancel(signal);
      return;
    }
    this.#timer = setTimeout(onTimeout, request.timeout, this);
    if (signal !== undefined) {
      this.#onAbort = () => this.#cancel(signal);
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settled) controller.abort(new Error('no longer wanted'));
    else this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: TransportResponse['headers'],
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#limit) {
      this.#fail('invalid_response', `${this.#peer} sent more than ${this.#limit} bytes.`);
    } else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.settled) return;
    this.#settle();
    const body = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks, this.#size);
    this.#resolve({ status: this.#status, headers: this.#headers, body: body?.toString('utf8') ?? '' });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const { code, words, hint } = explainUnreachable(error);
    this.#fail(code, `${this.#peer} ${words}.`, error, hint);
  }

  /** The attempt took too long. */
  expire(): void {
    this.#fail('deadline_exceeded', `${this.#peer} did not answer within ${this.#request.timeout} ms.`);
  }

  #cancel(signal: AbortSignal): void {
    this.#fail('canceled', 'The call was given up.', signal.reason);
  }

  #fail(
    code: 'unavailable' | 'deadline_exceeded' | 'canceled' | 'invalid_response' | 'invalid_argument',
    message: string,
    cause?: unknown,
    hint?: string,
  ): void {
    if (this.settled) return;
    this.#settle();
    const written = this.#controller !== undefined;
    this.#reject(new RpcError(code, message, { maybeApplied: written, cause, ...(hint ? { hint } : {}) }));
    this.#controller?.abort(new Error('no longer wanted'));
  }

  #settle(): void {
    this.settled = true;
    clearTimeout(this.#timer);
    if (this.#onAbort !== undefined) this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }
}

function onTimeout(exchange: Exchange): void {
  exchange.expire();
}

/** Why an API gave no answer: the end of a sentence that begins with the API, and the operator's remedy where there is one. */
type Reason = readonly [words: string, hint?: string];

const refused: Reason = ['refused the connection', 'See whether it runs, and whether its port is the right one.'];
const unnamed: Reason = ['could not be found by name', 'Check the spelling of the host, and the DNS of this machine.'];
const unrouted: Reason = ['lies in a network that this machine does not reach'];
const slow: Reason = ['did not take the connection in time', 'See whether a firewall stands between.'];
const closed: Reason = [
  'closed the connection before the answer was complete',
  'If it never answers, see whether its address begins with https://.',
];
const stopping: Reason = ['was not asked, because this process is stopping'];

/** Reasons by the codes of Node, OpenSSL and undici. */
const reasons: Readonly<Record<string, Reason>> = {
  ...{ ECONNREFUSED: refused, ENOTFOUND: unnamed, EAI_AGAIN: unnamed, EHOSTUNREACH: unrouted, ENETUNREACH: unrouted },
  ...{ ETIMEDOUT: slow, UND_ERR_CONNECT_TIMEOUT: slow, ECONNRESET: closed, EPIPE: closed, UND_ERR_SOCKET: closed },
  ...{ UND_ERR_RES_CONTENT_LENGTH_MISMATCH: closed, UND_ERR_DESTROYED: stopping, UND_ERR_CLOSED: stopping },
  CERT_HAS_EXPIRED: ['has a certificate that has expired', 'Renew it, and see that this machine’s clock is right.'],
  CERT_NOT_YET_VALID: ['has a certificate that is not valid yet', 'See that this machine’s clock is right.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'has a certificate for another host',
    'Name that host in the address, or give it a certificate for this one.',
  ],
  UND_ERR_HEADERS_OVERFLOW: ['sent too many headers'],
  UND_ERR_INVALID_ARG: ['was not asked, because the address or a header is malformed'],
};

/** Codes of OpenSSL for a certificate whose signer is not known. */
const unknownSigner =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/;

/** A connection failure as a code of ours and a {@link Reason}. */
function explainUnreachable(error: Error) {
  const name = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const [words, hint] = reasons[name] ?? explainByKind(error, name);
  const isUnreadable = name === 'UND_ERR_HEADERS_OVERFLOW' || (!reasons[name] && isNotHttp(error));
  const code = isUnreadable ? 'invalid_response' : name === 'UND_ERR_INVALID_ARG' ? 'invalid_argument' : 'unavailable';
  return { code, words, hint } as const;
}

const isNotHttp = (error: Error) => error.name === 'HTTPParserError';

function explainByKind(error: Error, name: string): Reason {
  if (unknownSigner.test(name))
    return [
      'has a certificate that no authority known to Muster has signed (self-signed, or of an authority of your own)',
      'Start Muster with NODE_EXTRA_CA_CERTS=<file> in its environment, where the file has the certificate of that authority.',
    ];
  if (name === 'EPROTO' || /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(name))
    return ['does not speak TLS at that port', 'Check the port, and whether the address begins with http://.'];
  if (/^(ERR_(SSL|TLS)|CERT|UNABLE_TO)_/.test(name)) return [`refuses TLS, or has a bad certificate (${name})`];
  if (isNotHttp(error)) return ['answered with something that is not HTTP', 'Check the port.'];
  return [`cannot be reached${name === '' ? '' : ` (${name})`}`];
}
