import type { JsonSchema } from './json-schema.ts';

const text = (description: string): JsonSchema => ({ type: 'string', description });

/** Body of a failed RPC call (docs/api-rules.md A1, Error envelope). */
export const RpcProblem: JsonSchema = {
  type: 'object',
  description: 'RFC 7807, with `error` and `message` repeating `detail` for older clients.',
  properties: {
    type: text('Always `about:blank`.'),
    title: text('The HTTP phrase of the status.'),
    status: { type: 'integer', description: 'The HTTP status of the answer.' },
    detail: text('What went wrong, in words.'),
    code: text('Why, as one word for programs, such as `common.validation_failed`.'),
    retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
    error: { type: 'string', minLength: 1, description: 'The same as `detail`.' },
    message: text('The same as `detail`.'),
    hint: text('What the caller may do.'),
    trace_id: text('Under which id the server has the details.'),
  },
  required: ['title', 'status', 'detail', 'error', 'message'],
};

/** Body of a failed call of the short-URL and dashboard API (docs/api-rules.md B, C1). */
export const HttpProblem: JsonSchema = {
  type: 'object',
  description: 'What went wrong, as Grafana writes it.',
  properties: {
    message: text('What went wrong, in words.'),
    status: text('Why, as one word: `version-mismatch`, `name-exists`, `plugin-dashboard`.'),
    messageId: text('Why, as one word, for short URLs and a token that is not valid: `shorturl.absolute-path`.'),
    statusCode: { type: 'integer', description: 'The HTTP status of the answer.' },
    traceID: text('Always empty here.'),
  },
  required: ['message'],
};
