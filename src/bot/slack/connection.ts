import type { IncomingMessage, ServerResponse } from 'node:http';
import type { App as BoltApp, Logger as BoltLogger, Receiver } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Deadlines } from '../../deadlines.ts';
import { App, LogLevel, WebClient } from './bolt.ts';
import { isAway, isPassing, type Slack, slackReason, slackRefusal } from './clients.ts';
import { createFileReader } from './files.ts';
import { createGroups } from './groups.ts';
import { HttpReceiver, type ObserveDelivery } from './http-receiver.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { SlackWatch } from './slack-watch.ts';
import { openSocketReceiver } from './socket-receiver.ts';
import { createFileUploader } from './upload-file.ts';
import { createWebFetch, type WebFetchOptions } from './web-fetch.ts';
import { oneWorkspace, type TeamArgument, type Workspaces } from './workspaces.ts';

/** How Slack reaches the bot: by HTTP requests signed with a secret, or over a socket that the bot opens. */
export type SlackMode =
  | { readonly kind: 'http'; readonly signingSecret: string }
  | { readonly kind: 'socket'; readonly appToken: string };

/** What a connection to Slack needs. */
export interface SlackOptions {
  readonly mode: SlackMode;
  readonly botToken: string;
  /** Base address of the Web API; `""` for Slack's own. */
  readonly slackApiUrl: string;
  /** The workspace of an organisation in which channels are made for incidents that began outside Slack; absent or `""`: the first. */
  readonly workspace?: string | undefined;
  readonly deadlines: Deadlines;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly observeDelivery: ObserveDelivery;
  readonly observeWebApi: WebFetchOptions['observe'];
  readonly bindOvertaken?: WebFetchOptions['bindOvertaken'];
  readonly missing?: WebFetchOptions['missing'];
  /**
   * Repeats a question until Slack answers. Throws an error that is an answer, which `isAway` tells. Absent: each question is asked once,
   * with the client's own few attempts.
   */
  readonly untilAnswered?:
    | (<T extends object>(ask: () => Promise<T>, isAway: (error: unknown) => boolean) => Promise<T>)
    | undefined;
  /** Carries all calls; absent: the process's own `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds between posts in one channel after a burst; absent: what Slack allows. */
  readonly betweenPosts?: number | undefined;
}

/** Bolt's app over a receiver. It knows the bot already, so it asks Slack nothing; `watch` hears how its answers end. */
export function openBolt(options: SlackOptions, receiver: Receiver, { identity }: Slack, watch?: SlackWatch): BoltApp {
  return new App({
    receiver,
    token: options.botToken,
    botId: identity.botId,
    botUserId: identity.botUserId,
    tokenVerificationEnabled: false,
    convoStore: false,
    logger: toBoltLogger(options.log),
    clientOptions: { ...clientOptions(options, { watch }), ...quickRetries(2) },
  });
}

/**
 * `clientOptions.headers` stays unset: Slack's client would write its token into it (docs/slack.md 1). With a rate limiter, it decides on
 * what is limited and how many calls are made at once; the client's own timeout stays unset, since it would count the wait.
 */
function clientOptions(
  options: SlackOptions,
  how: Partial<Pick<WebFetchOptions, 'timeout' | 'limits' | 'watch'>> = {},
  log = options.log,
) {
  const { observeWebApi: observe, deadlines, fetch, bindOvertaken, missing } = options;
  const { timeout = deadlines.slack.call, limits, watch } = how;
  return {
    ...(options.slackApiUrl ? { slackApiUrl: options.slackApiUrl } : {}),
    allowAbsoluteUrls: false,
    fetch: createWebFetch({ observe, timeout, deadlines, fetch, bindOvertaken, missing, limits, watch }),
    logger: toBoltLogger(log),
    ...(limits ? { rejectRateLimitedCalls: true, maxRequestConcurrency: Number.POSITIVE_INFINITY } : {}),
  };
}

function quickRetries(retries: number) {
  return { retryConfig: { retries, minTimeout: 200, maxTimeout: 10_000, randomize: true } };
}

