import { type Dispatcher, Pool } from 'undici';
import { RpcError } from '../contract/errors.ts';

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
  return { origin: url.origin, host: url.host, prefix: url.pathname.replace(/\/+$/, '') };
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

/** Why an API gave no answer. */
interface Unreachable {
  readonly code: 'unavailable' | 'invalid_response' | 'invalid_argument';
  /** The end of a sentence that begins with the API. */
  readonly words: string;
  /** What the operator does about it, where that follows from the reason. */
  readonly hint?: string;
}

/** Codes of OpenSSL for a certificate whose signer is not known. */
const unknownSigner =
  /^(UNABLE_TO_(VERIFY_LEAF_SIGNATURE|GET_ISSUER_CERT(_LOCALLY)?)|(DEPTH_ZERO_)?SELF_SIGNED_CERT(_IN_CHAIN)?)$/;

/** A connection failure in words for people, by the codes of Node, OpenSSL and undici. */
function explainUnreachable(error: Error): Unreachable {
  const name = 'code' in error && typeof error.code === 'string' ? error.code : '';
  switch (name) {
    case 'ECONNREFUSED':
      return away('refused the connection', 'See whether it runs, and whether its port is the right one.');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return away('could not be found by name', 'Check the spelling of the host, and the DNS of this machine.');
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return away('lies in a network that this machine does not reach');
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return away('did not take the connection in time', 'See whether a firewall stands between.');
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return away(
        'closed the connection before the answer was complete',
        'If it never answers, see whether its address begins with https://.',
      );
    case 'CERT_HAS_EXPIRED':
      return away('has a certificate that has expired', 'Renew it, and see that this machine’s clock is right.');
    case 'CERT_NOT_YET_VALID':
      return away('has a certificate that is not valid yet', 'See that this machine’s clock is right.');
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return away(
        'has a certificate for another host',
        'Name that host in the address, or give it a certificate for this one.',
      );
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return away('was not asked, because this process is stopping');
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { code: 'invalid_response', words: 'sent too many headers' };
    case 'UND_ERR_INVALID_ARG':
      return { code: 'invalid_argument', words: 'was not asked, because the address or a header is malformed' };
    default:
      return explainRest(error, name);
  }
}

function explainRest(error: Error, name: string): Unreachable {
  if (unknownSigner.test(name)) {
    return away(
      'has a certificate that no authority known to Muster has signed (self-signed, or of an authority of your own)',
      'Start Muster with NODE_EXTRA_CA_CERTS=<file> in its environment, where the file has the certificate of that authority.',
    );
  }
  if (name === 'EPROTO' || /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/.test(name)) {
    return away('does not speak TLS at that port', 'Check the port, and whether the address begins with http://.');
  }
  if (/^(ERR_(SSL|TLS)|CERT|UNABLE_TO)_/.test(name)) return away(`refuses TLS, or has a bad certificate (${name})`);
  if (error.name === 'HTTPParserError')
    return { code: 'invalid_response', words: 'answered with something that is not HTTP', hint: 'Check the port.' };
  return away(`cannot be reached${name === '' ? '' : ` (${name})`}`);
}

function away(words: string, hint?: string): Unreachable {
  return { code: 'unavailable', words, ...(hint === undefined ? {} : { hint }) };
}
