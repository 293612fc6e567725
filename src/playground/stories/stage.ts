import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Muster, startMuster } from '../../app.ts';
import { type ApiClient, createClient } from '../../client/client.ts';
import { openHttpTransport } from '../../client/transport.ts';
import { readConfig } from '../../config/config.ts';
import { type FakeSlack, openFakeSlack, type Person } from '../../fake-slack/fake-slack.ts';
import { openLog } from '../../operations/log.ts';
import { openStoryClock, type StoryClock } from './story-clock.ts';

/** The people of the play and the places they begin in. */
export interface Cast {
  /** On call for the shop. */
  readonly alice: Person;
  /** Runs the incident. */
  readonly bob: Person;
  /** Talks with customers. */
  readonly carol: Person;
  /** Another app, which posts alerts. */
  readonly watchdog: Person;
}

/** Everything the play needs, running: a stand-in for Slack, and Muster with its database in a folder of its own. */
export interface Stage extends AsyncDisposable {
  readonly slack: FakeSlack;
  readonly muster: Muster;
  /** The API as an operator calls it: over HTTP, with a token. */
  readonly operator: ApiClient;
  readonly clock: StoryClock;
  readonly cast: Cast;
  /** What Muster logged as an error so far, one sentence each. */
  readonly errors: readonly string[];
  /** Resolves when everything that was begun is done. */
  quiet(): Promise<void>;
}

/** A token for the embedded API; it opens nothing outside the play. */
const token = 'glsa_play';

/** Sets the stage. Disposing stops everything and removes the folder, also when setting it fails half-way. */
export async function openStage(start: Date): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-play-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const clock = openStoryClock(start);
  const slack = stack.use(await openFakeSlack({ now: clock.now, signatureNow: clock.now }));
  const cast = gather(slack);
  const errors: string[] = [];
  const config = readConfig({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    ANNOUNCE_CHANNEL: slack.channel('incidents').id,
    DATABASE_URL: `sqlite:${join(folder, 'muster.db')}`,
    SERVICE_TOKENS: `${token}:Editor`,
    PUBLIC_URL: 'https://muster.example.com',
    PORT: '0',
  });
  const log = openLog('error', { write: line => errors.push(toSentence(line)) });
  const muster = stack.use(await startMuster(config, log, { clock: clock.now }));
  slack.connectApp(`${muster.url}/slack/events`);
  const transport = stack.use(openHttpTransport({ baseUrl: muster.url }));
  const open = stack.move();
  return {
    slack,
    muster,
    operator: createClient({ transport, token }),
    clock,
    cast,
    errors,
    quiet: async () => {
      await slack.settled();
      await muster.bot.idle();
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function gather(slack: FakeSlack): Cast {
  const cast = {
    alice: slack.addPerson({ name: 'alice', realName: 'Alice Adler', email: 'alice@example.com' }),
    bob: slack.addPerson({ name: 'bob', realName: 'Bob Baker', email: 'bob@example.com' }),
    carol: slack.addPerson({ name: 'carol', realName: 'Carol Chen', email: 'carol@example.com' }),
    watchdog: slack.addPerson({ name: 'watchdog', realName: 'Watchdog', isBot: true }),
  };
  slack.addChannel({ name: 'checkout' });
  slack.addChannel({ name: 'incidents', botIsMember: true });
  return cast;
}

function toSentence(line: string): string {
  const { msg, err }: { msg?: string; err?: { message?: string } } = JSON.parse(line);
  return [msg, err?.message].filter(part => part !== undefined).join(': ');
}
