import { z } from 'zod';
import type { KnownPerson } from '../../../contract/define.ts';
import { mention } from '../../text/blocks.ts';

/** A task's assignee: their id in the API and in Slack. */
export const Assignee = z.object({
  userID: z.string(),
  slackUserID: z.string(),
  /** `""` in what an older version stored. */
  slackTeamID: z.string().default(''),
});
/** A task's assignee. */
export type Assignee = z.output<typeof Assignee>;

/** A person as the assignee of a task. */
export function toAssignee({ userID, slackUserID = '', slackTeamID = '' }: KnownPerson): Assignee {
  return { userID, slackUserID, slackTeamID };
}

/** The end of a receipt that names the assignee. */
export function forWhom(assignee: Assignee | null): string {
  return assignee ? `, for ${mention(assignee.slackUserID)}` : '';
}
