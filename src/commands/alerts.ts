import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { AlertSource } from '../config/alert-sources.ts';
import { readAlertConfig } from '../config/config.ts';
import { trimEnd } from '../trim-end.ts';
import { addExample, type Host } from './command.ts';

interface TestOptions {
  readonly source?: string;
  /** The path of a body to send as it is. */
  readonly file?: string;
  /** When the test alert began whose end is sent. */
  readonly ended?: string;
  /** Where Muster is. */
  readonly url?: string;
}

/** `muster alerts`: tries whether alerts arrive. The sources come from the environment, as those of `muster start`. */
export function register(program: Command, host: Host): void {
  const group = program.command('alerts').description('try whether the alerts of a monitoring tool arrive');
  addExample(group, 'muster alerts test');

  const test = group
    .command('test')
    .description('send a test alert to a running Muster, as its tool would, and say whether it took it')
    .option('--source <name>', 'a source that ALERTS names; needless where there is one')
    .option('--file <body.json>', 'a body that the tool sends, instead of a made-up one of Alertmanager')
    .option('--ended <time>', 'send the end of a test alert; the test that sent it prints the time')
    .option('--url <address>', 'where Muster is; default: this machine, at PORT');
  test.action((options: TestOptions) => sendTestAlert(host, options));
  test.addHelpText(
    'after',
    '\nIts settings are those of muster start: it needs ALERTS and, where they are set, the others that begin with ALERTS_.',
  );
  addExample(test, 'muster alerts test', 'muster alerts test --source grafana --file body.json');
}

/** Most characters of an answer that are printed. */
const mostSaid = 1000;

/** Sends an alert as its tool would, and prints what happened. Rejects with a sentence when it cannot be sent, or is not taken. */
async function sendTestAlert({ environment, deadlines, terminal }: Host, options: TestOptions): Promise<void> {
  const { file, ended } = options;
  const { alerts, host, port } = readAlertConfig(environment);
  const source = findSource(alerts, options.source);
  const url = toAddress(options.url ?? toOwnAddress(host, port));
  const now = new Date();
  const startedAt = ended === undefined ? now : toStart(ended);
  if (file !== undefined && ended !== undefined)
    throw new Error('--ended is for the alert that Muster makes up. With --file, give a file with the end.');
  if (file === undefined && source.mapping !== undefined)
    throw new Error(
      `The bodies of ${source.name} are read by its paths in ALERTS_SOURCES. Give one as the tool sends it: --file body.json.`,
    );
  const body = file === undefined ? toBody(startedAt, ended === undefined ? undefined : now) : await read(file);
  await send(url, source, { body, deadline: deadlines.alertTest });
  terminal.print(
    `Muster at ${url} took the ${ended === undefined ? 'alert' : 'end of the alert'} of ${source.name} and stored it (status 200).\n`,
  );
  terminal.note(ended === undefined ? lookFor : lookForEnd);
  if (file !== undefined || ended !== undefined) return;
  terminal.note(
    `To end it, with the same settings and options:\nmuster alerts test --source ${source.name} --ended ${startedAt.toISOString()}\n`,
  );
}

/** Where the Muster of these settings is, seen from its own machine. Throws with a sentence when they do not say. */
function toOwnAddress(host: string, port: number): string {
  if (port === 0) throw new Error('PORT is 0, so any port may be Muster’s. Say with --url where it is.');
  return `http://${host === '' ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

const lookFor =
  'In Slack, look for its offer with “Declare”, in ANNOUNCE_CHANNEL or in the channel that ALERTS_SOURCES has for the source. Where ALERTS_DECLARE names its severity, look for a new incident.\n';
const lookForEnd = 'In Slack, its offer says that the alert ended. Where it became an incident, its channel says so.\n';

function findSource(sources: readonly AlertSource[], name: string | undefined): AlertSource {
  const names = sources.map(each => each.name).join(', ');
  if (sources.length === 0)
    throw new Error(
      'No source of alerts is set. Make a token (openssl rand -hex 20), set ALERTS=prometheus=<token>, and start Muster with it. docs/alerts.md says how its tool is set up.',
    );
  if (name === undefined && sources.length > 1)
    throw new Error(`ALERTS names several sources: ${names}. Say which one with --source.`);
  const found = name === undefined ? sources[0] : sources.find(each => each.name === name);
  if (!found) throw new Error(`ALERTS names no source ${name}. It names ${names}.`);
  return found;
}

function toAddress(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('--url must be an address such as https://muster.example.com.');
  if (url.username !== '' || url.password !== '') throw new Error('--url must hold no user and no password.');
  return trimEnd(`${url.origin}${url.pathname}`, /\//);
}

function toStart(text: string): Date {
  const start = new Date(text);
  if (!Number.isNaN(start.getTime()) && start.toISOString() === text) return start;
  throw new Error('--ended must be as “muster alerts test” printed it, such as 2026-11-26T09:47:03.123Z.');
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read. --file must be a file with the body that the tool sends.`, {
      cause: error,
    });
  }
}

