import { pino } from 'pino';
import { createFakeSlack, type DirectFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import type { Settings } from '../../../src/bot/incident/state/settings.ts';
import type { Transport } from '../../../src/client/transport.ts';
import { type Database, openDatabase } from '../../../src/db/database.ts';
import { createService } from '../../../src/service/service.ts';
import { grants } from '../../support/grants.ts';
import { Random } from './random.ts';
import { drawGrafana, drawLater, drawPlan, drawRunning, type Plan } from './trouble/faults.ts';
import { createQueue, type Queue } from './trouble/mortal-database.ts';
import type { Variant, WorldOptions } from './variants/variant.ts';
import { beginTime, meanwhile, type VirtualTime } from './virtual-time.ts';
import { History } from './witness/history.ts';
import { watchLanes } from './witness/lanes.ts';

/** Told of an answer of the API. */
type ApiAnswered = (request: Parameters<Transport>[0], response: Awaited<ReturnType<Transport>>) => void;

/** What a world begins with, and what will befall it. */
export interface Setting {
  readonly seed: number;
  readonly time: VirtualTime;
  readonly history: History;
  readonly plan: Plan;
  readonly variant: Variant;
  readonly slack: DirectFakeSlack;
  /** The API, and where it keeps its data. */
  readonly answerApi: Transport;
  /** Tells of every answer of the API from now on, whoever asked. */
  onApiAnswer(tell: ApiAnswered): void;
  readonly apiDatabase: Database;
  /** The database that all replicas share, and its one line of work. */
  readonly botDatabase: Database;
  readonly databaseQueue: Queue;
  readonly settings: Settings;
  /** How many replicas there are. */
  readonly places: number;
  /** When it began, until when people act, and when all trouble is over, in milliseconds since the epoch. */
  readonly began: number;
  readonly actingUntil: number;
  readonly calm: number;
  /** What the clock shows to the replica of a place. */
  clockOf(place: number): Date;
  /** Does something at a moment. */
  at(moment: number, work: () => void): void;
}

/** Makes the setting of a seed. */
export async function openSetting(seed: number, { troubles, variant }: WorldOptions): Promise<Setting> {
  const time = beginTime(Date.parse('2026-03-02T09:00:00Z'), seed);
  const random = new Random(seed, 'plan');
  const began = time.now();
  const actingUntil = began + random.pick([30_000, 60_000, 150_000]);
  const calm = actingUntil + random.pick([0, 5_000, 120_000]);
  const drawn = drawPlan(random, troubles, began + random.pick([0, 10_000]), calm);
  const plan = {
    ...drawn,
    api: [...drawGrafana(new Random(seed, 'grafana'), troubles, began, calm), ...drawn.api],
    ...drawLater(new Random(seed, 'later'), troubles),
    ...drawRunning(new Random(seed, 'running'), troubles, began, calm),
  };
  const clock = () => new Date(time.now());
  const slack = createFakeSlack({
    now: clock,
    signatureNow: clock,
    ...grants,
  });
  const apiDatabase = await openDatabase('sqlite::memory:');
  const service = await meanwhile(
    time,
    createService({
      database: apiDatabase,
      clock,
      log: pino({ enabled: false }),
      options: { rootUrl: 'https://muster.example.com' },
    }),
  );
  const botDatabase = await openDatabase('sqlite::memory:');
  await meanwhile(time, watchLanes(botDatabase, clock()));
  const listeners: ApiAnswered[] = [];
  return {
    seed,
    time,
    history: new History(() => time.now()),
    plan,
    variant,
    slack,
    answerApi: async request => {
      const response = await service.handle(request);
      for (const tell of listeners) tell(request, response);
      return response;
    },
    onApiAnswer: tell => void listeners.push(tell),
    apiDatabase,
    botDatabase,
    databaseQueue: createQueue(),
    settings: toSettings(slack, plan, new Random(seed, 'settings')),
    places: random.pick([1, 2, 3, 3]),
    began,
    actingUntil,
    calm,
    clockOf: place => {
      const now = time.now();
      const hits = plan.steps.filter(step => step.place === 'every' || step.place === place);
      return new Date(hits.some(step => step.from <= now && now < step.until) ? now - 3_600_000 : now);
    },
    at: (moment, work) => void time.pause(Math.max(0, moment - time.now())).then(work),
  };
}

/** Minutes of the day in which nobody is reminded alone. The world begins at 9 o’clock in UTC. */
const quietTimes = [
  { from: 22 * 60, to: 7 * 60 },
  { from: 8 * 60, to: 9 * 60 + 2 },
  { from: 9 * 60 + 3, to: 12 * 60 },
];

/** Everything comes sooner than in a team, so that it comes while there is trouble. */
function toReminders(random: Random): Pick<Settings, 'reminders' | 'quietHours' | 'newsAfter' | 'taskAfter'> {
  return {
    reminders: random.pick(['on', 'on', 'on', 'owner']),
    quietHours: quietTimes[random.whole(0, quietTimes.length)],
    newsAfter: { gravest: 2, below: 3 },
    taskAfter: 0,
  };
}

/** The groups of people on duty, by their handles. */
export const groups = { sre: 'sre', leads: 'leads' } as const;

/** The chains of a world in which people are called. */
const chains: Settings['call'] = [
  { at: 'severity', name: 'critical', targets: [groups.sre, groups.leads].map(handle => ({ kind: 'group', handle })) },
  { at: 'label', name: 'storage', targets: [{ kind: 'group', handle: groups.leads }] },
];

function toSettings(slack: DirectFakeSlack, plan: Plan, random: Random): Settings {
  const { areCallsMade, arePromisesMade, isEndedByAlert } = plan;
  return {
    severities: ['pending', 'minor', 'major', 'critical'],
    channelPrefix: 'inc-',
    announceChannel: slack.addChannel({ name: 'incidents', botIsMember: true }).id,
    commanderRole: 'commander',
    timelineEmoji: new Map([
      ['memo', 'note'],
      ['pushpin', 'note'],
    ]),
    linesPerHour: arePromisesMade ? random.pick([30, 30, 6]) : 30,
    archiveAfterDays: 0,
    ...(arePromisesMade
      ? toReminders(random)
      : { reminders: 'off', quietHours: undefined, newsAfter: undefined, taskAfter: 0 }),
    roomsFor: [],
    severityMeanings: new Map(),
    guests: 'rooms',
    sharedChannels: 'number',
    secretsGuard: 'on',
    commandRoot: 'muster',
    webUrl: 'https://muster.example.com',
    apiName: 'Muster’s own service',
    alertsEnd: isEndedByAlert ? 'auto' : 'ask',
    alertsAgain: 30,
    alertsStorm: { more: 5, within: 10 * 60_000 },
    alertLabels: new Map(),
    call: areCallsMade ? chains : [],
    callAfter: 1,
    callers: '',
    dashboardHosts: [],
  };
}
