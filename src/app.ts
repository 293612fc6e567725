import type { Logger } from 'pino';
import { type Bot, createBot } from './bot/bot.ts';
import { features } from './bot/features.ts';
import { type BotOptions, maxConcurrentAttempts } from './bot/options.ts';
import { type ApiClient, type ClientOptions, createClient } from './client/client.ts';
import type { Config } from './config/config.ts';
import { toServiceOptions } from './config/service-options.ts';
import { type Database, openDatabase, servingLimit } from './db/database.ts';
import { DatabaseWatch } from './operations/database-watch.ts';
import { createMetrics, type Metrics } from './operations/metrics.ts';
import { notFound } from './operations/not-found.ts';
import { type Application, serveWithStatus } from './operations/serve.ts';
import { createService, type Service } from './service/service.ts';

/** Connections to a Grafana beside those of the journal's attempts, so that a person's read never waits for them. */
const connectionsForPeople = 32;

/** A running Muster: bot, API and server. Disposing stops them in the opposite order and finishes what has begun. */
export interface Muster extends AsyncDisposable {
  /** Where this machine reaches its HTTP server. */
  readonly url: string;
  readonly port: number;
  /** The port of health and metrics. */
  readonly metricsPort: number;
  readonly bot: Bot;
  /** The API that the bot calls: Grafana's, or the embedded service's. */
  readonly api: ApiClient;
}

/** What a test or the playground may replace. */
export interface Overrides {
  readonly clock?: () => Date;
  /** Milliseconds of a monotonic clock. */
  readonly steady?: () => number;
  /** Milliseconds of a clock that goes on while the machine sleeps; absent: `clock`. One that jumps looks like a sleep. */
  readonly awake?: () => number;
  /** How long calls to the API may take. */
  readonly patience?: Patience;
  readonly stopPatience?: BotOptions['stopPatience'];
  /** The timers of the bot's looks for changes elsewhere. */
  readonly timers?: BotOptions['timers'];
}

/**
 * Times of the API client, in milliseconds: one attempt, one call with all its attempts, and the breaker's cool-down. `random`
 * draws the pauses between attempts.
 */
type Patience = Required<Pick<ClientOptions, 'attemptTimeout' | 'budget' | 'breaker'>> & Pick<ClientOptions, 'random'>;

/** A person waits for each call. An attempt may take less than a call, so that the client notices an API that stalls. */
const usualPatience: Patience = { attemptTimeout: 7000, budget: 10_000, breaker: { coolDown: 5000 } };

