import { setTimeout as wait } from 'node:timers/promises';
import type { Channel, FakeSlack, Person } from '../../../playground/fake-slack/fake-slack.ts';
import type { Random } from '../simulate/random.ts';
import type { Answered, Balancer } from './balancer.ts';

/** What people do. A mention is stored before it is acknowledged; the others are acknowledged first. */
const actKinds = ['note', 'task', 'message', 'severity', 'mention'] as const;
/** One of {@link actKinds}, or a page where the team has pagers. */
type ActKind = (typeof actKinds)[number] | 'page';

/** Muster asks before it pages the same people about one incident within ten minutes. After this time, in milliseconds, it does not. */
const pagedAgainAfter = 11 * 60_000;

/**
 * Severities of the team: an incident is set to each but the first at most once, so that each act shows by itself. They are few:
 * each change is a line in the room, and Slack takes one a second there after the first five (docs/slack.md 6).
 */
export const severities = Array.from({ length: 6 }, (_, index) => `level-${String(index).padStart(2, '0')}`);

/** Something that somebody did. */
export interface Act {
  readonly kind: ActKind;
  readonly incidentID: string;
  /** Words that no other act on that incident has, and that its effect shows; of a page its reason. */
  readonly token: string;
  /** The answer that acknowledged it; undefined when none did: then it may have taken effect or not. */
  readonly acknowledged: (Answered & { readonly status: 200 }) | undefined;
}

/** An incident and its channel. */
export interface Stage {
  readonly incidentID: string;
  readonly room: Channel;
}

/** What is needed to act. */
export interface Crowd {
  readonly slack: FakeSlack;
  readonly people: readonly Person[];
  readonly balancer: Balancer;
  readonly random: Random;
  /** The names of the team's pagers; absent: nobody pages. */
  readonly pagers?: readonly string[];
}

/**
 * Acts on one incident, one thing after the other, `every` milliseconds and never before the last one was answered, until
 * `enough` says so. Yields everything done, in order. Who acts there again needs other words, so `again` is put before their numbers.
 */
export async function actOn(
  crowd: Crowd,
  stage: Stage,
  every: number,
  enough: (acknowledged: boolean) => boolean,
  again = '',
): Promise<Act[]> {
  const { random, pagers = [] } = crowd;
  const kinds = pagers.length > 0 ? ([...actKinds, 'page'] as const) : actKinds;
  const pagedAt = new Map<string, number>();
  const acts: Act[] = [];
  const levels = again === '' ? severities.slice(1) : [];
  for (let isOver = false; !isOver; ) {
    const pause = wait(random.whole(Math.floor(every / 2), Math.ceil(every * 1.5)));
    const drawn = random.pick(kinds);
    const level = drawn === 'severity' ? levels.shift() : undefined;
    const now = Date.now();
    const pager = drawn === 'page' ? pagers.find(each => now - (pagedAt.get(each) ?? 0) > pagedAgainAfter) : undefined;
    if (pager !== undefined) pagedAt.set(pager, now);
    const isNote = (drawn === 'severity' && level === undefined) || (drawn === 'page' && pager === undefined);
    const token = level ?? `word-${stage.incidentID}-${again}${acts.length}-end`;
    const act = await actOnce(crowd, stage, isNote ? 'note' : drawn, token, pager);
    acts.push(act);
    isOver = enough(act.acknowledged !== undefined);
    await pause;
  }
  return acts;
}

async function actOnce(crowd: Crowd, stage: Stage, kind: ActKind, token: string, pager = ''): Promise<Act> {
  const { slack, balancer } = crowd;
  const { incidentID, room } = stage;
  const person = crowd.random.pick(crowd.people);
  const since = balancer.answered.length;
  switch (kind) {
    case 'note':
      await person.command(room, `/note add ${token}`);
      break;
    case 'task':
      await person.command(room, `/task add ${token}`);
      break;
    case 'severity':
      await person.command(room, `/incident severity ${token}`);
      break;
    case 'page':
      await person.command(room, `/incident page ${pager} ${token}`);
      break;
    case 'message':
      await person.shortcut('add_timeline', person.say(room, token));
      break;
    case 'mention':
      person.mention(room, `note add ${token}`);
      await slack.settled();
      break;
  }
  const find = () =>
    balancer.answered.slice(since).findLast(each => each.body.includes(token) && each.body.includes(room.id));
  for (let tries = 0; kind === 'mention' && find()?.status !== 200 && tries < 3; tries += 1) {
    // Slack delivers an event again that was not acknowledged (docs/slack.md 2).
    await wait(200 * 4 ** tries);
    const delivery = slack.deliveries.findLast(each => each.kind === 'event' && each.body.includes(`add ${token}`));
    if (delivery) await slack.redeliver(delivery);
  }
  const answer = find();
  const acknowledged = answer?.status === 200 ? { ...answer, status: 200 as const } : undefined;
  return { kind, incidentID, token, acknowledged };
}
