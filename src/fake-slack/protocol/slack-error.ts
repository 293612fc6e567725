import type { JsonObject } from './json.ts';

/** Slack says no: becomes `{ ok: false, error }` with HTTP 200. `details` are the extra members of that answer. */
export class SlackError extends Error {
  readonly code: string;
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super(`Slack refuses with "${code}"`);
    this.name = 'SlackError';
    this.code = code;
    this.details = details;
  }
}

/** The answer Slack gives when a payload breaks its schema: each issue once plain and once as `[ERROR] …`. */
export function invalidPayload(code: string, issues: readonly string[]): SlackError {
  return new SlackError(code, {
    errors: [...issues],
    response_metadata: { messages: issues.map(issue => `[ERROR] ${issue}`) },
  });
}
