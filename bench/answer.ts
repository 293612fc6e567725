import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type FakeSlack, openFakeSlack } from '../playground/fake-slack/fake-slack.ts';
import { createRooms, noSources, type Room } from '../src/bot/incident/state/room-store.ts';
import { botMigrations } from '../src/bot/schema/migrations.ts';
import { openDatabase } from '../src/db/database.ts';
import { migrate } from '../src/db/migrate.ts';
import { startMuster } from '../test/support/acknowledging-process.ts';
import { quantile } from '../test/support/quantile.ts';
import { type Conversation, openConversation } from './conversation.ts';
import { filesIn, type MakeDatabase } from './databases.ts';
import { interleave, median, type Row, summarise } from './measure.ts';
import { cpuTime } from './process-usage.ts';
import { apiToken, openSlowApi, type SlowApi } from './slow-api.ts';
import { openSlowSlack, type SlowSlack } from './slow-slack.ts';
import { startBareBolt } from './start-bare-bolt.ts';

/** How long Slack and the incident API take, in milliseconds. */
const slackTime = 30;
const apiTime = 20;
/** Incidents, each with a channel and a person of its own. */
const incidents = 8;
const perRound = 40;
const rounds = 12;
/** Unmeasured rounds, in which both meet the people and get as fast as they will be. */
const warmUp = 20;
/** So long nothing is called once a note and its card are done, in milliseconds: the second card of a minute waits for two seconds. */
const quietTime = 2500;

/** Where a person notes something. */
interface Place {
  readonly userId: string;
  readonly channelId: string;
}

/** Everything that both work with. */
interface World {
  readonly slack: FakeSlack;
  readonly slowSlack: SlowSlack;
  readonly api: SlowApi;
  readonly places: readonly Place[];
}

/** What a round took: each wait for an answer, and CPU time of the process for each note, in milliseconds. */
interface Round {
  readonly waits: readonly number[];
  readonly cpu: number;
}

/**
 * `/note add …` in an incident's channel, from the signed request until Slack has the answer at the `response_url`, over a bare
 * Bolt app that makes the same calls and stores nothing. Slack takes 30 ms for each request, the API 20 ms. Measured for one person
 * after another, and for eight people at a time in the channels of eight incidents.
 */
