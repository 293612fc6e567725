import { createHash } from 'node:crypto';
import { sightAge } from '../../../src/bot/incident/state/channels.ts';
import { Days } from './days.ts';
import { findViolations, type Violation } from './invariants/all.ts';
import { addOnDuty, isOnDuty, OnDuty } from './people/calls.ts';
import { Crowd } from './people/crowd.ts';
import { Colleague } from './people/plan.ts';
import { Random } from './random.ts';
import type { WorldOptions } from './variants/variant.ts';
import { meanwhile } from './virtual-time.ts';
import { countUnfinished, openWorld, type World } from './world.ts';

/** How one seed's world went. */
export interface Run {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly history: readonly string[];
  /** Names the history: the same seed always has the same. */
  readonly digest: string;
  readonly acts: number;
  readonly kills: number;
}

/** How long after the last trouble a world may take to become quiet, in milliseconds. */
const longestUnrest = 7_200_000;
const step = 15_000;
/** How often the machines sleep and wake until chains have come to their ends and promises are overdue; both times in milliseconds. */
const untilAllIsDue = { times: 4, asleep: 45_000, awake: 15_000 } as const;
/** Where people live. It is nine o’clock in UTC. */
const homes: Readonly<Record<string, { readonly tz: string }>> = {
  bob: { tz: 'Asia/Kolkata' },
  carol: { tz: 'America/New_York' },
};
/** More than a day, in milliseconds. */
const aDay = 25 * 3_600_000;

/** Lives through the world of a seed and looks at what it left. */
export async function runSeed(seed: number, options: WorldOptions): Promise<Run> {
  const world = await openWorld(seed, options);
  const { history } = world;
  let violations: readonly Violation[];
  try {
    await live(world);
    history.add('world', 'is looked at');
    violations = await meanwhile(world.time, findViolations(world));
  } catch (error) {
    violations = [{ invariant: 'nothing waits for ever', complaint: error instanceof Error ? `${error.stack}` : '' }];
  }
  world.hosts.end();
  return {
    seed,
    violations,
    history: history.lines,
    digest: createHash('sha256').update(history.lines.join('\n')).digest('hex').slice(0, 16),
    acts: world.acts.all.length,
    kills: history.lines.filter(line => line.includes('is no more')).length,
  };
}

/** Lets people work, and then the bot until it has nothing left to do. */
async function live(world: World): Promise<void> {
  const { time, slack, seed } = world;
  const people = ['alice', 'bob', 'carol', 'dave'].slice(0, new Random(seed, 'people').whole(2, 4));
  const zones = world.plan.arePromisesMade ? homes : {};
  for (const name of people) slack.addPerson({ name, email: `${name}@example.com`, ...zones[name] });
  if (world.plan.areCallsMade) addOnDuty(world);
  slack.addChannel({ name: 'general', botIsMember: true });
  const crowd = new Crowd();
  beset(world);
  const colleagues = slack.people.filter(each => !isOnDuty(each)).map(person => new Colleague(world, crowd, person));
  for (const person of slack.people.filter(isOnDuty)) void new OnDuty(world, crowd, person).work();
  if (world.plan.areRoomsChanged) slack.addPerson({ name: 'petra', teamId: 'T0PARTNER01', isStranger: true });
  for (const colleague of colleagues) void colleague.work();
  if (world.plan.isChangedElsewhere) void world.elsewhere.work();
  await time.until(Math.max(world.actingUntil, world.calm) + 60_000);
  await settle(world);
  if (world.plan.areCallsMade || world.plan.arePromisesMade) {
    await letAllFallDue(world);
    await settle(world);
  }
  if (world.plan.areDutiesDone || world.plan.isFollowedUp) await nextDay(world, colleagues);
  if (world.plan.areDaysLived) {
    await new Days(world, crowd).live();
    await settle(world);
  }
  await letBurn(world);
  if (!world.plan.areRoomsChanged) return;
  // What Slack did not tell counts no longer than this.
  time.sleep(sightAge);
  await meanwhile(time, Promise.all(colleagues.map(colleague => colleague.lookAround())));
  await settle(world);
}

/** Alerts that never ended are told of once more, twice, after everything else. */
async function letBurn(world: World): Promise<void> {
  const burning = world.watchdog.groups.filter(each => each.burns);
  if (burning.length === 0) return;
  // Somebody takes each second incident of theirs for over.
  const early = burning.filter((_, place) => place % 2 === 0).map(each => each.title.split(' ', 1)[0]);
  await meanwhile(
    world.time,
    world.elsewhere.end(title => early.includes(title.split(' ', 1)[0])),
  );
  await settle(world);
  void world.watchdog.burnOn();
  await settle(world);
}

/** Lets so much time pass that everything owed is due. */
async function letAllFallDue({ time }: World): Promise<void> {
  for (let count = 0; count < untilAllIsDue.times; count += 1) {
    time.sleep(untilAllIsDue.asleep);
    await time.until(time.now() + untilAllIsDue.awake);
  }
}

/** Lets some incidents be reopened, and a day pass: then channels are archived. */
async function nextDay(world: World, colleagues: readonly Colleague[]): Promise<void> {
  const { time } = world;
  await meanwhile(time, Promise.all(colleagues.map(colleague => colleague.reopen())));
  await settle(world);
  time.sleep(aDay);
  await time.until(time.now() + 60_000);
  await settle(world);
}

/** Lets Slack refuse the bot's token, lose events, and lose people, as planned. */
function beset({ slack, plan, history, at }: World): void {
  for (const { how, from, until } of plan.revocations) {
    at(from, () => {
      history.add('fault', `Slack refuses the token: it was ${how}`);
      slack.revokeToken(how);
    });
    at(until, () => {
      history.add('fault', 'Slack takes the token again');
      slack.restoreToken();
    });
  }
  for (const { from, until } of plan.floods) {
    at(from, () => {
      history.add('fault', 'Slack says that there are too many events');
      void slack.limitEvents();
    });
    at(until, () => history.add('fault', 'Slack sends events again'));
  }
  for (const { place, from, until } of plan.departures) {
    const person = slack.people[place % slack.people.length];
    const change = (deleted: boolean) => {
      history.add('fault', `${person?.name} is ${deleted ? 'deactivated' : 'back'}`);
      person?.change({ deleted });
    };
    at(from, () => change(true));
    at(until, () => change(false));
  }
}

/** Lets time pass until nothing is left to do, for as long as that may take. */
async function settle(world: World): Promise<void> {
  const { time } = world;
  const latest = time.now() + longestUnrest;
  for (let quiet = 0; quiet < 2 && time.now() < latest; ) {
    await time.until(time.now() + step);
    quiet = (await isQuiet(world)) ? quiet + 1 : 0;
  }
}

async function isQuiet(world: World): Promise<boolean> {
  if (
    world.watchdog.isSending ||
    world.pagers.isSending ||
    world.mail.isRedelivering ||
    world.hosts.replicas.some(each => !each.isOpen)
  )
    return false;
  const { time } = world;
  let isIdle = false;
  for (const replica of world.hosts.replicas) {
    isIdle = false;
    void replica.idle().then(() => {
      isIdle = true;
    });
    await time.until(time.now() + 1);
    if (!isIdle) return false;
  }
  return (await meanwhile(time, countUnfinished(world))) === 0;
}
