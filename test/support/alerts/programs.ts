import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lacks, run } from '../deploy/tool.ts';
import { openLastingFolder } from '../folder.ts';
import { freePort } from '../free-port.ts';

/** Something of the shop that is broken: one alert of the rule `name`. Alerts of one name and one service are a group. */
export interface Broken {
  readonly name: RuleName;
  readonly service: string;
  readonly instance: string;
  readonly severity: string;
}

/** The rules of Prometheus. Each fires while a gauge of its name is above 0. */
const ruleNames = ['HighErrorRate', 'SlowAnswers', 'DiskFull'] as const;
type RuleName = (typeof ruleNames)[number];

/** Debian's Prometheus and Alertmanager, with a shop that they watch. Disposing ends them and removes what they kept. */
export interface Monitoring extends AsyncDisposable {
  /** Something breaks: the alert fires at the next look. */
  breaks(...alerts: readonly Broken[]): void;
  /** It works again: the alert ends at the next look. */
  mends(...alerts: readonly Broken[]): void;
  /** Ends Alertmanager as a crash does. */
  killAlertmanager(): Promise<void>;
  /** Starts it on what it kept. Resolves when it is ready. */
  startAlertmanager(): Promise<void>;
  /** Silences the alerts of a service, as an operator does with amtool. Yields its id, which {@link expire} takes. */
  silence(service: string): string;
  expire(silence: string): void;
  /** How many alerts Alertmanager has: those that are silenced, or the others. */
  count(state: 'active' | 'suppressed'): Promise<number>;
}

/** Who hears of alerts. */
export interface Hook {
  /** The address to which Alertmanager sends. */
  readonly url: string;
  readonly token: string;
  /** How soon a group that goes on is told again. */
  readonly repeat?: string;
}

/** Whether this machine lacks the programs. .ci/run installs them. */
export const lacksMonitoring = ['prometheus', 'prometheus-alertmanager', 'amtool'].some(lacks);

/** How often a program looks: at the shop, at its rules, at a group. */
const often = '200ms';
/** After how many seconds Prometheus tells Alertmanager again of an alert that goes on. One that it does not repeat ends after four times that. */
const resend = '5s';

/** Starts the programs. They are ready when it resolves. */
export async function openMonitoring(hook: Hook): Promise<Monitoring> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await openLastingFolder()).path;
  const shop = stack.use(await openShop());
  const [port, alertmanagerPort] = [await freePort(), await freePort()];
  const write = async (name: string, content: object) => {
    // JSON is YAML.
    await writeFile(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const rules = await write('rules.yml', {
    // A look that the shop answers too late, since the machine is busy, is no end of an alert.
    groups: [
      {
        name: 'shop',
        interval: often,
        rules: [{ record: 'shop_broken', expr: 'last_over_time(shop_looks_broken[5m])' }, ...ruleNames.map(toRule)],
      },
    ],
  });
  const config = await write('prometheus.yml', {
    global: { scrape_interval: often, scrape_timeout: often, evaluation_interval: often },
    rule_files: [rules],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${alertmanagerPort}`] }] }] },
    scrape_configs: [
      { job_name: 'shop', honor_labels: true, static_configs: [{ targets: [`127.0.0.1:${shop.port}`] }] },
    ],
  });
  const { url, token, repeat = often } = hook;
  const routes = await write('alertmanager.yml', {
    route: {
      receiver: 'muster',
      group_by: ['alertname', 'service'],
      ...{ group_wait: '100ms', group_interval: often, repeat_interval: repeat },
    },
    receivers: [
      {
        name: 'muster',
        webhook_configs: [
          { url, send_resolved: true, http_config: { authorization: { type: 'Bearer', credentials: token } } },
        ],
      },
    ],
  });
  const startAlertmanager = async () => {
    const program = start('prometheus-alertmanager', folder, alertmanagerPort, [
      `--config.file=${routes}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      // It has no peers.
      '--cluster.listen-address=',
    ]);
    running.alertmanager = program;
    await untilReady(program, alertmanagerPort);
  };
  const running: { alertmanager?: ChildProcess } = {};
  const killAlertmanager = () => kill(running.alertmanager);
  stack.defer(killAlertmanager);
  await mkdir(join(folder, 'alertmanager'));
  await startAlertmanager();
  const prometheus = start('prometheus', folder, port, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--rules.alert.resend-delay=${resend}`,
  ]);
  stack.defer(() => kill(prometheus));
  await untilReady(prometheus, port);
  // It takes up what it looks at, and whom it tells, some seconds later.
  while (!(await tellsSomebody(port))) await pause(20);
  await shop.looked;
  const amtool = (...words: readonly string[]) => {
    const { code, text } = run('amtool', [`--alertmanager.url=http://127.0.0.1:${alertmanagerPort}`, ...words], folder);
    if (code !== 0) throw new Error(`amtool ${words.join(' ')}: ${text}`);
    return text.trim();
  };
  const opened = stack.move();
  return {
    breaks: (...alerts) => {
      for (const each of alerts) shop.broken.set(toSeries(each), 1);
    },
    mends: (...alerts) => {
      for (const each of alerts) shop.broken.set(toSeries(each), 0);
    },
    killAlertmanager,
    startAlertmanager,
    silence: service => amtool('silence', 'add', '--author=ops', '--comment=known', `service=${service}`),
    expire: silence => void amtool('silence', 'expire', silence),
    count: async state => {
      const response = await fetch(`http://127.0.0.1:${alertmanagerPort}/api/v2/alerts`);
      const alerts = (await response.json()) as readonly { readonly status: { readonly state: string } }[];
      return alerts.filter(each => each.status.state === state).length;
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What Prometheus looks at: a gauge for everything that is broken, or was. */
async function openShop() {
  const broken = new Map<string, number>();
  const { promise: looked, resolve } = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    resolve();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    const lines = [...broken].map(([series, value]) => `${series} ${value}\n`);
    response.end(`# TYPE shop_looks_broken gauge\n${lines.join('')}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    broken,
    /** Prometheus looked for the first time. */
    looked,
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function toSeries({ name, ...labels }: Broken): string {
  const all = Object.entries({ rule: name, ...labels }).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `shop_looks_broken{${all.join(',')}}`;
}

function toRule(name: string): object {
  return {
    alert: name,
    expr: `shop_broken{rule="${name}"} > 0`,
    annotations: {
      summary: `${name} of {{ $labels.service }} on {{ $labels.instance }}`,
      description: 'The value is {{ $value }}.',
      runbook_url: `https://runbooks.example.com/${name}`,
    },
  };
}

function start(program: string, folder: string, port: number, args: readonly string[]): ChildProcess {
  const words = [
    `--web.listen-address=127.0.0.1:${port}`,
    // Addresses in what they send are those of no machine.
    ...[`--web.external-url=https://${program}.example.com`, '--web.route-prefix=/', '--log.level=error'],
    ...args,
  ];
  return spawn(program, words, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder }, stdio: 'ignore' });
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      response => response.ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    await pause(20);
  }
}

