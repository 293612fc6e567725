import { type JsonObject, toText } from '../protocol/json.ts';
import { isOrgInstall, organisation } from '../workspace/grid.ts';
import type { WorkspaceEvent } from '../workspace/records.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type Deliveries, type Delivery, type Reply, toDelivery } from './deliveries.ts';
import { mayHear, namesOfEvent } from './event-scopes.ts';

/** Milliseconds before each further try of an event that an app did not take: at once, a minute, five minutes (docs/slack.md 2). */
const retryWaits: readonly number[] = [0, 60_000, 300_000];

/** Sends the workspace's events to the app, one after the other. */
export class EventSender {
  readonly #workspace: Workspace;
  readonly #deliveries: Deliveries;
  readonly #subscribed: ReadonlySet<string> | undefined;
  readonly #scopes: readonly string[] | undefined;
  readonly #waits: readonly number[];
  #last: Promise<void> = Promise.resolve();

  /**
   * `events` holds names as in the manifest or as in Bolt, `scopes` those of the bot; `undefined` subscribes to everything, and
   * grants everything. `eventRetryHaste` is how many times sooner than Slack an event is sent again; `undefined` sends each once.
   */
  constructor(
    workspace: Workspace,
    deliveries: Deliveries,
    installed: {
      readonly events?: readonly string[] | undefined;
      readonly scopes?: readonly string[] | undefined;
      readonly eventRetryHaste?: number | undefined;
    },
  ) {
    this.#workspace = workspace;
    this.#deliveries = deliveries;
    this.#subscribed = installed.events === undefined ? undefined : new Set(installed.events);
    this.#scopes = installed.scopes;
    const { eventRetryHaste: haste } = installed;
    this.#waits = haste === undefined ? [] : retryWaits.map(wait => wait / haste);
    workspace.onEvent(event => this.#take(event));
  }

  /** Resolves when the app has answered every event so far, or failed to. What comes later, with another try, is not waited for. */
  settled(): Promise<void> {
    return this.#last;
  }

  #take({ event, channelId }: WorkspaceEvent): void {
    if (!this.#deliveries.isConnected || !this.#isWanted(event) || !this.#isHeard(event, channelId)) return;
    const delivery = toDelivery('event', this.#toEnvelope(event, channelId));
    this.#last = this.#last.then(async () => {
      if (this.#deliveries.isConnected) void this.#tryAgain(delivery, await this.#deliveries.begin(delivery));
    });
  }

  /** Sends an event again until the app takes it, as often as Slack would. Events that come after it do not wait for that. */
  async #tryAgain(delivery: Delivery, first: Reply): Promise<void> {
    let reply = first;
    for (const [retries, wait] of this.#waits.entries()) {
      if (reply.failed === undefined || reply.headers['x-slack-no-retry'] === '1') return;
      await new Promise(resolve => setTimeout(resolve, wait).unref?.());
      if (!this.#deliveries.isConnected) return;
      reply = await this.#deliveries.redeliver({ ...delivery, retries }, toReason(reply));
    }
  }

  #isWanted(event: JsonObject): boolean {
    const subscribed = this.#subscribed;
    if (subscribed !== undefined && !namesOfEvent(event).some(name => subscribed.has(name))) return false;
    return mayHear(event, this.#scopes);
  }

  /** An app hears only of its own channels, except that it hears when any public channel is archived or renamed. */
  #isHeard(event: JsonObject, channelId: string | undefined): boolean {
    const channel = channelId === undefined ? undefined : this.#workspace.channels.get(channelId);
    if (channel === undefined || channel.members.has(this.#workspace.botUserId)) return true;
    return !channel.isPrivate && toText(event.type).startsWith('channel_');
  }

  #toEnvelope(event: JsonObject, channelId: string | undefined): JsonObject {
    const { appId, botUserId, grid } = this.#workspace;
    const channel = channelId === undefined ? undefined : this.#workspace.channels.get(channelId);
    const [teamId = this.#workspace.teamId] = channel?.teamIds ?? [];
    const enterprise_id = grid ? organisation.id : null;
    return {
      token: 'verification-token',
      team_id: teamId,
      ...(grid ? { enterprise_id } : {}),
      context_team_id: teamId,
      context_enterprise_id: enterprise_id,
      api_app_id: appId,
      event,
      type: 'event_callback',
      event_id: this.#workspace.nextId('Ev'),
      event_time: this.#workspace.seconds(),
      authorizations: [
        { enterprise_id, team_id: teamId, user_id: botUserId, is_bot: true, is_enterprise_install: isOrgInstall(grid) },
      ],
      is_ext_shared_channel: channel?.isExtShared ?? false,
      event_context: `4-${this.#workspace.randomId()}`,
    };
  }
}

/** Slack's word for why an event was not taken. */
function toReason({ failed, status }: Reply): string {
  if (failed === 'operation_timeout') return 'http_timeout';
  return status > 0 ? 'http_error' : 'connection_failed';
}
