import { leaseTime } from '../../../../src/db/leases.ts';
import type { Random } from '../random.ts';
import type { History } from '../witness/history.ts';

/** How a call to the API or to Slack goes wrong. */
const lineFaults = [
  'refused',
  'unresolvable',
  'stalled',
  '429',
  '429 without Retry-After',
  '500',
  'html',
  'half a body',
  'answer lost',
] as const;
/** How a Grafana fails changes though it answers: it refuses them in its own form, or makes something new long after its caller went away. */
const grafanaFaults = ['refused by the API', 'made late'] as const;
/** One of {@link lineFaults}. */
export type LineFault = (typeof lineFaults)[number];
/** A fault of the line to the API, or of the API itself. */
export type ApiFault = LineFault | (typeof grafanaFaults)[number];

/** How a call to a pager goes wrong: a page of HTML with a status of success is no answer that one can tell from another. */
const pagerFaults = lineFaults.filter(each => each !== 'html');

/** What Slack refuses, each with the methods that it happens to; none for any. */
export const slackRefusals = {
  name_taken: ['conversations.create'],
  restricted_action: ['conversations.create', 'pins.add', 'conversations.invite'],
  is_archived: ['chat.postMessage', 'conversations.setTopic', 'pins.add'],
  channel_not_found: ['chat.postMessage', 'conversations.setTopic', 'pins.add'],
  ratelimited: [],
  expired_trigger_id: ['views.open'],
} as const satisfies Record<string, readonly string[]>;
/** One of the refusals. */
export type SlackRefusal = keyof typeof slackRefusals;

/** How Slack refuses to say who somebody is. */
const lookupRefusals = ['internal_error', 'fatal_error', 'ratelimited'] as const;
/** One of {@link lookupRefusals}. */
export type LookupRefusal = (typeof lookupRefusals)[number];

/** How a statement goes wrong: without effect, or with its answer lost. */
const databaseFaults = ['busy', 'failover', 'connection dropped', 'answer lost'] as const;
/** One of {@link databaseFaults}. */
export type DatabaseFault = (typeof databaseFaults)[number];

/** One sort of trouble for a while. */
export interface Span<F extends string = string> {
  readonly fault: F;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  /** How many of the calls meanwhile are hit, from 0 to 1. */
  readonly share: number;
}

/** A clock that is an hour behind for a while: that of one replica, by its place, or of all. */
interface Step {
  readonly from: number;
  readonly until: number;
  readonly place: number | 'every';
}

/** A time in which something does nothing. */
interface Pause {
  readonly from: number;
  readonly until: number;
}

/** A time in which Slack does not take the bot's token, and why. */
interface Revocation extends Pause {
  readonly how: 'revoked' | 'uninstalled';
}

/** A time in which somebody's account is deactivated, by the place of the person. */
interface Departure extends Pause {
  readonly place: number;
}

/** What befalls a world, all of it over at `calm`. */
export interface Plan {
  readonly api: readonly Span<ApiFault>[];
  readonly slack: readonly Span<LineFault>[];
  readonly refusals: readonly Span<SlackRefusal>[];
  readonly database: readonly Span<DatabaseFault>[];
  /** When clocks of the bot are an hour behind. */
  readonly steps: readonly Step[];
  /** When the API stands still: it takes calls, and carries them out when it goes on. */
  readonly freezes: readonly Pause[];
  /** When a replica stands still. */
  readonly standstills: readonly Pause[];
  /** When a replica is killed, in the middle of its writes. */
  readonly kills: readonly number[];
  /** When a replica is stopped as for an update; often soon after a kill. */
  readonly stops: readonly number[];
  readonly revocations: readonly Revocation[];
  /** When Slack says that there are too many events, and loses all others. */
  readonly floods: readonly Pause[];
  /** When Slack does not say who somebody is. */
  readonly lookups: readonly Span<LookupRefusal>[];
  readonly departures: readonly Departure[];
  /** Whether people make rooms private, share them, leave them and invite others. */
  readonly areRoomsChanged: boolean;
  /** Whether Slack reaches the bot over sockets, in place of HTTP. */
  readonly isOverSockets: boolean;
  /** Whether another client of the API changes incidents too. */
  readonly isChangedElsewhere: boolean;
  /** Whether the API sends webhooks; otherwise the bot has to look for changes. */
  readonly areWebhooksSent: boolean;
  /** Whether people react to messages, edit and delete them. */
  readonly isTalkChanged: boolean;
  /** Whether people change what others have just changed, and undo a lot. */
  readonly isContended: boolean;
  /** Whether people hand roles over, open the home tab, post lists and have channels archived. */
  readonly areDutiesDone: boolean;
  /** Whether people press what comes next after a resolution and the buttons of the home tab, and archive channels at once. */
  readonly isFollowedUp: boolean;
  /** Whether a monitoring tool sends alerts. */
  readonly areAlertsSent: boolean;
  /** Whether an incident that an alert declared ends with it, where nobody acted. */
  readonly isEndedByAlert: boolean;
  /** Whether people call others, and chains do. */
  readonly areCallsMade: boolean;
  /** Whether people promise updates, and Muster reminds of what is owed. */
  readonly arePromisesMade: boolean;
  /** Whether people page pagers. */
  readonly arePagesSent: boolean;
  /** Whether days pass: people leave and come back, and rooms close and open. */
  readonly areDaysLived: boolean;
  /** How pagers go wrong. */
  readonly pagers: readonly Span<LineFault>[];
}