/** Whether Prometheus has an Alertmanager. */
async function tellsSomebody(port: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/alertmanagers`);
  const { data } = (await response.json()) as { data: { activeAlertmanagers: readonly unknown[] } };
  return data.activeAlertmanagers.length > 0;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** An alert as a Prometheus sends it to its Alertmanagers. Moments are RFC 3339. */
export interface SentAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
  /** When it ended; absent: it fires. */
  readonly endsAt?: string;
}

/**
 * Starts Alertmanagers of one cluster that tell Muster, without a Prometheus: `send` tells all of them what one would. Alerts of one `group` are
 * a group; a critical one inhibits the warnings of its group. They end with the test.
 */
export async function startAlertmanagers(hook: Hook, count = 1) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await openLastingFolder()).path;
  const { url, token, repeat = often } = hook;
  const config = join(folder, 'alertmanager.yml');
  const receiver = { url, http_config: { authorization: { type: 'Bearer', credentials: token } } };
  await writeFile(
    config,
    JSON.stringify({
      route: {
        ...{ receiver: 'muster', group_by: ['group'] },
        ...{ group_wait: '100ms', group_interval: often, repeat_interval: repeat },
      },
      receivers: [{ name: 'muster', webhook_configs: [receiver] }],
      inhibit_rules: [
        { source_matchers: ['severity = critical'], target_matchers: ['severity = warning'], equal: ['group'] },
      ],
    }),
  );
  const ports: number[] = [];
  const peers: number[] = [];
  for (let each = 0; each < count; each += 1) {
    const [port, peer] = [await freePort(), await freePort()];
    const program = start('prometheus-alertmanager', folder, port, [
      ...[`--config.file=${config}`, `--storage.path=${join(folder, `alertmanager-${each}`)}`],
      `--cluster.listen-address=${count === 1 ? '' : `127.0.0.1:${peer}`}`,
      ...peers.map(other => `--cluster.peer=127.0.0.1:${other}`),
      '--cluster.settle-timeout=1s',
    ]);
    stack.defer(() => kill(program));
    await untilReady(program, port);
    ports.push(port);
    peers.push(peer);
  }
  const opened = stack.move();
  return {
    send: async (...alerts: readonly SentAlert[]) => {
      const body = JSON.stringify(alerts);
      const headers = { 'content-type': 'application/json' };
      for (const port of ports) {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v2/alerts`, { method: 'POST', headers, body });
        if (!answer.ok) throw new Error(await answer.text());
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
