import type { Logger } from 'pino';
import { isPassing, refusalLevel, slackReason, slackRefusal } from './clients.ts';

/** A call that nobody waits for. */
export interface AttemptedCall {
  /** The Web API method: `conversations.setTopic`. */
  readonly method: string;
  readonly channel: string;
}

/** How Slack took a call: it did it, it refuses it, or it may do it later. */
export type Reception = 'taken' | 'refused' | 'later';

/** How long a refusal is remembered, in milliseconds. */
export const remembered = 600_000;
const maxRefusals = 1000;

/** Words about the app or the workspace: the method is refused in every channel. */
const everywhere = /^(missing_scope|unknown_method|restricted_action.*|not_allowed.*|no_permission|ekm_access_denied)$/;
/** Words about the channel: the method is refused there, whatever it says. */
const inChannel = /^(channel_not_found|not_in_channel|is_inactive|method_not_supported_for_channel_type)$/;

/** Whether Slack's word says that it takes no post of Muster's in a channel, whatever it says. */
export function isOfChannel(word: string): boolean {
  return word === 'is_archived' || everywhere.test(word) || inChannel.test(word);
}

/** Remembers for ten minutes what Slack refuses whatever is asked, so that it is neither asked nor logged again and again. */
export class Refusals {
  readonly #log: Logger;
  readonly #monotonicNow: () => number;
  readonly #isPrivate: (channel: string) => Promise<boolean>;
  readonly #until = new Map<string, number>();

  /**
   * `monotonicNow`: milliseconds of a clock that never steps. `isPrivate`: whether a channel is private, since Slack asks for another scope there
   * (docs/slack.md 7).
   */
  constructor(deps: {
    readonly log: Logger;
    readonly monotonicNow: () => number;
    readonly isPrivate: (channel: string) => Promise<boolean>;
  }) {
    this.#log = deps.log;
    this.#monotonicNow = deps.monotonicNow;
    this.#isPrivate = deps.isPrivate;
  }

  /**
   * Makes a call unless its refusal is remembered. Never throws; what did not work is logged, and `hear` is told of an error of this very
   * call.
   */
  async attempt(
    call: AttemptedCall,
    work: () => Promise<unknown>,
    hear?: (error: unknown) => void,
  ): Promise<Reception> {
    if (await this.#isRefused(call)) return 'refused';
    try {
      await work();
      return 'taken';
    } catch (error) {
      hear?.(error);
      const word = slackRefusal(error) ?? '';
      // Who may post is set for each channel (docs/slack.md 7).
      const isEverywhere = everywhere.test(word) && !isPostLimit(call.method, word);
      const isKept = this.#keep(isEverywhere ? await this.#scopeOf(call) : keptUnder(call, word));
      const later = isKept ? 'slack: refuses a call, asked again in ten minutes' : 'slack: did not take a call';
      this.#log[refusalLevel(error)]({ reason: slackReason(error), ...call }, later);
      return isPassing(error) ? 'later' : 'refused';
    }
  }

  /** Slack may take again what it refused in a channel. */
  forget(channel: string): void {
    for (const name of this.#until.keys())
      if (name === channel || name.endsWith(` ${channel}`)) this.#until.delete(name);
  }

  /** The database says that a channel takes posts, which another process may have found out. */
  forgetPosts(channel: string): void {
    for (const method of ['chat.postMessage', 'chat.update']) this.#until.delete(toPlace({ method, channel }));
  }

  /** Whether a call was refused lately because its channel is archived. Nothing is written there meanwhile. */
  isArchived(channel: string): boolean {
    return this.#isKept(channel);
  }

  async #isRefused(call: AttemptedCall): Promise<boolean> {
    if ([toPlace(call), call.channel].some(name => this.#isKept(name))) return true;
    // Most methods are refused nowhere: then it does not matter how private a channel is.
    const isAny = (['private', 'public'] as const).some(kind => this.#isKept(toScope(call, kind)));
    return isAny && this.#isKept(await this.#scopeOf(call));
  }

  /** The method where it needs the same scope. */
  async #scopeOf(call: AttemptedCall): Promise<string> {
    const isPrivate = await this.#isPrivate(call.channel).catch(() => false);
    return toScope(call, isPrivate ? 'private' : 'public');
  }

  #isKept(name: string): boolean {
    const now = this.#monotonicNow();
    return (this.#until.get(name) ?? now) > now;
  }

  /** Whether that refusal lasts. */
  #keep(name: string | undefined): boolean {
    if (name === undefined) return false;
    if (this.#until.size >= maxRefusals) this.#until.clear();
    this.#until.set(name, this.#monotonicNow() + remembered);
    return true;
  }
}

function isPostLimit(method: string, word: string): boolean {
  return method.startsWith('chat.') && word.startsWith('restricted_action');
}

/** What a refusal is about: a method in one channel, or all of a channel. Undefined when it is about this call alone. */
function keptUnder(call: AttemptedCall, word: string): string | undefined {
  if (word === 'is_archived') return call.channel;
  return inChannel.test(word) || isPostLimit(call.method, word) ? toPlace(call) : undefined;
}

function toScope({ method }: AttemptedCall, kind: 'private' | 'public'): string {
  return `${method} ${kind}`;
}

function toPlace({ method, channel }: AttemptedCall): string {
  return `${method} ${channel}`;
}
