import { isProvisional } from '../../journal/provisional-id.ts';
import { isTokenRefusal, missingScope, retryAfter, slackReason } from '../../slack/clients.ts';
import type { Workspaces } from '../../slack/workspaces.ts';
import { toMrkdwn } from '../../text/blocks.ts';

/** Why Slack refused and what to do, in mrkdwn. */
export function reasonWords(error: unknown): string {
  const word = slackReason(error);
  switch (word) {
    case 'restricted_action':
      return 'this workspace does not let apps do that. An administrator can allow it.';
    case 'name_taken':
      return 'every name I tried is taken.';
    case 'ratelimited':
      return 'Slack is slowing me down. Do it by hand, or try again in a minute.';
    case 'not_in_channel':
      return `I am not in that channel. Invite me with \`/invite @Muster\`.`;
    case 'channel_not_found':
      return 'that channel no longer exists, or I cannot see it. Invite me there with `/invite @Muster`.';
    case 'team_access_not_granted':
      return 'Muster is no longer in that workspace. An administrator of Slack can add it there again.';
    case 'is_archived':
      return 'that channel is archived.';
    case 'missing_scope': {
      const scope = missingScope(error);
      const name = scope === '' ? 'a permission' : `the permission \`${scope}\``;
      return `the app lacks ${name}. Your Muster administrator can add it: \`muster doctor\` says how.`;
    }
    case 'unreachable':
      return 'Slack did not answer in time, so it may or may not have happened.';
    default:
      return `Slack said \`${word.replaceAll('`', "'")}\`.`;
  }
}

/** Why Slack may not let a person of an organisation into a channel (docs/slack.md 3); `""` for an app of one workspace. */
export function otherWorkspaceWords({ isOrganisation }: Workspaces): string {
  if (!isOrganisation) return '';
  return 'The channel is of one workspace of your organisation, and only its people come in. An administrator of Slack can share it with other workspaces.';
}

/**
 * That an incident's channel does not read a change, why, and what works (mrkdwn). `word` is Slack's refusal; `error` carries it where a call
 * was refused just now. Archiving takes an app out of a channel, and Slack tells only those who are in a private one that it is back.
 */
export function unreadWords(
  { incidentID, channelId, isPrivate }: { incidentID: string; channelId: string; isPrivate: boolean },
  word: string,
  error: unknown = { data: { error: word } },
): string {
  const isArchived = word === 'is_archived';
  const isClosed = isArchived || word === 'channel_not_found';
  const why = isArchived && isPrivate ? 'it was archived, and that took me out of it.' : reasonWords(error);
  const back = isPrivate
    ? 'Unarchive it and invite me with `/invite @Muster`, or move'
    : 'Unarchive it in Slack, or move';
  return [
    `I could not say so in <#${channelId}>: ${why}`,
    ...(isClosed ? [`${isArchived ? back : 'Move'} the incident: ${linkHere(incidentID)}`] : []),
    byNumber(incidentID),
  ].join(' ');
}

/** How an incident gets another channel, as a sentence of mrkdwn. */
export function linkHere(incidentID: string): string {
  if (isProvisional(incidentID)) return 'once it has a number, invite me to a channel and link it there.';
  return `invite me to another channel and type \`/incident link ${toMrkdwn(incidentID, 40)}\` there.`;
}

/** How one acts on an incident without its channel, as a sentence of mrkdwn. */
export function byNumber(incidentID: string): string {
  if (isProvisional(incidentID)) return '`/incident list` names it once it has a number.';
  return `Everywhere else, name the incident: \`/incident update … --incident ${toMrkdwn(incidentID, 40)}\`.`;
}

/** Why something is done later, and that it will be, in mrkdwn; `what` follows “I could not”. */
export function laterWords(error: unknown, what: string): string {
  const reason = slackReason(error);
  if (isTokenRefusal(reason))
    return `Slack refuses my token (\`${reason}\`), so I could not ${what} yet. I will do it once your Muster administrator has installed the app again.`;
  const seconds = retryAfter(error);
  if (seconds > 0)
    return `Slack asks me to wait ${seconds} s, so I could not ${what} yet. I will then do it and tell you.`;
  const why = reason === 'ratelimited' ? 'Slack is slowing me down' : 'Slack does not answer';
  return `${why}, so I could not ${what} yet. I will do it as soon as I can.`;
}
