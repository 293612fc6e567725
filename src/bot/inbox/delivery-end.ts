import { isUnavailable } from '../../db/failure.ts';
import { isOvertaken } from '../../db/pulse.ts';
import { Unanswered } from '../dispatch/feature/context.ts';
import { isPassing, isSlackError } from '../slack/clients.ts';

/**
 * How handling a delivery ended. `unanswered`: Slack or the database was away. `overtaken`: this process stood still, and another
 * one may handle it.
 */
export type End = 'done' | 'failed' | 'unanswered' | 'overtaken';

/** How handling ended that threw an error. Within the work itself, since only it knows whether it was overtaken. */
export function toEnd(error: unknown): End {
  if (isOvertaken()) return 'overtaken';
  const isSlacks = isSlackError(error) && isPassing(error);
  return error instanceof Unanswered || isUnavailable(error) || isSlacks ? 'unanswered' : 'failed';
}