/** Opens the three clients over one rate limiter. `watch` hears how their calls end. */
export async function openSlack(options: SlackOptions, watch?: SlackWatch): Promise<Slack> {
  const limiter = createRateLimiter(options.betweenPosts);
  const { deadlines } = options;
  const { quick } = deadlines.slack;
  const open = (how: { retries: number; timeout?: number; queueTime: number; log?: Logger }) =>
    new WebClient(options.botToken, {
      ...clientOptions(options, { ...how, watch, limits: { limiter, queueTime: how.queueTime } }, how.log),
      ...quickRetries(how.retries),
    });
  const web = open({ retries: 3, queueTime: deadlines.slack.usual.queue });
  // Who waits for Slack says so itself: one line, not one for each attempt.
  const entry = open({ retries: 0, queueTime: 0, log: options.log.child({}, { level: 'silent' }) });
  const { untilAnswered } = options;
  const client = untilAnswered ? entry : web;
  const patiently = <T extends object>(ask: () => Promise<T>): Promise<T> =>
    (untilAnswered ? untilAnswered(ask, isAway) : ask()).catch(error => {
      throw refusedEntry(error, 'SLACK_BOT_TOKEN');
    });
  const known = await patiently(() => client.auth.test());
  const { clock, log, workspace: wanted = '' } = options;
  const { homeId, workspaces } = await openWorkspaces(known, { web: client, patiently, wanted, clock, log });
  const once = open({ retries: 0, queueTime: deadlines.slack.once.queue });
  const quickly = open({ retries: 0, timeout: quick.call, queueTime: quick.queue });
  return {
    web,
    once,
    quick: quickly,
    groups: createGroups({ quick: quickly, workspaces, isPassing, clock }),
    readFile: createFileReader({ web, ...options }),
    uploadFile: createFileUploader({ once, ...options }),
    workspaces,
    identity: { teamId: homeId, botUserId: known.user_id ?? '', botId: known.bot_id ?? '', url: known.url ?? '' },
  };
}

/** The error of a start that Slack prevents; `token` names the setting to look at. */
export function refusedEntry(error: unknown, token: string): unknown {
  if (error instanceof Error && error.name === 'AbortError') return error;
  const word = slackRefusal(error);
  const what = word ? `Slack does not let Muster in: it says ${word}.` : 'Slack cannot be reached.';
  const check = word ? `Check ${token}.` : 'Check the network, and SLACK_API_URL if it is set.';
  return new Error(`${what} ${check}`, { cause: error });
}

/** Opens the receiver that the mode asks for. It takes nothing before it is started. */
export function openReceiver(options: SlackOptions) {
  const { mode, deadlines, clock, log } = options;
  if (mode.kind === 'http') {
    const receiver = new HttpReceiver({
      signingSecret: mode.signingSecret,
      deadlines,
      clock,
      log,
      observe: options.observeDelivery,
    });
    return {
      receiver,
      handle: (request: IncomingMessage, response: ServerResponse) => receiver.handle(request, response),
      lostSince: () => undefined,
      refusal: () => '',
      close: async () => undefined,
    };
  }
  const socket = openSocketReceiver({
    appToken: mode.appToken,
    boltLog: toBoltLogger(log),
    deadlines,
    clock,
    log,
    // One attempt: who starts it, or connects it again, waits in its own way and says so.
    clientOptions: { ...clientOptions(options), ...quickRetries(0) },
  });
  return { ...socket, handle: undefined };
}

