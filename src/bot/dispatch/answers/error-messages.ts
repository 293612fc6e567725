import type { RpcError } from '../../../contract/errors.ts';
import { restoredReason } from '../../incident/api/restored.ts';
import { waitsForEarlier } from '../../journal/rows.ts';
import { toMrkdwn } from '../../text/blocks.ts';

/** The name of an answer that is not of the API's protocol. */
const unreadable = 'a response Muster could not read (a wrong address, or a proxy page?)';
/** The advice for an API that does not recover. */
const tellAdministrator = 'If this goes on, tell your Muster administrator.';

const restored =
  'This waited while Muster’s database was restored from a backup, and somebody may have changed it since: look at `/incident status`, and press *Try again* if you still want it.';

/** Why a read failed and what to do, in mrkdwn. `api` is its name. A read changes nothing, so the words do not mention changes. */
export function explainRead(error: RpcError, api: string): string {
  switch (error.code) {
    case 'unavailable':
    case 'deadline_exceeded':
    case 'internal':
      return `I could not look that up: ${api} cannot be reached right now. Try again in a moment.`;
    case 'invalid_response':
      return `I could not look that up: ${api} sent ${unreadable}. ${tellAdministrator}`;
    default:
      return explain(error, api);
  }
}

/** Why a write failed or may have failed, and what to do, in mrkdwn. It depends on the code alone: the API's words are quoted, never matched. */
export function explain(error: RpcError, api: string): string {
  const words = toMrkdwn(error.message, 400);
  if (error.reason === restoredReason) return restored;
  switch (error.code) {
    case 'unavailable':
      return error.maybeApplied
        ? `${api} did not answer, so it may or may not have happened: look at \`/incident status\` before you try again.`
        : `${api} cannot be reached, and nothing was changed: try again in a moment.`;
    case 'deadline_exceeded':
      return `${api} took too long to answer, so it may or may not have happened: look at \`/incident status\` before you try again.`;
    case 'resource_exhausted':
      return `${api} is receiving too many requests, and nothing was changed: try again in ${error.retryAfter ? `${Math.ceil(error.retryAfter)} s` : 'a moment'}.`;
    case 'unauthenticated':
      return `${api} does not accept Muster’s token, and nothing was changed: your Muster administrator must renew \`GRAFANA_TOKEN\`.`;
    case 'permission_denied':
      return `${api} does not let Muster do this (“${words}”), and nothing was changed: your Muster administrator must give its service account the role Editor, or Admin for the list of roles.`;
    case 'invalid_response':
      return `${api} sent ${unreadable}, so it may or may not have happened: look at \`/incident status\`, and tell your Muster administrator if this goes on.`;
    case 'internal':
      return `${api} failed (“${words}”), so it may or may not have happened: look at \`/incident status\` before you try again.`;
    case 'not_found':
      return `${api} could not find it: “${words}”.`;
    case 'conflict':
    case 'failed_precondition':
      return `The reason: “${words}”.`;
    case 'payload_too_large':
      return `That is too long for ${api}, and nothing was changed: make it shorter.`;
    case 'canceled':
      return error.maybeApplied
        ? 'Muster stopped in the middle of it, so it may or may not have happened: look at `/incident status` before you try again.'
        : 'Muster stopped before it was done: try again.';
    case 'unsupported_encoding':
    case 'invalid_argument':
      return `${api} refused it: “${words}”.`;
  }
}

/** When an intent that is saved is made: the end of “I’ll do it as soon as …” (mrkdwn). `isUnregistered`: the API does not know its incident yet. */
export function explainQueued(error: RpcError, api: string, isUnregistered = false): string {
  switch (error.code) {
    case 'resource_exhausted':
      return `${api} takes it: it asks to wait`;
    case 'internal':
      return `${api} works again`;
    case 'canceled':
      return 'Muster is running again';
    default:
      if (error !== waitsForEarlier) return `${api} answers`;
      return isUnregistered ? 'this incident is registered' : 'the changes before it are made';
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
