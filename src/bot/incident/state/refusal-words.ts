import { isTokenRefusal, missingScope, retryAfter, slackReason } from '../../slack/clients.ts';

/** Why Slack refused and what to do, in mrkdwn. */
export function reasonWords(error: unknown): string {
  const word = slackReason(error);
  switch (word) {
    case 'restricted_action':
      return 'this workspace does not let apps do that. An administrator can allow it.';
    case 'name_taken':
      return 'every name I tried is taken. Create a channel yourself and invite me.';
    case 'ratelimited':
      return 'Slack is slowing me down. Do it by hand, or try again in a minute.';
    case 'not_in_channel':
      return `I am not in that channel. Invite me with \`/invite @Muster\`.`;
    case 'channel_not_found':
      return 'that channel no longer exists, or I cannot see it. Invite me there with `/invite @Muster`.';
    case 'is_archived':
      return 'that channel is archived.';
    case 'missing_scope':
      return missingScopeWords(missingScope(error));
    case 'unreachable':
      return 'Slack did not answer in time, so it may or may not have happened.';
    default:
      return `Slack said \`${word.replaceAll('`', "'")}\`.`;
  }
}

/** Why something is done later, and that it will be, in mrkdwn; `what` follows “I could not”. */
export function laterWords(error: unknown, what: string): string {
  const reason = slackReason(error);
  if (isTokenRefusal(reason))
    return `Slack refuses my token (\`${reason}\`), so I could not ${what} yet. I will do it once your Muster administrator has installed the app again.`;
  const seconds = retryAfter(error);
  if (seconds > 0)
    return `Slack asks me to wait ${seconds} s, so I could not ${what} yet. I go on by myself then, and tell you here or in a direct message.`;
  const why = reason === 'ratelimited' ? 'Slack is slowing me down' : 'Slack does not answer';
  return `${why}, so I could not ${what} yet. I will do it as soon as I can.`;
}

/** One line for the person: which permission is missing, and who can add it. */
function missingScopeWords(scope: string): string {
  const name = scope === '' ? 'a permission' : `the permission \`${scope}\``;
  return `the app lacks ${name}. Your Muster administrator can add it: \`muster doctor\` says how.`;
}