/** Slack's packages log through ours; what they log below a warning may hold message text, so it stays below debug. */
function toBoltLogger(log: Logger): BoltLogger {
  const slackLog = log.child({ part: 'slack-sdk' });
  return {
    debug: () => undefined,
    info: (...words) => slackLog.trace(words.map(String).join(' ')),
    warn: (...words) => slackLog.warn(words.map(String).join(' ')),
    error: (...words) => slackLog.warn(words.map(String).join(' ')),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}

/** How old the list of workspaces may be, in milliseconds: administrators add and remove the app. */
const listAge = 10 * 60_000;

interface WorkspacesDeps {
  readonly web: { readonly auth: { readonly teams: Pick<WebClient['auth']['teams'], 'list'> } };
  /** Asks at the start as long as Slack is away. */
  readonly patiently: <T extends object>(ask: () => Promise<T>) => Promise<T>;
  /** The workspace for incidents that began outside Slack; `""` for the first. */
  readonly wanted: string;
  readonly clock: () => Date;
  readonly log: Logger;
}

/** What `auth.test` says of the installation. */
interface Installed {
  readonly team?: string;
  readonly team_id?: string;
  readonly enterprise_id?: string;
  readonly is_enterprise_install?: boolean;
}

/**
 * The home of an installation, which is the id of the workspace or of the organisation, and its workspaces. Throws with a sentence for an
 * operator when the app of an organisation is in none.
 */
export async function openWorkspaces(
  { team = '', team_id = '', enterprise_id = '', is_enterprise_install }: Installed,
  deps: WorkspacesDeps,
): Promise<{ readonly homeId: string; readonly workspaces: Workspaces }> {
  const { wanted, log, patiently } = deps;
  if (is_enterprise_install !== true) {
    if (wanted !== '' && wanted !== team_id)
      log.warn({ workspace: team_id }, 'slack: SLACK_WORKSPACE counts for nothing: the token is of one workspace');
    return { homeId: team_id, workspaces: oneWorkspace(enterprise_id) };
  }
  const homeId = enterprise_id || team_id;
  const workspaces = new OrganisationWorkspaces(deps);
  const ids = await patiently(() => workspaces.list());
  const [first] = ids;
  if (first === undefined) {
    throw new Error(
      `The bot token is of the whole organisation ${team || homeId}, and Muster is in no workspace of it yet. In the organisation’s settings, under Apps, add the app to the workspaces whose people run incidents, then start Muster again.`,
    );
  }
  if (wanted !== '' && !ids.includes(wanted))
    log.warn({ wanted, first }, 'slack: Muster is not in the workspace of SLACK_WORKSPACE, so the first one is used');
  log.info({ organisation: homeId, workspaces: ids }, 'slack: installed in an organisation');
  return { homeId, workspaces };
}

class OrganisationWorkspaces implements Workspaces {
  readonly isOrganisation = true;
  readonly #deps: WorkspacesDeps;
  #known: readonly string[] = [];
  #listedAt = 0;

  constructor(deps: WorkspacesDeps) {
    this.#deps = deps;
  }

  /** The workspaces, in Slack's order. */
  get formerHomes(): readonly string[] {
    return this.#known;
  }

  has(workspaceId: string): boolean {
    return this.#known.includes(workspaceId);
  }

  async each(): Promise<readonly TeamArgument[]> {
    if (Math.abs(this.#now() - this.#listedAt) > listAge) await this.#listAgain();
    return this.#known.map(team_id => ({ team_id }));
  }

  async forChannel(wanted: string): Promise<TeamArgument> {
    if (wanted !== '' && !this.#known.includes(wanted)) await this.#listAgain();
    const team_id = [wanted, this.#deps.wanted].find(each => this.#known.includes(each)) ?? this.#known[0];
    return team_id === undefined ? {} : { team_id };
  }

  /** Asks Slack for them. An empty list takes nothing away: the calls tell what Slack refuses. */
  async list(): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor = '';
    do {
      const answer = await this.#deps.web.auth.teams.list({ limit: 1000, ...(cursor ? { cursor } : {}) });
      ids.push(...(answer.teams ?? []).flatMap(({ id }) => (id ? [id] : [])));
      cursor = answer.response_metadata?.next_cursor ?? '';
    } while (cursor !== '');
    if (ids.length > 0) this.#known = ids;
    this.#listedAt = this.#now();
    return this.#known;
  }

  #now(): number {
    return this.#deps.clock().getTime();
  }

  /** What was known counts while Slack does not answer. */
  async #listAgain(): Promise<void> {
    await this.list().catch(error => {
      this.#deps.log.warn({ reason: slackReason(error) }, 'slack: could not list the workspaces of the organisation');
    });
  }
}
