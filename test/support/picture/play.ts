import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMuster } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import {
  type Channel,
  type FakeSlack,
  type Message,
  openFakeSlack,
  type Person,
} from '../../../src/fake-slack/fake-slack.ts';
import { openLog } from '../../../src/operations/log.ts';
import { grants } from '../grants.ts';

/** What one person sees in an incident's channel, and the workspace it was seen in. */
export interface Seen {
  readonly slack: FakeSlack;
  readonly reader: Person;
  readonly room: Channel;
  readonly messages: readonly Message[];
  /** Where incidents are announced. */
  readonly announced: readonly Message[];
}

/** A night in March; the story has a clock of its own, so that it is the same every time. */
const start = Date.parse('2026-03-14T02:07:00Z');

/** Plays a short incident against the stand-in for Slack, through the real bot and service, and shows what was seen of it. */
export async function playShortly<T>(show: (seen: Seen) => T): Promise<T> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-picture-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  let now = start;
  const clock = () => new Date(now);
  const slack = stack.use(await openFakeSlack({ ...grants, now: clock, signatureNow: clock }));
  const alice = slack.addPerson({ name: 'alice', realName: 'Alice Adler', email: 'alice@example.com' });
  const bob = slack.addPerson({ name: 'bob', realName: 'Bob Baker', email: 'bob@example.com' });
  slack.addChannel({ name: 'checkout' });
  slack.addChannel({ name: 'incidents', botIsMember: true });
  const config = readConfig({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    ANNOUNCE_CHANNEL: slack.channel('incidents').id,
    DATABASE_URL: `sqlite:${join(folder, 'muster.db')}`,
    PORT: '0',
    PUBLIC_URL: 'https://muster.example.com',
  });
  const log = openLog('error', {
    write: line => {
      throw new Error(`Muster logged an error: ${line}`);
    },
  });
  const muster = stack.use(await startMuster(config, log, { clock }));
  slack.connectApp(`${muster.url}/slack/events`);
  const settle = async (minutes: number) => {
    await slack.settled();
    await muster.bot.idle();
    now += minutes * 60_000;
  };

  await alice.command('#checkout', '/incident declare Checkout answers 500 --severity major --label checkout --now');
  await settle(1);
  const room = slack.channels.find(channel => channel.name.startsWith('inc-1-'));
  if (!room) throw new Error('The incident has no channel.');
  bob.join(room);
  await settle(1);
  await bob.command(room, '/role assign me commander');
  await settle(2);
  const found = bob.say(room, 'The replica is 40 s behind: every write waits for it. Failing over now.');
  await settle(1);
  await alice.shortcut('add_timeline', found);
  await settle(2);
  await alice.command(room, '/task add tell support what we know @bob');
  await settle(6);
  await bob.command(room, '/incident severity minor');
  await settle(0);
  return show({ slack, reader: alice, room, messages: alice.sees(room), announced: alice.sees('#incidents') });
}
