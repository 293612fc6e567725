/** An answer as it stands on the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What becomes of one request. */
export interface Failure {
  /**
   * Whether it takes effect: not at all, before it is answered, or so many seconds after it came; then it is answered too, unless its
   * connection was `cut` before, so many seconds after it came.
   */
  readonly effect: 'none' | 'at once' | { readonly after: number; readonly cut?: number };
  /** What is sent in place of the answer: nothing (`reset`), the first half of one, or this. Absent: the answer. */
  readonly reply?: 'reset' | 'half' | (() => Reply);
}

const typed =
  (type: string) =>
  (status: number, body: string, headers = {}) => ({
    effect: 'none' as const,
    reply: () => ({ status, headers: { 'content-type': type, ...headers }, body }),
  });
const html = typed('text/html; charset=utf-8');
const text = typed('text/plain; charset=utf-8');
const json = (status: number, body: object, headers = {}) =>
  typed('application/json; charset=utf-8')(status, JSON.stringify(body), headers);

/** The words of each refusal that is made here. */
export const refusalWords = 'the policy of this stack forbids it';
const access = `You'll need additional permissions to perform this action. Permissions needed: plugins.app:access`;
const page = (title: string) =>
  `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;

/** Refusals: the API itself says no, with a reason, as often as it is asked. */
export const refusals = {
  'status 200 with an error': json(200, { error: refusalWords }),
  'status 500 with an error': json(500, { error: refusalWords }),
  'a problem with status 400': json(
    400,
    {
      ...{ type: 'about:blank', title: 'Bad Request', status: 400, detail: refusalWords },
      ...{ code: 'common.validation_failed', retryable: false, error: refusalWords },
    },
    { 'content-type': 'application/problem+json' },
  ),
  '401': json(401, { message: 'Invalid API key', messageId: 'api-key.invalid', statusCode: 401, traceID: '' }),
  '403': json(403, { title: 'Access denied', message: access, accessErrorId: 'ACE0123456789' }),
  '404 of the API itself': json(404, {
    ...{ type: 'about:blank', title: 'Not Found', status: 404, detail: 'Entity.FindOne: not found' },
    ...{ code: 'common.not_found', retryable: false, error: 'Entity.FindOne: not found' },
  }),
} as const satisfies Record<string, Failure>;

/** The API is away: something else answers in its place, or nothing does. Nothing takes effect. */
export const absences = {
  '404 of a missing plugin': json(404, { message: 'Plugin not found', messageId: 'plugin.notFound', traceID: '' }),
  '404 as text': text(404, '404 page not found\n'),
  ...Object.fromEntries(
    [
      [500, 'Internal Server Error'] as const,
      [502, 'Bad Gateway'] as const,
      [503, 'Service Unavailable'] as const,
      [504, 'Gateway Timeout'] as const,
    ].flatMap(([status, words]) => [
      [`${status} as JSON`, json(status, { message: words, traceID: '' })],
      [`${status} as text`, text(status, words)],
      [`${status} as HTML`, html(status, page(`${status} ${words}`))],
    ]),
  ),
  'a login page': html(200, page('Grafana – Welcome to Grafana')),
  'a redirect to a login': html(302, '<a href="/login">Found</a>', { location: '/login' }),
  'an empty answer': text(200, ''),
  'a reset before the write': { effect: 'none', reply: 'reset' },
  'half an answer before the write': { effect: 'none', reply: 'half' },
} as const satisfies Record<string, Failure>;

const slowDown = { message: 'Too many requests' };

/** The API asks for a pause of ten minutes, which is longer than any client waits within a call. */
export const pauses = {
  '429 with seconds': json(429, slowDown, { 'retry-after': '600' }),
  '429 with a date': {
    effect: 'none',
    // A client compares it with its own clock.
    reply: () => json(429, slowDown, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }).reply(),
  },
} as const satisfies Record<string, Failure>;

/** The request takes effect, and its answer is lost. */
export const losses = {
  'a reset after the write': { effect: 'at once', reply: 'reset' },
  'half an answer after the write': { effect: 'at once', reply: 'half' },
  '502 after the write': { ...html(502, page('502 Bad Gateway')), effect: 'at once' },
} as const satisfies Record<string, Failure>;

/** Somebody in between waits for an answer no longer than so many seconds. */
const patience = 7;

/** The request takes effect so many seconds after it came, whether or not somebody still waits for it. */
export const delays = Object.fromEntries(
  [5, 8, 12, 20, 45].map(after => [`lands after ${after} s`, { effect: { after, cut: patience } }]),
) satisfies Record<string, Failure>;