export async function benchAnswer(given?: MakeDatabase): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-'));
  const url = await (given ?? filesIn(folder))('answer');
  await using slack = await openFakeSlack();
  await using slowSlack = await openSlowSlack(slack, slackTime);
  await using api = await openSlowApi(apiTime);
  try {
    const rooms = await makeRooms(slack);
    await keepRooms(url, rooms);
    const people = rooms.map((_, index) => slack.addPerson({ name: `person${index}` }));
    const places = rooms.map(({ channelId }, index) => ({ userId: people[index]?.id ?? '', channelId }));
    const settings = {
      SLACK_API_URL: slowSlack.apiUrl,
      GRAFANA_URL: api.url,
      GRAFANA_TOKEN: apiToken,
      DATABASE_URL: url,
    };
    await using muster = await startMuster(slack, folder, settings);
    await using bare = await startBareBolt(slack, folder, muster.answer, { ...settings, ROOMS: JSON.stringify(rooms) });
    const world: World = { slack, slowSlack, api, places };
    await using toMuster = openConversation(muster, { slack, slowSlack, connections: incidents });
    await using toBare = openConversation(bare, { slack, slowSlack, connections: incidents });
    const ours: Team = { world, pid: muster.pid, conversation: toMuster };
    const theirs: Team = { world, pid: bare.pid, conversation: toBare };
    const oneByOne = { baseline: () => round(theirs, 1), subject: () => round(ours, 1) };
    const together = { baseline: () => round(theirs, incidents), subject: () => round(ours, incidents) };
    // Once unmeasured, so that both have met the person.
    for (const team of [theirs, ours]) await callsOfOne(team);
    await compareCalls(world, [theirs, ours]);
    await interleave(warmUp, together);
    const calm = await interleave(rounds, oneByOne);
    return [...toRows('answer', calm), ...toRows('answer-busy', await interleave(rounds, together))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Incidents with cards and announcements in Slack. */
async function makeRooms(slack: FakeSlack): Promise<Room[]> {
  const announcements = slack.addChannel({ name: 'incidents', botIsMember: true });
  const ids = Array.from({ length: incidents }, (_, index) => String(index + 1));
  return await Promise.all(
    ids.map(async incidentID => {
      const channel = slack.addChannel({ name: `inc-${incidentID}`, botIsMember: true });
      return {
        incidentID,
        teamId: slack.teamId,
        channelId: channel.id,
        // Not of the bot's own making, so that it sets no topic.
        channelName: '',
        isLinked: false,
        isPrivate: false,
        cardTs: await post(slack, channel.id),
        announcementChannelId: announcements.id,
        announcementTs: await post(slack, announcements.id),
        declaredBy: '',
        sources: noSources,
      };
    }),
  );
}

async function post(slack: FakeSlack, channel: string): Promise<string> {
  const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${slack.botToken}` },
    body: JSON.stringify({ channel, text: 'A card' }),
  });
  const { ts } = (await response.json()) as { ts?: string };
  if (ts === undefined) throw new Error('A card could not be posted.');
  return ts;
}

async function keepRooms(url: string, all: readonly Room[]): Promise<void> {
  await using database = await openDatabase(url);
  await migrate(database, 'bot', botMigrations, new Date());
  const rooms = createRooms(database, () => new Date());
  for (const room of all) {
    await rooms.keep(room);
    // The room is told later, of several notes at once, and nobody waits for that.
    await rooms.setReceipts(room.incidentID, 'quiet', async () => true);
  }
}

/** People who note things, and a contender that they note them with. */
interface Team {
  readonly world: World;
  readonly pid: number;
  readonly conversation: Conversation;
}

let serial = 0;

async function note({ conversation }: Team, place: Place): Promise<number> {
  serial += 1;
  const text = `add Rolled back to release ${serial}, and errors are falling again in all regions`;
  return (await conversation.type({ command: '/note', text, ...place })).answered;
}

/** Adds some notes: one after another, each by another person, or each person one after another beside the others. */
async function round(team: Team, concurrency: 1 | typeof incidents): Promise<Round> {
  const { places } = team.world;
  const before = cpuTime(team.pid);
  const waits: number[] = [];
  const turns = Array.from({ length: perRound }, (_, index) => index).values();
  await Promise.all(
    Array.from({ length: concurrency }, async (_, person) => {
      for (const turn of turns) {
        const place = places[concurrency === 1 ? turn % places.length : person];
        if (place) waits.push(await note(team, place));
      }
    }),
  );
  return { waits, cpu: (cpuTime(team.pid) - before) / perRound };
}

/** Throws unless both make the same calls for a note, as often. */
async function compareCalls(world: World, teams: readonly Team[]): Promise<void> {
  const made: string[] = [];
  for (const team of teams) made.push((await callsOfOne(team)).toSorted().join(', '));
  const [bare, muster] = made;
  if (bare !== muster) throw new Error(`Muster calls ${muster}, and the bare app ${bare}, so nothing is measured.`);
  await quiet(world);
}

async function callsOfOne(team: Team): Promise<string[]> {
  const { slowSlack, api, places } = team.world;
  await quiet(team.world);
  const [slackBefore, apiBefore] = [slowSlack.calls.length, api.calls.length];
  if (places[0]) await note(team, places[0]);
  await quiet(team.world);
  return [...slowSlack.calls.slice(slackBefore), ...api.calls.slice(apiBefore)];
}

/** Resolves when nobody has called anything for a while. */
async function quiet({ slowSlack, api }: World): Promise<void> {
  for (let before = -1; before !== slowSlack.calls.length + api.calls.length; ) {
    before = slowSlack.calls.length + api.calls.length;
    await pause(quietTime);
  }
}

/** The p50 of neighbouring rounds; the p99 of all, since one slow moment of the machine makes that of a round. */
function toRows(name: string, pairs: readonly { baseline: Round; subject: Round }[]): Row[] {
  const each = (of: (round: Round) => number) =>
    pairs.map(({ baseline, subject }) => ({ baseline: of(baseline), subject: of(subject) }));
  const p99 = (side: 'baseline' | 'subject') =>
    quantile(
      pairs.flatMap(pair => pair[side].waits),
      0.99,
    );
  const late = { baseline: p99('baseline'), subject: p99('subject') };
  const atMost = { limit: name === 'answer' ? 1.2 : 1.25, bound: 'at most', unit: 'ms' } as const;
  const ofCpu = { limit: 2.5, bound: 'at most', unit: 'ms CPU' } as const;
  return [
    { name: `${name}-p50`, ...summarise(each(({ waits }) => median(waits))), ...atMost },
    { name: `${name}-p99`, ...late, ratio: late.subject / late.baseline, ...atMost },
    { name: `${name}-cpu`, ...summarise(each(({ cpu }) => cpu)), ...ofCpu },
  ];
}
