import type { JsonObject } from './json.ts';

/** A refusal by Slack. The app gets `{ ok: false, error: code, ...details }` with HTTP 200. */
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

/** Slack's refusal of a payload that breaks its schema. It lists each issue plainly and as `[ERROR] …`. */
export function invalidPayload(code: string, issues: readonly string[]): SlackError {
  return new SlackError(code, {
    errors: [...issues],
    response_metadata: { messages: issues.map(issue => `[ERROR] ${issue}`) },
  });
}