/** Starts everything that the settings ask for. When a part fails to start, those before it are stopped, and the error is thrown. */
export async function startMuster(config: Config, log: Logger, overrides: Overrides = {}): Promise<Muster> {
  const { clock = () => new Date(), patience = usualPatience } = overrides;
  await using stack = new AsyncDisposableStack();
  const database = stack.use(
    await openDatabase(config.databaseUrl, {
      log,
      connections: config.databasePool,
      longestStatement: servingLimit,
    }),
  );
  let bot: Bot | undefined;
  let service: Service | undefined;
  const watch = new DatabaseWatch({ clock, log });
  const metrics = createMetrics({
    census: async () => (await bot?.journal.countByState()) ?? [],
    backlogs: async () => (await service?.webhookQueues()) ?? [],
    isConnected: () => bot?.isConnected(),
    database: watch,
    clock,
  });
  const opened = await openApi(config, {
    database,
    clock,
    log,
    metrics,
    stack,
    patience,
  });
  const { api } = opened;
  service = opened.service;
  bot = stack.use(
    await createBot({
      mode: config.slack,
      botToken: config.slack.botToken,
      slackApiUrl: config.slackApiUrl,
      api,
      database,
      features,
      house: toHouse(config),
      surroundings: toSurroundings(config),
      intentBudget: patience.budget,
      clock,
      steady: overrides.steady ?? (() => performance.now()),
      awake: overrides.awake,
      stopPatience: overrides.stopPatience,
      timers: overrides.timers,
      incidentWebhookSecret: config.incidentWebhookSecret,
      incidentRetentionDays: config.incidentRetentionDays,
      log,
      observeDelivery: metrics.delivery,
      observeWebApi: metrics.webApi,
    }),
  );
  const status = { bot, api, service, metrics, database: watch, clock, log };
  const server = stack.use(await serveWithStatus({ application: toApplication(bot, service), status, config, log }));
  const running = stack.move();
  return {
    url: server.url,
    port: server.port,
    metricsPort: server.metricsPort,
    bot,
    api,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The API client over HTTP to Grafana, or straight into the embedded service. */
async function openApi(
  config: Config,
  parts: {
    database: Database;
    clock: () => Date;
    log: Logger;
    metrics: Metrics;
    stack: AsyncDisposableStack;
    patience: Patience;
  },
): Promise<{ api: ApiClient; service: Service | undefined }> {
  const { database, clock, log, metrics, stack } = parts;
  const clientLog = log.child({ part: 'client' });
  if (config.grafana) {
    const { openHttpTransport } = await import('./client/transport.ts');
    const connections = maxConcurrentAttempts + connectionsForPeople;
    const transport = stack.use(openHttpTransport({ baseUrl: config.grafana.url, connections }));
    const { token, pluginID } = config.grafana;
    return {
      api: createClient({ ...parts.patience, transport, token, pluginID, log: clientLog, observe: metrics.rpc }),
      service: undefined,
    };
  }
  const service = stack.use(
    await createService({
      database,
      clock,
      log: log.child({ part: 'service' }),
      options: { ...(await toServiceOptions(config)), publicGoto: true },
      tokens: config.tokens,
      webhooks: config.webhooks,
      observeWebhook: metrics.webhook,
    }),
  );
  const api = createClient({ ...parts.patience, transport: service.handle, log: clientLog, observe: metrics.rpc });
  return { api, service };
}

/** What the settings decide about the bot's incidents. */
function toHouse(config: Config): BotOptions['house'] {
  const webUrl = config.grafana?.url ?? (config.pages === 'open' ? config.publicUrl : '');
  const addresses = [config.grafana?.url ?? '', config.publicUrl].filter(url => url !== '');
  return {
    severities: config.severities,
    channelPrefix: config.channelPrefix,
    announceChannel: config.announceChannel,
    commanderRole: config.commanderRole,
    timelineEmoji: config.timelineEmoji,
    receipts: config.receipts,
    linesPerHour: config.linesPerHour,
    roomsFor: config.roomsFor,
    guestsSeeAll: config.guestsSeeAll,
    showsInShared: config.showsInShared,
    guardsSecrets: config.guardsSecrets,
    commandRoot: config.commandRoot,
    webUrl,
    dashboardHosts: addresses.map(url => new URL(url).host),
  };
}

/** What the doctor knows of an installation beyond Slack. */
export function toSurroundings(config: Config): BotOptions['surroundings'] {
  const { grafana, pages, publicUrl, databaseUrl, incidentWebhookSecret } = config;
  const takesWebhooks = incidentWebhookSecret !== '';
  return { apiKind: grafana ? 'grafana' : 'embedded', pages, publicUrl, databaseUrl, takesWebhooks };
}

/** Routes a request: those of Slack and the webhooks of the API go straight to the bot, everything else to the service. */
function toApplication(bot: Bot, service: Service | undefined): Application {
  return {
    take: (request, response) => {
      const path = request.url?.split('?', 1)[0];
      const { handle, sync } = bot;
      const isPost = request.method === 'POST';
      const door = path === '/slack/events' ? handle : path === '/hooks/incident' ? sync.hook : undefined;
      if (door && isPost) {
        door(request, response);
        return true;
      }
      // Others change incidents by POST alone; a client that only reads costs one look in a second.
      if (service && isPost) response.once('finish', () => sync.nudge());
      return service?.fastPath(request, response) ?? false;
    },
    fetch: async request => (service ? await service.fetch(request) : Response.json(notFound, { status: 404 })),
  };
}
