import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeSlack, openFakeSlack } from '../../../playground/fake-slack/fake-slack.ts';
import { startMuster } from '../../support/acknowledging-process.ts';
import { grants } from '../../support/grants.ts';
import { tokens } from '../../support/tokens.ts';
import { type Bystander, startBystander } from './bystander.ts';

/** Muster in a process of its own: bot, embedded service, open pages. A bystander uses it all the time. */
export interface Stand extends AsyncDisposable {
  readonly port: number;
  readonly slack: FakeSlack;
  /** Where commands are typed, and by whom. */
  readonly where: { readonly channelId: string; readonly userId: string };
  readonly bystander: Bystander;
  /** The most memory that the process has had, in MiB. */
  peakMemory(): number;
  /** The time of the processor that the thread has taken on which it answers everybody, in milliseconds. */
  threadTime(): number;
  /** Lines of its log of level error and above. */
  errors(): Promise<string[]>;
}

/** Starts Muster with an incident in it and, where given, sources of alerts as the setting `ALERTS` names them. */
export async function openStand(alerts = ''): Promise<Stand> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'muster-hostile-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const slack = stack.use(await openFakeSlack(grants));
  const ann = slack.addPerson({ name: 'ann' });
  const general = slack.addChannel({ name: 'general', members: [ann], botIsMember: true });
  const where = { channelId: general.id, userId: ann.id };
  const settings = {
    PAGES: 'open',
    SERVICE_TOKENS: Object.entries(tokens)
      .map(([role, token]) => `${token}:${role}`)
      .join(','),
    ...(alerts === '' ? {} : { ALERTS: alerts, ANNOUNCE_CHANNEL: general.id }),
  };
  const muster = stack.use(await startMuster(slack, folder, settings, where));
  const bystander = stack.use(await startBystander(muster.origin, slack, where));
  const running = stack.move();
  return {
    port: Number(new URL(muster.origin).port),
    slack,
    where,
    bystander,
    peakMemory() {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${muster.pid}/status`, 'utf8')) ?? [];
      return Math.round(Number(kibibytes) / 1024);
    },
    threadTime() {
      const schedule = readFileSync(`/proc/${muster.pid}/task/${muster.pid}/schedstat`, 'utf8');
      return Number(schedule.split(' ')[0]) / 1e6;
    },
    async errors() {
      const lines = (await readFile(join(folder, 'muster.log'), 'utf8')).split('\n');
      return lines.filter(line => /"level":"(?:error|fatal)"/.test(line));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
