import type { Bot } from '../bot/bot.ts';
import { isStuck } from '../bot/doctor/journal.ts';
import { type KnownFault, toSentence } from '../bot/first-check.ts';
import { findScope } from '../bot/slack/permissions.ts';
import type { SlackStanding } from '../bot/slack/slack-watch.ts';
import type { ApiClient } from '../client/client.ts';
import type { Missing } from './start-watch.ts';

/** What a process knows about itself without asking anybody. */
export interface Facts {
  /** Undefined where there is no bot. */
  readonly slack: SlackFacts | undefined;
  /** Undefined where nobody calls the API. */
  readonly api: ReturnType<ApiClient['health']> | undefined;
  readonly isDatabaseUp: boolean;
  /** When the database's disk was first found full; absent while it has room. */
  readonly fullSince?: Date | undefined;
  /** Undefined where there is no bot, and while the database does not answer. */
  readonly journal: Awaited<ReturnType<Bot['journal']['countByState']>> | undefined;
  /** What failed when it was tried at the start. */
  readonly faults?: readonly KnownFault[];
  readonly now: Date;
}

/** What a bot knows of Slack. */
interface SlackFacts extends SlackStanding {
  /** Scopes that Slack has asked for since the start. */
  readonly missingScopes: readonly string[];
}

/** Sentences for an operator on what is wrong, each with what to do; none when all is well. */
export function toProblems({
  slack,
  api,
  isDatabaseUp,
  fullSince,
  journal,
  faults = [],
  now,
}: Facts): readonly string[] {
  const missingScopes = slack?.missingScopes ?? [];
  const pending = journal?.find(each => each.state === 'pending');
  const isLate = pending !== undefined && isStuck(pending, now);
  return [
    ...(slack ? toSlackProblems(slack) : []),
    ...(!isDatabaseUp
      ? ['The database does not answer: nothing is stored. Check that it runs and that DATABASE_URL leads to it.']
      : []),
    ...(fullSince
      ? [
          `The disk of the database is full since ${fullSince.toISOString()}: nothing is stored. Make room on it, or enlarge it. Then Muster goes on, without a restart.`,
        ]
      : []),
    ...(api?.failingSince === undefined
      ? []
      : [
          `The incident API does not answer since ${toText(api.failingSince)}: what people change is kept until it does. ${api.lastFailure ?? ''} “muster doctor” says more. Check GRAFANA_URL and the network.`,
        ]),
    ...faults.map(toSentence),
    ...(isLate
      ? [
          `${pending.count === 1 ? '1 intent waits' : `${pending.count} intents wait`}, the oldest since ${pending.since}: it is kept and not done. “muster journal list” shows each with its reason.`,
        ]
      : []),
    ...missingScopes.map(
      scope =>
        `The Slack app lacks the scope ${scope}, so this is left out: ${findScope(scope)?.use ?? 'a part'}. Add it in the app’s OAuth & Permissions and install the app again.`,
    ),
  ];
}

function toSlackProblems({ isConnected, isAnswering, refusal, since }: SlackStanding): readonly string[] {
  const time = since?.toISOString() ?? '';
  return [
    ...(isConnected
      ? []
      : [`Slack does not reach Muster since ${time}: nobody is answered. “muster doctor” says why and what to do.`]),
    ...(isAnswering
      ? []
      : [
          `Slack does not answer Muster’s calls since ${time}: what is to be done in Slack is kept, and done when it answers. Look at https://slack-status.com, and whether this machine reaches Slack.`,
        ]),
    ...(refusal === ''
      ? []
      : [
          `Slack refuses a token of Muster’s (${refusal}): what is to be done in Slack is kept. Install the app again in the workspace. If its tokens have changed, set SLACK_BOT_TOKEN and SLACK_APP_TOKEN and start Muster again.`,
        ]),
  ];
}

/** A sentence for an operator on what a start waits for, with what to do. */
export function toMissing({ name, since }: Missing): string {
  const [what, remedy] =
    name === 'Slack'
      ? ['Slack', 'Check the network, and SLACK_API_URL if it is set.']
      : ['The database', 'Check that it runs and that DATABASE_URL leads to it.'];
  return `${what} cannot be reached since ${since.toISOString()}: Muster waits for it, and has Slack send its requests again. ${remedy}`;
}

function toText(time: number): string {
  return new Date(time).toISOString();
}
