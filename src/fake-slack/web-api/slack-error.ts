import type { JsonObject } from '../json.ts';

/** Slack says no: becomes `{ ok: false, error }` with HTTP 200. `details` are the extra members of that answer. */
export class SlackRefusal extends Error {
  readonly code: string;
  readonly details: JsonObject;

  constructor(code: string, details: JsonObject = {}) {
    super(`Slack refuses with "${code}"`);
    this.name = 'SlackRefusal';
    this.code = code;
    this.details = details;
  }
}

/** The answer Slack gives when a payload breaks its schema: each complaint once plain and once as `[ERROR] …`. */
export function refuseComplaints(code: string, complaints: readonly string[]): SlackRefusal {
  return new SlackRefusal(code, {
    errors: [...complaints],
    response_metadata: { messages: complaints.map(complaint => `[ERROR] ${complaint}`) },
  });
}
