import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { openFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import { startMuster } from '../../../src/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { KnownPerson } from '../../../src/contract/define.ts';
import { openDatabase } from '../../../src/db/database.ts';
import { openLog } from '../../../src/operations/log.ts';
import { toWebListener } from '../../../src/service/http/fetch-listener.ts';
import { serveHttp } from '../../../src/service/http/server.ts';
import { createService } from '../../../src/service/service.ts';
import { patient, patientSlack } from '../deadlines.ts';
import { grants } from '../grants.ts';
import { TestTimers } from '../timers.ts';
import { alertToken } from './life/alerts.ts';
import { pagerSettings } from './life/pager.ts';

const StoredRow = z.object({ kind: z.string(), state: z.string(), payload: z.string(), outcome: z.string() });

/** A team whose API goes away and comes back, outside of any test: everything is real but Slack. The API knows these users beforehand. */
export async function openTeam(users: readonly KnownPerson[]) {
  let now = new Date('2026-11-20T12:15:00Z');
  let ids = 0;
  const clock = () => now;
  const timers = new TestTimers(() => undefined);
  await using opening = new AsyncDisposableStack();
  const errors: string[] = [];
  const deadlines = patient();
  const log = openLog('error', { write: line => void errors.push(line) });
  const folder = await mkdtemp(join(tmpdir(), 'muster-readings-'));
  opening.defer(() => rm(folder, { recursive: true, force: true }));
  const database = opening.use(await openDatabase('sqlite::memory:'));
  const token = 'glsa_of_the_readings_0123';
  const service = opening.use(
    await createService({
      database,
      deadlines,
      clock,
      log,
      options: { rootUrl: 'https://grafana.example.com', users },
      tokens: [{ token, role: 'Admin' as const }],
    }),
  );
  let fault: 'hang up' | { readonly when: RegExp; readonly status: number; readonly body: string } | undefined;
  const listener = toWebListener(request => service.fetch(request));
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (fault === 'hang up') return void request.socket.destroy();
    if (fault?.when.test(request.url ?? '')) {
      return void response.writeHead(fault.status, { 'content-type': 'application/json' }).end(fault.body);
    }
    void listener(request, response);
  };
  const server = opening.use(await serveHttp({ listener: answer, port: 0, deadlines, log }));
  const slack = opening.use(
    await openFakeSlack({
      ...grants,
      deadlines: patientSlack,
      now: clock,
      signatureNow: clock,
      randomId: () => {
        ids += 1;
        return ids.toString(16).padStart(32, '0');
      },
    }),
  );
  const incidents = slack.addChannel({ name: 'incidents', botIsMember: true });
  const config = readConfig({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    DATABASE_URL: `sqlite:${join(folder, 'muster.db')}`,
    PORT: '0',
    PUBLIC_URL: 'https://muster.example.com',
    GRAFANA_URL: `http://127.0.0.1:${server.port}`,
    GRAFANA_TOKEN: token,
    ANNOUNCE_CHANNEL: incidents.id,
    ALERTS: `prometheus=${alertToken}`,
    ...pagerSettings,
    CALL: 'label chain:@sre',
    // Days pass in a moment: a chapter of its own asks for reminders.
    REMINDERS: 'off',
    QUIET_HOURS: 'off',
  });
  const muster = opening.use(
    await startMuster(config, log, { clock, bootTimeNow: () => performance.now(), deadlines, timers, betweenPosts: 0 }),
  );
  slack.connectApp(`${muster.url}/slack/events`);
  const settle = async () => {
    await slack.settled();
    await muster.bot.idle();
  };
  const quiet = async () => {
    await settle();
    // What is done once a second belongs to the act before it, however busy the machine is.
    await muster.bot.journal.tick();
    await settle();
  };
  const running = opening.move();
  /** The intents of the journal, oldest first. */
  const storedIntents = (): readonly StoredIntent[] => {
    using file = new DatabaseSync(join(folder, 'muster.db'), { readOnly: true });
    return file
      .prepare('select kind, state, payload, outcome from bot_intent order by id')
      .all()
      .map(row => StoredRow.parse(row));
  };
  return {
    slack,
    muster,
    storedIntents,
    severities: config.severities,
    /** The API as the bot reaches it. */
    api: muster.api,
    incidents,
    /** Lines of the log above `warn`. */
    errors,
    now: clock,
    quiet,
    /** Minutes go by. */
    wait: (minutes: number) => {
      now = new Date(now.getTime() + minutes * 60_000);
    },
    /** The time comes when Muster looks at what others changed. */
    look: async () => {
      await timers.fire(10_000);
      await quiet();
    },
    /** From now on every call is cut off, or the calls to these paths are answered so. */
    goAway: (how: typeof fault = 'hang up') => {
      fault = how;
    },
    /** The API answers again, and everything that waited is done and told. */
    comeBack: async () => {
      await muster.bot.journal.idle();
      fault = undefined;
      const isBack = () =>
        muster.api.RolesService.GetRoles({}).then(
          () => true,
          () => false,
        );
      while (!(await isBack())) await new Promise(resolve => setTimeout(resolve, 5));
      await muster.bot.journal.wake();
      await quiet();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** An intent as the journal keeps it: JSON in `payload`, and in `outcome` once it is final. */
export interface StoredIntent {
  readonly kind: string;
  readonly state: string;
  readonly payload: string;
  readonly outcome: string;
}
