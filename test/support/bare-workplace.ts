import { onTestFinished } from 'vitest';
import { createFakeSlack, type Message, type Person } from '../../playground/fake-slack/fake-slack.ts';
import { toSettings, toSurroundings } from '../../src/app.ts';
import { followPeople } from '../../src/bot/bot.ts';
import { Dispatcher } from '../../src/bot/dispatch/dispatcher.ts';
import { type Delivery, noReply, type Reply } from '../../src/bot/dispatch/feature/delivery.ts';
import { noHold } from '../../src/bot/dispatch/feature/turn.ts';
import { followChannels } from '../../src/bot/dispatch/surfaces/newcomers.ts';
import { features } from '../../src/bot/features.ts';
import type { EditedMessage } from '../../src/bot/inbox/delivery-store.ts';
import { listen } from '../../src/bot/inbox/listen.ts';
import { recordSnapshots, withAllHolders } from '../../src/bot/incident/api/calls.ts';
import { isLine } from '../../src/bot/incident/lines/mark.ts';
import { DatabaseSnapshots } from '../../src/bot/incident/state/snapshots.ts';
import { keepFor } from '../../src/bot/keep-for.ts';
import { openDeps } from '../../src/bot/open-deps.ts';
import { botMigrations } from '../../src/bot/schema/migrations.ts';
import { openBolt, openReceiver, openSlack } from '../../src/bot/slack/connection.ts';
import { createClient } from '../../src/client/client.ts';
import { openHttpTransport } from '../../src/client/transport.ts';
import { readConfig } from '../../src/config/config.ts';
import { isAtLeast } from '../../src/config/log-levels.ts';
import { openDatabase } from '../../src/db/database.ts';
import { Heart } from '../../src/db/heart.ts';
import { migrate } from '../../src/db/migrate.ts';
import { toServiceOptions } from '../../src/service/call/options-file.ts';
import { createService } from '../../src/service/service.ts';
import { toAppHandler } from './app-handler.ts';
import { makeDatabase } from './databases/fresh.ts';
import { patient, patientSlack } from './deadlines.ts';
import { grants } from './grants.ts';
import { openWatchedLog } from './watched-log.ts';
import { readMessage, type WorkplaceOptions } from './workplace.ts';

/** How a bare workplace differs from the usual. */
export interface BareOptions extends Pick<WorkplaceOptions, 'settings' | 'clock' | 'deadlines' | 'expectErrors'> {
  /** A Slack of {@link openBareSlack}, in which something is there before the bot starts. */
  readonly slack?: ReturnType<typeof openBareSlack>;
}

/** A Slack in this process that has installed Muster as its manifest asks. */
export function openBareSlack(clock?: () => Date) {
  return createFakeSlack({ ...grants, deadlines: patientSlack, ...(clock ? { now: clock, signatureNow: clock } : {}) });
}

/** A workplace as tests of verbs need it; see {@link openBareWorkplace}. */
export type BareWorkplace = Awaited<ReturnType<typeof openBareWorkplace>>;

/**
 * A workplace in this process alone, for the rules of verbs, buttons and forms: what somebody types becomes an answer, intents, and facts
 * of the API. Slack's payloads, Bolt, the dispatcher, the features, the journal, the service and the database are real. There are no
 * sockets, no inbox and no board, so a line costs a fifth of what it costs in `openWorkplace`: nobody posts the lines of rooms, redraws cards
 * or reminds. `atEnd` says when it is closed, the end of the test when absent.
 */