/** The sorts of trouble that a world may have. */
export interface Troubles {
  readonly api: boolean;
  readonly slack: boolean;
  readonly refusals: boolean;
  readonly database: boolean;
  readonly steps: boolean;
  readonly kills: boolean;
  readonly stops: boolean;
  readonly freezes: boolean;
  readonly tokens: boolean;
  readonly floods: boolean;
  readonly lookups: boolean;
  readonly departures: boolean;
  readonly rooms: boolean;
  readonly sockets: boolean;
  /** In how many of the worlds, from 0 to 1, another client changes incidents. */
  readonly elsewhere: number;
  /** In how many of the worlds people react to messages, edit and delete them. */
  readonly talk: number;
  /** In how many of the worlds people change what others have just changed. */
  readonly rivals: number;
  /** In how many of the worlds people hand roles over, open the home tab, post lists and have channels archived. */
  readonly duties: number;
  /** In how many of the worlds people act on what comes next and on the home tab, and archive channels at once. */
  readonly aftermath: number;
  /** In how many of the worlds a monitoring tool sends alerts. */
  readonly alerts: number;
  /** In how many of the worlds people and chains call others. */
  readonly calls: number;
  /** In how many of the worlds people promise updates, and are reminded of what is owed. */
  readonly promises: number;
  /** In how many of the worlds people page pagers. */
  readonly pages: number;
  /** In how many of the worlds days pass, in which people leave and come back, and rooms close and open. */
  readonly days: number;
  /** In how many of the worlds the API refuses changes in its own form, and makes things late. */
  readonly grafana: number;
}

/** What is drawn on its own: worlds without it stay as they are. */
type Later = Pick<Plan, 'isFollowedUp' | 'areAlertsSent' | 'isEndedByAlert' | 'areDaysLived'>;

/** What of it is about running incidents. */
type Running = Pick<Plan, 'areCallsMade' | 'arePromisesMade' | 'arePagesSent' | 'pagers'>;

/** Draws what of a plan has chances of its own. */
export function drawLater(random: Random, { aftermath, alerts, days }: Troubles): Later {
  return {
    isFollowedUp: random.chance(aftermath),
    areAlertsSent: random.chance(alerts),
    isEndedByAlert: random.chance(0.3),
    areDaysLived: random.chance(days),
  };
}

/** Draws whether incidents are run: people are called, promise, and page pagers, which go wrong like Slack and the API. */
export function drawRunning(random: Random, troubles: Troubles, from: number, calm: number): Running {
  const { calls, promises, pages } = troubles;
  const toSpan = (): Span<LineFault> => {
    const begin = random.whole(from, calm);
    const until = Math.min(calm, begin + random.whole(1000, random.pick([20_000, 120_000])));
    return { fault: random.pick(pagerFaults), from: begin, until, share: random.pick([0.2, 0.5, 1]) };
  };
  return {
    areCallsMade: random.chance(calls),
    arePromisesMade: random.chance(promises),
    arePagesSent: random.chance(pages),
    pagers: Array.from({ length: troubles.api ? random.whole(0, 4) : 0 }, toSpan),
  };
}

/** Draws when the API refuses changes, and when it makes things late. */
export function drawGrafana(random: Random, { grafana }: Troubles, from: number, calm: number): Span<ApiFault>[] {
  if (!random.chance(grafana)) return [];
  return grafanaFaults.map(fault => {
    const begin = random.whole(from, calm);
    const until = Math.min(calm, begin + random.whole(5000, 60_000));
    return { fault, from: begin, until, share: random.pick([0.2, 0.5]) };
  });
}

