import { type JsonObject, toText } from '../protocol/json.ts';
import type { ChooseFault } from './faults.ts';

/** Calls a minute of each method, for the app in the workspace (docs/slack.md 6). Other methods have no limit here. */
const perMinute: Readonly<Record<string, number>> = {
  ...ofTier(20, [
    'conversations.create',
    'conversations.archive',
    'conversations.setTopic',
    'bookmarks.add',
    'pins.add',
    'pins.remove',
    'reactions.remove',
    'users.list',
    'usergroups.list',
    'usergroups.users.list',
    'auth.teams.list',
  ]),
  ...ofTier(50, [
    'chat.update',
    'chat.delete',
    'conversations.invite',
    'conversations.open',
    'conversations.info',
    'conversations.history',
    'conversations.replies',
    'reactions.add',
    'bookmarks.list',
    'users.conversations',
  ]),
  ...ofTier(100, [
    'chat.postEphemeral',
    'conversations.members',
    'users.info',
    'views.open',
    'views.push',
    'views.update',
    'views.publish',
  ]),
  // Slack says "some hundreds".
  'chat.postMessage': 300,
};

/** Posts that a channel takes within `burstMs`: one a second on average. Slack tolerates short bursts and publishes no figure. */
const burst = 10;
const burstMs = 10_000;
const minuteMs = 60_000;

/** Refuses calls beyond Slack's published rates with 429 and `Retry-After`. `now` is the clock that counts. */
export function limitRates(now: () => Date): ChooseFault {
  const windows = new Map<string, number[]>();

  /** Seconds until the window has room; 0 when it has room now. */
  function secondsUntilRoom(key: string, most: number, lengthMs: number): number {
    const at = now().getTime();
    const recent = (windows.get(key) ?? []).filter(time => time > at - lengthMs);
    windows.set(key, recent);
    const oldest = recent.at(-most);
    return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest + lengthMs - at) / 1000));
  }

  return (method, args) => {
    const limits = limitsOf(method, args);
    const waits = limits.map(({ key, most, lengthMs }) => secondsUntilRoom(key, most, lengthMs));
    const seconds = Math.max(0, ...waits);
    if (seconds > 0) return { rateLimited: seconds };
    for (const { key } of limits) windows.get(key)?.push(now().getTime());
    return undefined;
  };
}

interface Limit {
  readonly key: string;
  readonly most: number;
  readonly lengthMs: number;
}

function limitsOf(method: string, args: JsonObject): Limit[] {
  const most = perMinute[method];
  const limits = most === undefined ? [] : [{ key: method, most, lengthMs: minuteMs }];
  if (method !== 'chat.postMessage') return limits;
  return [...limits, { key: `${method} ${toText(args.channel)}`, most: burst, lengthMs: burstMs }];
}

function ofTier(rate: number, methods: readonly string[]): Record<string, number> {
  return Object.fromEntries(methods.map(method => [method, rate]));
}