export async function openBareWorkplace(
  {
    settings = {},
    clock = () => new Date(),
    deadlines = patient(),
    expectErrors,
    slack = openBareSlack(clock),
  }: BareOptions = {},
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
) {
  const stack = new AsyncDisposableStack();
  const { log, lines: logged, records } = openWatchedLog({ expectErrors, atEnd, close: () => stack.disposeAsync() });
  const { botToken, signingSecret, apiUrl: slackApiUrl, fetch } = slack;
  const config = readConfig({
    ...{ SLACK_BOT_TOKEN: botToken, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: slackApiUrl },
    ...{ PUBLIC_URL: 'https://muster.example.com', REMINDERS: 'off' },
    ...settings,
  });
  const { url } = stack.use(await makeDatabase());
  const database = stack.use(await openDatabase(url, { deadlines }));
  await migrate(database, 'bot', botMigrations, clock());
  const { grafana } = config;
  const ofService = { ...(await toServiceOptions(config)), publicGoto: config.pages === 'open' };
  const transport = grafana
    ? stack.use(openHttpTransport({ baseUrl: grafana.url, connections: 8 }))
    : stack.use(await createService({ database, deadlines, clock, log, options: ofService, tokens: [] })).handle;
  const api = createClient({ ...deadlines.api, ...grafana, log, transport });
  const monotonicNow = () => clock().getTime();
  const options = {
    ...{
      api,
      database,
      features,
      deadlines,
      clock,
      monotonicNow,
      log,
      mode: config.slack,
      botToken,
      slackApiUrl,
      fetch,
    },
    ...{ settings: toSettings(config), surroundings: toSurroundings(config), betweenPosts: 0 },
    ...{ landing: deadlines.landing, observeDelivery: () => undefined, observeWebApi: () => undefined },
  };
  const home = await openSlack(options);
  const snapshots = new DatabaseSnapshots({ database, clock, log });
  const heart = stack.use(
    new Heart({ database, isSoleProcess: true, clock, monotonicNow, keptFor: keepFor.processes, log }),
  );
  await heart.start();
  const recorded = recordSnapshots(withAllHolders(api, log), snapshots);
  const below = { api: recorded, slack: home, snapshots, heart, isSoleProcess: true };
  const { deps, unasked } = await openDeps(options, below);
  stack.defer(() => deps.journal.stop(0));
  Object.assign(deps.cards, { refresh: () => undefined, catchUp: async () => undefined });

  const taken = new Map<string, Promise<void>>();
  const dispatcher = new Dispatcher(deps, features);
  const take = async (delivery: Delivery, reply: Reply, plan = dispatcher.plan(delivery.act)) => {
    const { key } = delivery;
    if (taken.has(key) || !('run' in plan)) return;
    const turn = { ...noHold, caller: key, mayAlreadyExist: false, log, now: clock(), answered: [] };
    const run = async () => {
      await plan.run(delivery, reply, turn);
      await deps.journal.told(turn.answered);
    };
    taken.set(key, run());
  };
  const takeStored = (delivery: Delivery | EditedMessage) =>
    take('edit' in delivery ? delivery.message : delivery, noReply);
  const { receiver, handle } = openReceiver(options);
  const bolt = openBolt(options, receiver, home);
  const inbox = { isNew: (key: string) => !taken.has(key), take, takeStored };
  const channels = followChannels(deps, clock);
  listen(bolt, dispatcher, inbox, { channels, home, clock, log });
  followPeople(bolt, deps, database);
  if (handle) slack.connectApp(toAppHandler(handle));

  const messages = (person: Person, channel: string) => person.sees(slack.channel(channel));
  const read = (message: Message | undefined) => (message ? readMessage(slack, message) : '');
  return {
    ...{ slack, api, deps, database, logged, messages },
    /** Follows what is owed of an incident, which the board does otherwise. */
    follow: async (incidentID: string) => {
      const { incident } = await deps.api.IncidentsService.GetIncident({ incidentID });
      await unasked.reminders.follow(incident, {});
    },
    /** Where helpers of stories find the journal. */
    muster: { bot: { journal: deps.journal } },
    /** Log records of level warn and above. */
    get troubles() {
      return records.filter(record => isAtLeast(record, 'warn'));
    },
    /** The address of its database. */
    url,
    /** Resolves when everything begun is done. */
    quiet: async () => {
      const begun = () => taken.size + slack.calls.length;
      let before: number;
      do {
        before = begun();
        await slack.settled();
        await Promise.all(taken.values());
        for (const each of [deps.journal, deps.channels, channels, snapshots]) await each.idle();
      } while (begun() !== before);
    },
    /** What a person reads in a channel now, oldest first. */
    reads: (person: Person, channel: string) => messages(person, channel).map(read),
    /** The last thing that a person reads in a channel. */
    lastRead: (person: Person, channel: string) => read(messages(person, channel).findLast(each => !isLine(each))),
  };
}