/** Draws the rest of what befalls a world between `from` and `calm`. */
export function drawPlan(
  random: Random,
  troubles: Troubles,
  from: number,
  calm: number,
): Omit<Plan, keyof Later | keyof Running> {
  const between = (longest: number) => {
    const length = Math.min(random.whole(1000, longest), calm - from);
    const begin = from + random.whole(0, calm - from - length);
    return { from: begin, until: begin + length };
  };
  const some = <F extends string>(isOn: boolean, most: number, longest: number, faults: readonly F[]): Span<F>[] =>
    Array.from({ length: isOn ? random.whole(0, most) : 0 }, () => ({
      fault: random.pick(faults),
      ...between(longest),
      share: random.pick([0.2, 0.5, 0.9, 1]),
    }));
  const moments = (isOn: boolean, most: number) =>
    Array.from({ length: isOn ? random.whole(0, most) : 0 }, () => random.whole(from, calm));
  const pauses = (isOn: boolean, most: number) =>
    Array.from({ length: isOn ? random.whole(0, most) : 0 }, () => between(random.pick([5000, 45_000])));
  const kills = moments(troubles.kills, 4);
  const soonAfter = kills
    .filter(() => troubles.stops && random.chance(0.4))
    .map(moment => Math.min(calm, moment + random.whole(0, leaseTime)));
  return {
    api: some(troubles.api, 5, random.pick([20_000, 120_000, 400_000]), lineFaults),
    slack: some(troubles.slack, 4, random.pick([10_000, 60_000, 180_000]), lineFaults),
    refusals: some(troubles.refusals, 3, 60_000, Object.keys(slackRefusals) as SlackRefusal[]),
    database: some(troubles.database, 2, 15_000, databaseFaults),
    steps:
      troubles.steps && random.chance(0.4)
        ? [{ ...between(300_000), place: random.pick(['every', 0, 1] as const) }]
        : [],
    freezes: pauses(troubles.freezes, 1),
    standstills: pauses(troubles.freezes, 2),
    kills,
    stops: [...moments(troubles.stops, 2), ...soonAfter],
    revocations:
      troubles.tokens && random.chance(0.4)
        ? [{ ...between(90_000), how: random.pick(['revoked', 'uninstalled'] as const) }]
        : [],
    floods: troubles.floods && random.chance(0.4) ? [between(60_000)] : [],
    lookups: some(troubles.lookups, 2, random.pick([30_000, 180_000]), lookupRefusals),
    departures: troubles.departures && random.chance(0.4) ? [{ ...between(120_000), place: random.whole(0, 3) }] : [],
    areRoomsChanged: troubles.rooms && random.chance(0.75),
    isOverSockets: troubles.sockets && random.chance(0.3),
    isChangedElsewhere: troubles.elsewhere > 0 && random.chance(troubles.elsewhere),
    areWebhooksSent: random.chance(0.5),
    isTalkChanged: troubles.talk > 0 && random.chance(troubles.talk),
    isContended: troubles.rivals > 0 && random.chance(troubles.rivals),
    areDutiesDone: troubles.duties > 0 && random.chance(troubles.duties),
  };
}

/** The fault that hits a call now; undefined when it goes well. */
export function strike<F extends string>(spans: readonly Span<F>[], now: number, random: Random): F | undefined {
  return spans.find(span => span.from <= now && now < span.until && random.chance(span.share))?.fault;
}

/** Writes down when each trouble begins and ends. */
export function tellPlan(plan: Plan, history: History, at: (moment: number, tell: () => void) => void): void {
  const all = [
    ...plan.api.map(each => ['API', each] as const),
    ...plan.slack.map(each => ['Slack', each] as const),
    ...plan.refusals.map(each => ['Slack', each] as const),
    ...plan.lookups.map(each => ['Slack, asked who somebody is', each] as const),
    ...plan.database.map(each => ['database', each] as const),
    ...plan.pagers.map(each => ['pagers', each] as const),
  ];
  for (const [line, { fault, from, until, share }] of all) {
    const span = `from now for ${Math.round((until - from) / 1000)} s, ${Math.round(share * 100)} % of the calls`;
    at(from, () => history.add('fault', `${line}: ${fault}, ${span}`));
  }
  for (const { from, until } of plan.freezes) {
    at(from, () => history.add('fault', 'the API stands still'));
    at(until, () => history.add('fault', 'the API goes on'));
  }
  for (const { from, until, place } of plan.steps) {
    const whose = place === 'every' ? 'every replica' : `replica${place + 1}`;
    at(from, () => history.add('fault', `the clock of ${whose} steps back an hour`));
    at(until, () => history.add('fault', `the clock of ${whose} is right again`));
  }
}
