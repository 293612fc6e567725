import { expect, inject, onTestFinished } from 'vitest';
import {
  type FakeSlack,
  type FakeSlackOptions,
  type Message,
  openFakeSlack,
  type Person,
  renderMessage,
} from '../../playground/fake-slack/fake-slack.ts';
import { startMuster } from '../../src/app.ts';
import { isLine } from '../../src/bot/incident/lines/mark.ts';
import type { ApiClient } from '../../src/client/client.ts';
import { readConfig } from '../../src/config/config.ts';
import { isAtLeast, type LogLevel } from '../../src/config/log-levels.ts';
import { type SettingName, settingNames, settingOf } from '../../src/config/settings.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { makeDatabase } from './databases/fresh.ts';
import { patient, patientSlack } from './deadlines.ts';
import { openGrafana } from './grafana/grafana.ts';
import type { KnownUser } from './grafana/incident-api.ts';
import { generations } from './grafana/oddities.ts';
import { grants } from './grants.ts';
import { serveAsGrafana } from './served-grafana.ts';
import { type LogRecord, openWatchedLog } from './watched-log.ts';

/**
 * Everything real but Slack: the bot behind signed HTTP requests, the client, the service on a fresh database: embedded, or in the
 * project `long-http` behind HTTP as a Grafana is. In `long-grafana` the service is a Grafana that shares no code with it. Slack grants the bot what the manifest asks for, and no more.
 */
export interface Workplace extends AsyncDisposable {
  readonly slack: FakeSlack;
  readonly muster: Awaited<ReturnType<typeof startMuster>>;
  readonly api: ApiClient;
  /** Resolves when everything that was begun is done. */
  quiet(): Promise<void>;
  /** What a person reads in a channel now, rendered, oldest first. */
  reads(person: Person, channel: string): string[];
  /** The last thing a person reads in a channel, except for the lines that tell its room of changes. */
  lastRead(person: Person, channel: string): string;
  /** The messages behind {@link reads}. */
  messages(person: Person, channel: string): Message[];
  /** Log records of level warn and above. */
  readonly troubles: readonly LogRecord[];
  /** Every line of the log as it was written. */
  readonly logged: readonly string[];
}

/** How a workplace differs from the usual. */
export interface WorkplaceOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: () => Date;
  readonly monotonicNow?: () => number;
  readonly socketMode?: boolean;
  /** `info` when absent. */
  readonly logLevel?: LogLevel;
  /** Patient ones when absent. */
  readonly deadlines?: Deadlines;
  readonly timers?: NonNullable<Parameters<typeof startMuster>[2]>['timers'];
  /** `error` records that are part of the story; any other fails the test. */
  readonly expectErrors?: (record: LogRecord) => boolean;
  /** Uses this database file, and leaves it there. */
  readonly databaseFile?: string;
  readonly slack?: FakeSlack;
}

/** Opens a Slack that has installed Muster as its manifest asks; it is closed when the test ends. */
export async function openInstalledSlack(clock?: () => Date, options: FakeSlackOptions = {}): Promise<FakeSlack> {
  const clocks = clock ? { now: clock, signatureNow: clock } : {};
  const slack = await openFakeSlack({ ...grants, deadlines: patientSlack, ...clocks, ...options });
  onTestFinished(async () => {
    await slack[Symbol.asyncDispose]();
    expect(undocumentedOf(slack), 'calls with arguments that Slack does not document').toEqual([]);
  });
  return slack;
}

/** The calls that were refused for an argument that Slack does not document. A fallback of the bot's would hide them. */
function undocumentedOf({ calls }: FakeSlack): readonly string[] {
  return calls
    .map(({ method, response }) => `${method}: ${JSON.stringify(response ?? {})}`)
    .filter(call => call.includes('undocumented argument'));
}

function isOfServiceAlone(name: SettingName): boolean {
  const { worksOnly = [] } = settingOf(name);
  return worksOnly.some(each => each.of === 'GRAFANA_URL' && each.must === 'not be set');
}

