import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMuster } from '../src/app.ts';
import { createClient } from '../src/client/client.ts';
import { openHttpTransport } from '../src/client/transport.ts';
import { readConfig } from '../src/config/config.ts';
import { type Deadlines, deadlines as usualDeadlines } from '../src/deadlines.ts';
import { openLog } from '../src/operations/log.ts';
import { dutySettings, knownToApiAlone } from './cast.ts';
import { type FakeSlack, openFakeSlack } from './fake-slack/fake-slack.ts';
import { openPager } from './pager.ts';
import { openStoryClock, type StorySystem } from './story-system.ts';
import { openWatchdog, watchdogName } from './watchdog.ts';

/** Everything the demo runs: a fake Slack with Slack's rate limits, and Muster with its database in a temporary folder. */
export interface DemoSystem extends StorySystem, AsyncDisposable {
  /** Errors that Muster logged so far, one sentence each. */
  readonly errors: readonly string[];
}

/** How a demo system starts. */
export interface DemoSystemOptions {
  /** What its clock shows at first. */
  readonly start: Date;
  /** The name of the channel for announcements. `populate` makes it. */
  readonly announceChannel: string;
  /** Settings beside those of every demo. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  /** Fills the workspace before Muster starts. */
  readonly populate: (slack: FakeSlack) => void;
  /** Absent: those of Muster. */
  readonly deadlines?: Deadlines | undefined;
  /** Whether Slack limits the rate of calls, and Muster keeps to it; absent: true. Without limits nothing waits for its turn. */
  readonly rateLimits?: boolean | undefined;
}

/** Tokens for the embedded API and for alerts, and a secret of the pager. They open nothing outside the demo. */
const token = 'glsa_opens_nothing_outside_the_demo';
const alertToken = 'alerts-of-nobody-outside-the-demo';
const pagerSecret = 'pages-of-nobody-outside-the-demo';

/** Nobody reaches it: links in the transcript look like those of an installation. */
const publicUrl = 'https://muster.example.com';

/** How long Slack waits for an acknowledgement, in milliseconds: the story goes on the same way on a machine that is busy. */
const acknowledge = 60_000;

/** Starts a demo system. Disposing stops it and removes its folder; a failed start does so too. */
export async function startDemoSystem(options: DemoSystemOptions): Promise<DemoSystem> {
  const { start, announceChannel, settings, populate, deadlines = usualDeadlines, rateLimits = true } = options;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-demo-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const clock = openStoryClock(start);
  const slack = stack.use(
    await openFakeSlack({ now: clock.now, signatureNow: clock.now, rateLimits, deadlines: { acknowledge } }),
  );
  populate(slack);
  const optionsFile = join(folder, 'options.json');
  await writeFile(optionsFile, JSON.stringify({ users: [knownToApiAlone] }));
  const errors: string[] = [];
  let url = '';
  const pager = stack.use(await openPager({ url: () => url, secret: pagerSecret, now: clock.now }));
  const config = readConfig({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    ANNOUNCE_CHANNEL: slack.channel(announceChannel).id,
    DATABASE_URL: `sqlite:${join(folder, 'muster.db')}`,
    SERVICE_OPTIONS: optionsFile,
    SERVICE_TOKENS: `${token}:Admin`,
    ALERTS: `${watchdogName}=${alertToken}`,
    PAGERS: pager.setting,
    ...dutySettings,
    PUBLIC_URL: publicUrl,
    PAGES: 'open',
    PORT: '0',
    HOST: '127.0.0.1',
    // Its clock jumps: a reminder would come in the middle of a step.
    REMINDERS: 'off',
    ...settings,
  });
  const log = openLog('error', { write: line => errors.push(toSentence(line)) });
  const muster = stack.use(
    await startMuster(config, log, {
      ...{ deadlines, clock: clock.now, bootTimeNow: () => performance.now() },
      ...(!rateLimits && { betweenPosts: 0 }),
    }),
  );
  url = muster.url;
  slack.connectApp(`${url}/slack/events`);
  const transport = stack.use(openHttpTransport({ baseUrl: url }));
  const watchdog = stack.use(openWatchdog({ url: () => url, token: alertToken, now: clock.now }));
  const quiet = async () => {
    await slack.settled();
    await muster.bot.idle();
  };
  const open = stack.move();
  return {
    slack,
    pagesUrl: url,
    publicUrl,
    operator: createClient({ ...deadlines.apiTools, transport, token }),
    ...{ clock, deadlines, watchdog, pager },
    errors,
    quiet,
    hurry: quiet,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function toSentence(line: string): string {
  const { msg, err }: { msg?: string; err?: { message?: string } } = JSON.parse(line);
  return [msg, err?.message].filter(part => part !== undefined).join(': ');
}
