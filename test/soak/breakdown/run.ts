import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import { openCut } from '../../support/cut.ts';
import { freePort } from '../../support/free-port.ts';
import { actOn } from '../chaos/people.ts';
import { settle } from '../chaos/settle.ts';
import { openStand } from '../chaos/stand.ts';
import { judge, type Verdict } from '../chaos/verdict.ts';
import { type IllName, openDatabaseIll, tells } from './ills.ts';
import { secondsUntil } from './status.ts';

/** What breaks, and for how long. */
export interface BreakdownOptions {
  readonly ill: IllName;
  readonly seconds: number;
  /** Gets every line that the bot and the service log. */
  readonly onLine?: (line: string) => void;
}

/** What came of it. */
export interface BreakdownReport extends Verdict {
  /** Acts that were acknowledged. */
  readonly accepted: number;
  /** How many answers said that an act did not happen, or may not have. */
  readonly warned: number;
  /** From the break until `/readyz` and the metrics told of it, and from the cure until the bot was ready and nothing was unfinished. */
  readonly seconds: { readonly told: number; readonly ready: number; readonly settled: number };
  /** Rows that were unfinished in the end. */
  readonly unfinished: number;
  /** What lines of level `warn` and above said from the break to the cure. */
  readonly complaints: readonly string[];
}

/** How long people act before the break and after the cure, and how often each does, in milliseconds. */
const pace = { before: 2000, after: 2000, every: 400 } as const;

/** Breaks one thing under load, cures it, and judges. Throws when the bot does not tell of it, or does not get well, in time. */
export async function runBreakdown({ ill, seconds, onLine }: BreakdownOptions): Promise<BreakdownReport> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-breakdown-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const database = await openDatabaseIll(ill, folder, stack);
  const port = await freePort();
  const lines: { readonly at: number; readonly line: string }[] = [];
  let slackCut: Awaited<ReturnType<typeof openCut>> | undefined;
  const stand = stack.use(
    await openStand({
      folder,
      databases: [database.url],
      incidents: 2,
      seed: 1,
      settings: async slack => {
        slackCut = stack.use(await openCut(Number(new URL(slack.apiUrl).port)));
        const SLACK_API_URL = slack.apiUrl.replace(/:\d+/, `:${slackCut.port}`);
        return { SLACK_API_URL, PORT: String(port), HOST: '127.0.0.1' };
      },
      onLine: line => {
        lines.push({ at: performance.now(), line });
        onLine?.(line);
      },
    }),
  );
  const { slack, crowd, stages, service, replicas } = stand;
  const url = `http://127.0.0.1:${port}`;
  // Somebody whom Slack has never described may change nothing while it does not answer (docs/decisions.md, Guests and strangers).
  for (const person of crowd.people) for (const { room } of stages) await person.command(room, '/task add be there');
  let isOver = false;
  const acting = Promise.all(stages.map(stage => actOn(crowd, stage, pace.every, () => isOver)));
  await wait(pace.before);

  let starting: Promise<void> | undefined;
  if (ill === 'slack') {
    await replicas[0]?.terminate();
    await slackCut?.cut();
    starting = replicas[0]?.start();
  } else if (ill === 'token') slack.revokeToken('revoked');
  else await database.break();
  const broken = performance.now();
  const told = await secondsUntil(url, status => tells(ill, status));
  await wait(Math.max(0, seconds * 1000 - (performance.now() - broken)));

  if (ill === 'slack') await slackCut?.fix();
  else if (ill === 'token') slack.restoreToken();
  else await database.cure();
  const cured = performance.now();
  const ready = await secondsUntil(url, status => status.isReady);
  await starting;
  await wait(pace.after);
  isOver = true;
  const acts = (await acting).flat();
  const began = performance.now();
  const { unfinished } = await settle(database.beyond, began);
  const verdict = await judge({ acts, serviceUrl: service.url, token: service.token, databaseUrl: database.beyond });
  return {
    ...verdict,
    accepted: acts.filter(each => each.acknowledged !== undefined).length,
    warned: readWarnings(slack).length,
    seconds: { told, ready, settled: (performance.now() - began) / 1000 },
    unfinished,
    complaints: lines.filter(({ at, line }) => at >= broken && at < cured && isComplaint(line)).map(each => each.line),
  };
}

/** Answers that say to a person that their act did not happen, or may not have. */
export function readWarnings({ channels }: FakeSlack) {
  const warning = /may or may not have happened|Nothing was changed/;
  return channels.flatMap(each => each.messages).filter(each => warning.test(each.text));
}

function isComplaint(line: string): boolean {
  return /"level":"(?:warn|error|fatal)"/.test(line);
}