/** Opens a workplace; it is closed when the test ends, and the test fails if an unexpected error was logged. */
export async function openWorkplace(options: WorkplaceOptions = {}): Promise<Workplace> {
  const slack = options.slack ?? (await openInstalledSlack(options.clock));
  const stack = new AsyncDisposableStack();
  const close = () => stack.disposeAsync();
  const { log, records, lines } = openWatchedLog({
    level: options.logLevel,
    expectErrors: options.expectErrors,
    close,
  });
  const { databaseFile } = options;
  const settings: Record<string, string> = {
    SLACK_BOT_TOKEN: slack.botToken,
    ...(options.socketMode ? { SLACK_APP_TOKEN: slack.appToken } : { SLACK_SIGNING_SECRET: slack.signingSecret }),
    SLACK_API_URL: slack.apiUrl,
    DATABASE_URL: databaseFile ? `sqlite:${databaseFile}` : stack.use(await makeDatabase()).url,
    PORT: '0',
    PUBLIC_URL: 'https://muster.example.com',
    // Hours pass in these stories in a moment: those about reminders ask for them.
    REMINDERS: 'off',
    ...options.settings,
  };
  const api = inject('api');
  if (api !== undefined && settings.GRAFANA_URL === undefined) {
    const { clock } = options;
    const { url, token } = stack.use(
      api === 'service'
        ? await serveAsGrafana({ settings, clock, log })
        : await openGrafana({
            ...(clock ? { now: clock } : {}),
            ...{ oddities: generations[api], users: () => known(slack), rootUrl: settings.PUBLIC_URL },
          }),
    );
    Object.assign(settings, { GRAFANA_URL: url, GRAFANA_TOKEN: token });
    // The service has the settings that are its own.
    for (const name of settingNames) if (isOfServiceAlone(name)) delete settings[name];
  }
  const config = readConfig(settings);
  const muster = await startMuster(config, log, {
    // A clock that a test sets forward is no sleep of the machine.
    ...(options.clock ? { clock: options.clock, bootTimeNow: () => performance.now() } : {}),
    ...(options.monotonicNow ? { monotonicNow: options.monotonicNow } : {}),
    deadlines: options.deadlines ?? patient(),
    timers: options.timers,
    // Slack's limit of posts is tried in virtual time, in the simulation.
    betweenPosts: 0,
  });
  stack.use(muster);
  if (!options.socketMode) slack.connectApp(`${muster.url}/slack/events`);

  const messages = (person: Person, channel: string) => person.sees(slack.channel(channel));
  return {
    slack,
    muster,
    api: muster.api,
    quiet: async () => {
      // Slack tells the bot of its own doings too, and that may begin more.
      const seen = () => [slack.settled(), slack.calls.length] as const;
      let before: ReturnType<typeof seen>;
      do {
        before = seen();
        await slack.settled();
        await muster.bot.idle();
      } while (seen().some((each, at) => each !== before[at]));
    },
    messages,
    reads: (person, channel) => messages(person, channel).map(message => readMessage(slack, message)),
    lastRead: (person, channel) => {
      const last = messages(person, channel).findLast(message => !isLine(message));
      return last ? readMessage(slack, last) : '';
    },
    get troubles() {
      return records.filter(record => isAtLeast(record, 'warn'));
    },
    logged: lines,
    [Symbol.asyncDispose]: close,
  };
}

/** The people of a Slack as a Grafana that is connected with it knows them. */
function known({ people }: FakeSlack): readonly KnownUser[] {
  return people.map(({ id, name, teamId }) => ({
    ...{
      userID: `grafana-incident:user-${id.toLowerCase()}`,
      name,
      email: `${name}@example.com`,
      slackUserID: id,
      slackTeamID: teamId,
    },
  }));
}

/** A message as a person reads it; the Grafana of a test by name alone, since its port is another one each time. */
export function readMessage(...shown: Parameters<typeof renderMessage>): string {
  return renderMessage(...shown).replaceAll(/Grafana at 127\.0\.0\.1:\d+/g, 'Grafana');
}
