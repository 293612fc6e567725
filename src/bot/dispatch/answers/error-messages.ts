import type { RpcError } from '../../../contract/errors.ts';
import { restoredReason } from '../../incident/api/restored.ts';
import { waitsForEarlier } from '../../journal/entry.ts';
import { toMrkdwn } from '../../text/blocks.ts';

/** What the API sent when its answer is not of its protocol. */
const unreadable = 'a response Muster could not read (a wrong address, or a proxy page?)';
/** What to do when the API does not recover. */
const tellAdministrator = 'If this goes on, tell your Muster administrator.';

const restored =
  'Muster’s database was restored from a backup in which this was still open, and somebody may have changed it since. Nothing was changed. Look at `/incident status`, and press *Try again* if you still want it.';

/** Why a read failed and what to do, in mrkdwn. A read changes nothing, so the words do not mention changes. */
export function explainRead(error: RpcError): string {
  switch (error.code) {
    case 'unavailable':
    case 'deadline_exceeded':
    case 'internal':
      return 'I could not look that up: the incident API cannot be reached right now. Try again in a moment.';
    case 'invalid_response':
      return `I could not look that up: the incident API sent ${unreadable}. ${tellAdministrator}`;
    default:
      return explain(error);
  }
}

/** Why a write failed or may have failed, and what to do, in mrkdwn. It depends on the code alone: the API's words are quoted, never matched. */
export function explain(error: RpcError): string {
  const words = toMrkdwn(error.message, 400);
  if (error.reason === restoredReason) return restored;
  switch (error.code) {
    case 'unavailable':
      return error.maybeApplied
        ? 'The incident API did not answer, so it may or may not have happened. Look at `/incident status` before you try again.'
        : 'The incident API cannot be reached. Nothing was changed. Try again in a moment.';
    case 'deadline_exceeded':
      return 'The incident API took too long to answer, so it may or may not have happened. Look at `/incident status` before you try again.';
    case 'resource_exhausted':
      return `The incident API is receiving too many requests. Nothing was changed. Try again in ${error.retryAfter ? `${Math.ceil(error.retryAfter)} s` : 'a moment'}.`;
    case 'unauthenticated':
      return 'The incident API does not accept Muster’s token. Nothing was changed. Your Muster administrator must renew `GRAFANA_TOKEN`.';
    case 'permission_denied':
      return `The incident API does not let Muster do this (“${words}”). Nothing was changed. Your Muster administrator must give its service account the role that this takes: Editor, or Admin for the list of roles.`;
    case 'invalid_response':
      return `The incident API sent ${unreadable}, so it may or may not have happened. Look at \`/incident status\`. ${tellAdministrator}`;
    case 'internal':
      return `The incident API failed (“${words}”), so it may or may not have happened. Look at \`/incident status\` before you try again.`;
    case 'not_found':
      return `The incident API could not find it: “${words}”. Somebody may have removed it. Nothing was changed.`;
    case 'conflict':
    case 'failed_precondition':
      return `The reason: “${words}”. Nothing was changed.`;
    case 'payload_too_large':
      return 'That is too long for the incident API. Nothing was changed. Make it shorter.';
    case 'canceled':
      return error.maybeApplied
        ? 'Muster stopped in the middle of it, so it may or may not have happened. Look at `/incident status` before you try again.'
        : 'Muster stopped before it was done. Try again.';
    case 'unsupported_encoding':
    case 'invalid_argument':
      return `The incident API refused it: “${words}”. Nothing was changed.`;
  }
}

/** Until when an intent is queued (the end of "I’ll do it as soon as …"), and why, as mrkdwn. */
export interface QueuedReason {
  readonly until: string;
  readonly why: string;
}

/** Explains why an intent is queued. `isUnregistered`: the API does not know its incident yet. */
export function explainQueued(error: RpcError, isUnregistered = false): QueuedReason {
  const back = 'the incident API is back';
  switch (error.code) {
    case 'resource_exhausted':
      return { until: 'the incident API accepts it', why: 'It is receiving too many requests.' };
    case 'deadline_exceeded':
      return { until: back, why: 'It took too long to answer.' };
    case 'internal':
      return { until: 'the incident API works again', why: `It failed (“${toMrkdwn(error.message, 400)}”).` };
    case 'invalid_response':
      return { until: back, why: `It sent ${unreadable}. ${tellAdministrator}` };
    case 'canceled':
      return { until: 'Muster is running again', why: 'Muster is being stopped.' };
    default:
      if (error !== waitsForEarlier) return { until: back, why: 'It cannot be reached right now.' };
      return isUnregistered
        ? { until: 'this incident is registered', why: 'The incident API does not know it yet.' }
        : { until: 'the changes before it are made', why: 'An earlier change is still queued.' };
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
