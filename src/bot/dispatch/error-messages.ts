import type { RpcError } from '../../contract/errors.ts';
import { waitsForEarlier } from '../journal/error-codec.ts';
import { said } from '../text/blocks.ts';

/** Why something could not be looked up, and what to do, in mrkdwn. Reading changes nothing, so nothing is said of that. */
export function explainRead(error: RpcError): string {
  switch (error.code) {
    case 'unavailable':
    case 'deadline_exceeded':
    case 'internal':
      return 'I could not look that up: the incident API cannot be reached right now. Try again in a moment.';
    case 'invalid_response':
      return 'I could not look that up: the incident API answered something that is not its own language. If it stays so, tell whoever runs Muster that the address may be wrong.';
    default:
      return explain(error);
  }
}

/** Why a write did not happen, or may not have, and what to do, in mrkdwn. From the code alone: the API's words are quoted, never matched. */
export function explain(error: RpcError): string {
  const words = said(error.message, 400);
  switch (error.code) {
    case 'unavailable':
      return error.maybeApplied
        ? 'The incident API did not answer, so it may or may not have happened. Look at `/incident status` before you try again.'
        : 'The incident API cannot be reached. Nothing was changed; try again in a moment.';
    case 'deadline_exceeded':
      return 'The incident API took too long to answer, so it may or may not have happened. Look at `/incident status` before you try again.';
    case 'resource_exhausted':
      return error.retryAfter
        ? `The incident API is asked too often. Nothing was changed; try again in ${Math.ceil(error.retryAfter)} s.`
        : 'The incident API is asked too often. Nothing was changed; try again in a moment.';
    case 'unauthenticated':
      return 'The incident API does not accept Muster’s token. Nothing was changed; whoever runs Muster must renew `GRAFANA_TOKEN`.';
    case 'permission_denied':
      return `The incident API does not let Muster do this (“${words}”). Nothing was changed; whoever runs Muster must give its service account the Editor role.`;
    case 'invalid_response':
      return 'The incident API answered something that is not its own language, so it may or may not have happened. Look at `/incident status`; if it stays so, tell whoever runs Muster that the address may be wrong.';
    case 'internal':
      return `The incident API failed (“${words}”), so it may or may not have happened. Look at \`/incident status\` before you try again.`;
    case 'not_found':
      return `The incident API has no such thing: “${words}”. It may have been removed meanwhile.`;
    case 'conflict':
    case 'failed_precondition':
      return `Something else is in the way: “${words}”.`;
    case 'payload_too_large':
      return 'That is more than the incident API takes at once. Make it shorter.';
    case 'canceled':
      return error.maybeApplied
        ? 'Muster was stopped in the middle of it, so it may or may not have happened. Look at `/incident status` before you try again.'
        : 'Muster was stopped before it was done. Try again.';
    case 'invalid_argument':
      return `The incident API refused it: “${words}”.`;
  }
}

/**
 * Why something is kept and not done yet, and what will become of it, in mrkdwn. `isUnregistered`: it is for an incident that the
 * API does not know yet.
 */
export function explainQueued(error: RpcError, isUnregistered = false): string {
  const later =
    'It will be done by itself, once and in order, and you will be told; `/incident status` shows what waits.';
  switch (error.code) {
    case 'resource_exhausted':
      return `The incident API is asked too often at the moment. ${later}`;
    case 'deadline_exceeded':
      return `The incident API took too long to answer. ${later}`;
    case 'internal':
      return `The incident API failed (“${said(error.message, 400)}”). ${later}`;
    case 'invalid_response':
      return `The incident API answered something that is not its own language; if it stays so, tell whoever runs Muster that the address may be wrong. ${later}`;
    case 'canceled':
      return `Muster is being stopped. ${later}`;
    default:
      return error === waitsForEarlier
        ? `${isUnregistered ? 'This incident is not registered yet, which comes first' : 'What was asked for before it is not done yet'}. ${later}`
        : `The incident API cannot be reached right now. ${later}`;
  }
}

/** Whether trying the very same thing again can help. */
export function worthRetrying(error: RpcError): boolean {
  return (
    error.retryable ||
    error.code === 'canceled' ||
    error.code === 'invalid_response' ||
    error.code === 'unauthenticated' ||
    error.code === 'permission_denied'
  );
}