/** A body of Alertmanager, version 4 of its webhook. The moment of its start tells the alert from others. */
function toBody(startedAt: Date, endedAt: Date | undefined): string {
  const started = startedAt.toISOString();
  const status = endedAt ? 'resolved' : 'firing';
  const name = 'Test alert from muster alerts test';
  const labels = { alertname: name, severity: 'info', test: started };
  const annotations = { summary: 'Nothing is wrong: somebody tries whether alerts arrive.' };
  const alert = {
    ...{ status, labels, annotations, startsAt: started },
    endsAt: endedAt?.toISOString() ?? '0001-01-01T00:00:00Z',
    ...{ generatorURL: '', fingerprint: `muster-alerts-test-${startedAt.getTime()}` },
  };
  return JSON.stringify({
    ...{ version: '4', groupKey: `{}:{alertname="${name}", test="${started}"}`, truncatedAlerts: 0 },
    ...{ status, receiver: 'muster', groupLabels: { alertname: name, test: started } },
    ...{ commonLabels: labels, commonAnnotations: annotations, externalURL: '', alerts: [alert] },
  });
}

/** Sends a body. Rejects with a sentence unless Muster has stored it. */
async function send(
  url: string,
  { name, tokens }: AlertSource,
  { body, deadline }: { readonly body: string; readonly deadline: number },
): Promise<void> {
  const response = await fetch(`${url}/hooks/alerts/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.at(-1)}` },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(deadline),
  }).catch((cause: unknown) => {
    const sentence = `Nothing answers at ${url}. Is Muster running there? --url says where it is.`;
    throw new Error(sentence, { cause });
  });
  const { status } = response;
  const said = wordsOf(await response.text().catch(() => ''));
  if (status === 200 && said === '') return;
  throw new Error(toRefusal());

  function toRefusal(): string {
    if (said === undefined)
      return `What answers at ${url} is not a Muster, or a proxy stands before it (status ${status}). --url says where Muster is.`;
    const words = said === '' ? '' : ` It says: ${said}`;
    if (status === 401)
      return `Muster at ${url} refused the token that ALERTS has for ${name} (status 401).${words}\nIt runs with other ALERTS: start it with these. Or --url leads to another Muster.`;
    if (status === 404)
      return `Muster at ${url} takes no alerts (status 404).${words}\nStart it with ALERTS set, in a version that takes alerts. Or --url leads to another Muster.`;
    if (status === 503)
      return `Muster at ${url} could not store the alert (status 503).${words}\nTools send an alert again after this. Look at ${url}/readyz, and try again.`;
    if (status >= 500) return `Muster at ${url} failed at the alert (status ${status}).${words}\nIts log says why.`;
    return `Muster at ${url} refused the alert of ${name} (status ${status}).${words}\ndocs/alerts.md says what bodies must have.`;
  }
}

const Answer = z.object({ error: z.string().default('') });

/** Muster's words in an answer, `""` when it took the alert; undefined when it is no answer of Muster's. */
function wordsOf(answer: string): string | undefined {
  try {
    const { error } = Answer.parse(JSON.parse(answer));
    return error.replace(/\p{Cc}/gu, '').slice(0, mostSaid);
  } catch {
    return undefined;
  }
}
