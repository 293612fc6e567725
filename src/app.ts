import type { Logger } from 'pino';
import { type Bot, createBot } from './bot/bot.ts';
import { features } from './bot/features.ts';
import { type BotOptions, maxConcurrentAttempts } from './bot/options.ts';
import { type ApiClient, createClient } from './client/client.ts';
import { alertRules } from './config/alert-settings.ts';
import type { Config } from './config/config.ts';
import { pagerSettings } from './config/pager-settings.ts';
import { pickValues } from './config/setting.ts';
import { teamSettings, usualPace } from './config/team-settings.ts';
import { readBackup } from './db/backups.ts';
import { type Database, openDatabase } from './db/database.ts';
import { isDatabaseAway } from './db/failure.ts';
import { type Deadlines, deadlines as usualDeadlines } from './deadlines.ts';
import { DatabaseWatch } from './operations/database-watch.ts';
import { createMetrics, type Metrics } from './operations/metrics.ts';
import { createRoutes } from './operations/routes.ts';
import { serveWithStatus } from './operations/serve.ts';
import { StartWatch } from './operations/start-watch.ts';
import { readBuild } from './operations/version.ts';
import { toServiceOptions } from './service/call/options-file.ts';
import { createService, type Service } from './service/service.ts';

/** Connections to a Grafana in addition to those of the journal's attempts, so that a person's read never waits for them. */
const connectionsForPeople = 32;

/** A running Muster: bot, API and server. Disposing stops them in the opposite order and finishes what has begun. */
interface Muster extends AsyncDisposable {
  /** Where this machine reaches its HTTP server. */
  readonly url: string;
  readonly port: number;
  /** The port of health and metrics. */
  readonly metricsPort: number;
  readonly pagesPort: number;
  readonly bot: Bot;
  /** The API that the bot calls: Grafana's, or the embedded service's. */
  readonly api: ApiClient;
}

/** What a test or the playground may replace. */
interface Overrides {
  readonly clock?: () => Date;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicNow?: () => number;
  /** Milliseconds of a clock that goes on while the machine sleeps; absent: `clock`. One that jumps looks like a sleep. */
  readonly bootTimeNow?: () => number;
  /** Absent: those of Muster. */
  readonly deadlines?: Deadlines;
  /** The timers of the bot's looks for changes elsewhere. */
  readonly timers?: BotOptions['timers'];
  readonly betweenPosts?: BotOptions['betweenPosts'];
  readonly life?: BotOptions['life'];
}

/**
 * Starts everything that the settings ask for. It listens first, and then waits for the database and Slack: until both are there,
 * Slack is told to send its requests again. When a part fails to start, those before it are stopped, and the error is thrown. So it is
 * when `stopping` aborts meanwhile.
 */
export async function startMuster(
  config: Config,
  log: Logger,
  overrides: Overrides = {},
  stopping: AbortSignal = new AbortController().signal,
): Promise<Muster> {
  const { clock = () => new Date(), deadlines = usualDeadlines } = overrides;
  const start = new StartWatch({ clock, log, stopping });
  const watch = new DatabaseWatch({ deadlines, clock, log });
  const parts: Parts = {
    size: async () => undefined,
    backup: async () => undefined,
    bot: undefined,
    api: undefined,
    service: undefined,
  };
  const metrics = createMetrics({
    census: async () => (await parts.bot?.journal.countByState()) ?? [],
    deliveries: async () => (await parts.bot?.deliveries())?.states ?? [],
    backlogs: async () => (await parts.service?.webhookQueues()) ?? [],
    isConnected: () => {
      const { isConnected, isAnswering } = parts.bot?.standing() ?? { isConnected: false, isAnswering: false };
      return isConnected && isAnswering;
    },
    size: () => parts.size(),
    backup: () => parts.backup(),
    alertSources: config.alerts.map(each => each.name),
    pagers: config.pagers.map(each => each.name),
    ...{ database: watch, start, clock },
  });
  const status = Object.assign(parts, { start, metrics, database: watch, clock, log });
  await using opening = new AsyncDisposableStack();
  const application = createRoutes(parts, { takesSlack: config.slack.kind === 'http', hasService: !config.grafana });
  const served = opening.use(await serveWithStatus({ application, status, config, deadlines, log }));
  log.info({ port: served.port, metricsPort: served.metricsPort, ...readBuild() }, 'muster: listens');
  const stack = opening.use(new AsyncDisposableStack());
  const database = stack.use(
    await start.until(
      'database',
      () =>
        openDatabase(config.databaseUrl, {
          log,
          onFull: error => watch.hearFull(error, () => database.tryRoom()),
          connections: config.databasePool,
          namesStatements: config.databaseStatements === 'named',
          limitsStatements: true,
          deadlines,
        }),
      isDatabaseAway,
    ),
  );
  parts.size = () => database.size();
  const deps = { database, deadlines, clock, log, metrics };
  const opened = config.grafana
    ? stack.use(await openGrafana(config.grafana, deps))
    : stack.use(
        await start.until('database', () => openEmbedded(config, deps, () => parts.bot?.readers), isDatabaseAway),
      );
  const { api } = opened;
  parts.api = api;
  parts.service = opened.service;
  const paging = await openPaging(config, metrics);
  if (paging) stack.use(paging.post);
  const openBot = () =>
    createBot({
      mode: config.slack,
      botToken: config.slack.botToken,
      slackApiUrl: config.slackApiUrl,
      workspace: config.slackWorkspace,
      api,
      database,
      features,
      settings: toSettings(config),
      surroundings: toSurroundings(config),
      deadlines,
      // What the embedded service does ends with the process.
      landing: config.grafana ? deadlines.landing : 0,
      clock,
      monotonicNow: overrides.monotonicNow ?? (() => performance.now()),
      bootTimeNow: overrides.bootTimeNow,
      timers: overrides.timers,
      betweenPosts: overrides.betweenPosts,
      life: overrides.life,
      incidentWebhookSecret: config.incidentWebhookSecret,
      incidentRetentionDays: config.incidentRetentionDays,
      alerts: { sources: config.alerts, observe: metrics.alert },
      paging,
      pageLink: config.pages === 'slack' ? opened.service?.pageLink : undefined,
      log,
      observeDelivery: metrics.delivery,
      observeUnstored: metrics.unstored,
      observeGivenUp: metrics.givenUp,
      observeWebApi: metrics.webApi,
      grafana: opened.probe,
      untilAnswered: (ask, isAway) => start.until('Slack', ask, isAway),
    });
  const bot = stack.use(await start.until('database', openBot, isDatabaseAway));
  parts.bot = bot;
  parts.backup = () => readBackup(database);
  start.isOver = true;
  await bot.tryOut();
  const running = opening.move();
  return {
    url: served.url,
    port: served.port,
    metricsPort: served.metricsPort,
    pagesPort: served.pagesPort,
    bot,
    api,
    [Symbol.asyncDispose]: async () => {
      await using _ = running;
      // Nothing arrives any more while the rest finishes what has begun.
      await served[Symbol.asyncDispose]();
    },
  };
}

