import { toObject } from '../../json-object.ts';
import type { WebClient } from './bolt.ts';
import type { FileReader } from './files.ts';
import type { Groups } from './groups.ts';
import type { FileUploader } from './upload-file.ts';
import type { Workspaces } from './workspaces.ts';

/** Slack's Web API as the bot uses it: three clients that differ in what they do when a call fails (docs/slack.md 1 and 11). */
export interface Slack {
  /** For calls that may be repeated: waits out rate limits and tries again. */
  readonly web: WebClient;
  /** For calls that create something: one try, since the effect may exist although the answer was lost. */
  readonly once: WebClient;
  /** For calls that a person waits for, within three seconds: one quick try, never queued behind other calls. */
  readonly quick: WebClient;
  readonly groups: Groups;
  /** Reads the text of a file that a person posted. */
  readonly readFile: FileReader;
  /** Shares a text file in a channel. */
  readonly uploadFile: FileUploader;
  readonly identity: Identity;
  /** Where the bot works. */
  readonly workspaces: Workspaces;
}

/** Who the bot is, as `auth.test` tells. */
export interface Identity {
  /**
   * The home: the id of the workspace, or of the organisation that has installed the app in all of it (docs/slack.md 3). What the bot
   * stores is of the home.
   */
  readonly teamId: string;
  readonly botUserId: string;
  readonly botId: string;
  /** The address of the home in a browser, with a slash at its end; `""` when Slack does not say. */
  readonly url: string;
}

/** Where the bot is at home. */
export interface Home {
  readonly identity: Pick<Identity, 'teamId'>;
  readonly workspaces: Pick<Workspaces, 'has' | 'formerHomes'>;
}

/**
 * Whether an id is of the home, or of one of its workspaces. An organisation has workspaces to which the app was not added: only Slack's profile
 * of a person tells that they are of one of those.
 */
export function isHome({ identity, workspaces }: Home, teamId: string): boolean {
  return teamId === identity.teamId || workspaces.has(teamId);
}

/** Slack's own word for why a call was refused (`name_taken`), or undefined when the failure was not Slack's "no". */
export function slackRefusal(error: unknown): string | undefined {
  const data = toObject(error).data;
  const word = toObject(data).error;
  // A page of some proxy in place of an answer arrives here whole (docs/slack.md 1).
  return typeof word === 'string' && /^[a-z][\w.:-]{0,99}$/i.test(word) ? word : undefined;
}

/** Whether it is a call to Slack that failed with this error (docs/slack.md 1). */
export function isSlackError(error: unknown): boolean {
  return String(toObject(error).code).startsWith('slack_webapi_');
}

/** A short reason for people and logs: Slack's word, `ratelimited`, or `unreachable` when no answer of Slack's came. */
export function slackReason(error: unknown): string {
  const word = slackRefusal(error);
  if (word) return word;
  return toObject(error).code === 'slack_webapi_rate_limited_error' ? 'ratelimited' : 'unreachable';
}

/** The seconds that Slack asks to wait; 0 when it does not ask for that. */
export function retryAfter(error: unknown): number {
  const seconds = slackReason(error) === 'ratelimited' ? toObject(error).retryAfter : 0;
  return typeof seconds === 'number' ? seconds : 0;
}

/** The scope that Slack asks for in a refusal; `""` when it refuses for another reason, or names none. */
export function missingScope(error: unknown): string {
  const needed = slackRefusal(error) === 'missing_scope' ? toObject(toObject(error).data).needed : '';
  return typeof needed === 'string' ? (/^[a-z_.:]{1,80}/.exec(needed)?.[0] ?? '') : '';
}

/** The level at which a refusal is logged: a missing scope has its own warning, once (`missing-scopes.ts`). */
export function refusalLevel(error: unknown): 'debug' | 'warn' {
  return missingScope(error) === '' ? 'warn' : 'debug';
}

/** Slack's words for failures that pass. */
const passing = [
  'unreachable',
  'ratelimited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
];

/** Slack's words for a token that does not work: it works again once the app is installed again. */
export const tokenRefusals = ['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired'];

/** Whether Slack's word says that the token does not work, whatever is asked. */
export function isTokenRefusal(word: string): boolean {
  return tokenRefusals.includes(word);
}

/** Whether a reason says that Slack is away, busy, or failed. */
export function isPassingWord(reason: string): boolean {
  return passing.includes(reason);
}

/** Whether Slack is away, busy, or failed, so that it has said nothing of the call. */
export function isAway(error: unknown): boolean {
  return isPassingWord(slackReason(error));
}

/** Whether the same call may work later: Slack is away, or does not take the token now. */
export function isPassing(error: unknown): boolean {
  return isAway(error) || isTokenRefusal(slackReason(error));
}
