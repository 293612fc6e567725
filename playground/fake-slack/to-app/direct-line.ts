import type { Line, LineAnswer, SignedRequest } from './deliveries.ts';

/** The app as a function. It takes the requests that Slack would send to its request URL; a rejection is a broken connection. */
export type AppHandler = (request: SignedRequest) => Promise<{
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}>;

/** Hands requests to a function in the same process. Only the global timers decide when it is too late. */
export class DirectLine implements Line {
  #deliver: AppHandler | undefined;

  get isOpen(): boolean {
    return this.#deliver !== undefined;
  }

  connect(deliver: AppHandler): void {
    this.#deliver = deliver;
  }

  async send(signed: SignedRequest, timeoutMs: number): Promise<LineAnswer> {
    const deliver = this.#deliver;
    if (deliver === undefined) return { failed: 'dispatch_failed' };
    const late = Promise.withResolvers<LineAnswer>();
    const timer = setTimeout(late.resolve, timeoutMs, { failed: 'operation_timeout' });
    const answered = (async () => deliver(signed))().then(
      ({ status, body, headers = {} }) => ({ status, body, headers }),
      () => ({ failed: 'dispatch_failed' }) as const,
    );
    try {
      return await Promise.race([answered, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}