/** The parts of a Muster that are there: they come one after another while it starts. */
interface Parts {
  size: () => Promise<Awaited<ReturnType<Database['size']>> | undefined>;
  backup: () => ReturnType<typeof readBackup>;
  bot: Bot | undefined;
  api: ApiClient | undefined;
  service: Service | undefined;
}

interface ApiDeps {
  readonly database: Database;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly deadlines: Deadlines;
}

/** The API that the bot calls, and the embedded service where it is that one's. */
interface OpenApi extends AsyncDisposable {
  readonly api: ApiClient;
  readonly service: Service | undefined;
  /** The API for the first check, whose failures count as no failures of people's calls; undefined where there is no token to try. */
  readonly probe: ApiClient | undefined;
}

/** The API client over HTTP to Grafana. */
async function openGrafana(grafana: NonNullable<Config['grafana']>, deps: ApiDeps): Promise<OpenApi> {
  const { openHttpTransport } = await import('./client/transport.ts');
  const connections = maxConcurrentAttempts + connectionsForPeople;
  const transport = openHttpTransport({ baseUrl: grafana.url, connections });
  const { token, pluginID } = grafana;
  return {
    api: createClient({ ...toClientOptions(deps), transport, token, pluginID, takesPeople: 'if it says so' }),
    service: undefined,
    probe: createClient({ transport, token, pluginID, ...deps.deadlines.apiProbe }),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/** The API client straight into the embedded service. */
async function openEmbedded(
  config: Config,
  deps: ApiDeps,
  readers: () => Bot['readers'] | undefined,
): Promise<OpenApi> {
  const service = await createService({
    database: deps.database,
    clock: deps.clock,
    deadlines: deps.deadlines,
    log: deps.log.child({ part: 'service' }),
    options: {
      ...(await toServiceOptions(config)),
      publicGoto: config.pages === 'open',
      pageCommand: `/${config.commandRoot} web`,
    },
    readers,
    tokens: config.serviceTokens,
    webhooks: config.webhooks,
    observeWebhook: deps.metrics.webhook,
    observeRefusal: deps.metrics.refusal,
  });
  return {
    api: createClient({ ...toClientOptions(deps), transport: service.handle }),
    service,
    probe: undefined,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** The pagers of the team, and the way to them; undefined where it has none. */
async function openPaging(config: Config, { paged: observe }: Metrics) {
  if (config.pagers.length === 0) return undefined;
  const { openPoster } = await import('./client/post.ts');
  return { ...pickValues(pagerSettings, config), observe, post: openPoster() };
}

function toClientOptions({ deadlines, log, metrics }: ApiDeps) {
  return { ...deadlines.api, log: log.child({ part: 'client' }), observe: metrics.rpc };
}

/** The settings of the team, for the features of the bot. */
export function toSettings(config: Config): BotOptions['settings'] {
  const addresses = [config.grafana?.url ?? '', config.publicUrl].filter(url => url !== '');
  return {
    ...pickValues(teamSettings, config),
    ...pickValues(alertRules, config),
    ...usualPace,
    apiName: config.grafana ? `Grafana at ${new URL(config.grafana.url).host}` : 'Muster’s own service',
    webUrl: config.grafana?.url ?? (config.pages === 'off' ? '' : config.publicUrl),
    dashboardHosts: addresses.map(url => new URL(url).host),
    alertLabels: new Map(config.alerts.map(each => [each.name, each.labels])),
  };
}

/** What the doctor knows of an installation beyond Slack. */
export function toSurroundings(config: Config): BotOptions['surroundings'] {
  const { grafana, pages, publicUrl, databaseUrl, incidentWebhookSecret } = config;
  const takesWebhooks = incidentWebhookSecret !== '';
  const apiHost = grafana && new URL(grafana.url).host;
  const alertSources = config.alerts.map(each => each.name);
  const pagers = config.pagers.map(each => each.name);
  const reached = { pages, publicUrl, databaseUrl, takesWebhooks, alertSources, pagers };
  return { apiKind: grafana ? 'grafana' : 'embedded', apiHost, ...reached };
}
