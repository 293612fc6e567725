import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { rpcBase } from '../../../src/contract/contract.ts';
import { tokens } from '../../support/tokens.ts';
import type { AttackOutcome } from './attack.ts';

/*
 * One attack, in a process of its own: `attacker.ts <name> <port> <length>`. It sends its outcome to its parent and ends.
 */

const mebibyte = 1024 * 1024;
/** Milliseconds after which a request has no answer. The server itself gives a request 30 s to arrive. */
const patience = 45_000;

const [, , name, port, given] = process.argv;
/** Thousands of requests on each line of `pipelined`, and waves of `readers`. */
const length = Number(given);
const CreatedIncident = z.object({ incident: z.object({ incidentID: z.string() }) });

/** One connection of the attacker, and the answers on it. */
interface Line {
  readonly socket: Socket;
  /** The statuses so far. */
  readonly statuses: number[];
}

async function open(): Promise<Line> {
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1');
  const statuses: number[] = [];
  let rest = '';
  socket.on('error', () => undefined);
  socket.on('data', (text: string) => {
    const all = rest + text;
    for (const [, status] of all.matchAll(/HTTP\/1\.1 (\d{3}) [^\r]*\r\n/g)) statuses.push(Number(status));
    // A status line may come in two pieces; a whole one is not counted twice.
    rest = /HTTP\/1\.1 \d{3} [^\r]*\r\n$/.test(all)
      ? ''
      : (/(?:HTTP\/1\.1 [^\r\n]*|H[TP/1. ]*)\r?$/.exec(all)?.[0] ?? '');
  });
  await once(socket, 'connect');
  return { socket, statuses };
}

function head(path: string, ...headers: readonly string[]): string {
  return [`POST ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
}

const editor = `Authorization: Bearer ${tokens.Editor}`;

/** Waits until so many answers have come on a line, or it is closed, or the patience ends. */
async function settled({ socket, statuses }: Line, wanted: number, until: number): Promise<void> {
  while (statuses.length < wanted && !socket.closed && Date.now() < until) await pause(20);
}

function tell(lines: readonly { readonly line: Line; readonly sent: number }[]): AttackOutcome {
  const answers: Record<string, number> = {};
  let [closed, unanswered] = [0, 0];
  for (const { line, sent } of lines) {
    for (const status of line.statuses) answers[status] = (answers[status] ?? 0) + 1;
    const open = Math.max(0, sent - line.statuses.length);
    if (line.socket.closed) closed += open;
    else unanswered += open;
  }
  return { answers, closed, unanswered };
}

/** Sends one request on each of many connections at once, and waits for all answers. */
async function sendEach(requests: readonly (readonly Buffer[])[]): Promise<AttackOutcome> {
  const until = Date.now() + patience;
  const lines = await Promise.all(
    requests.map(async parts => {
      const line = await open();
      for (const part of parts) line.socket.write(part);
      return { line, sent: 1 };
    }),
  );
  await Promise.all(lines.map(({ line }) => settled(line, 1, until)));
  return tell(lines);
}

/** 90 zipped bodies of 10 MB: half of them of small values and 10 KB on the wire, half as a real dashboard packs. */
async function zipped(): Promise<AttackOutcome> {
  const zip = (item: (index: number) => string, title: string) => {
    const items: string[] = [];
    for (let size = 0; size < 10_000_000; size += items.at(-1)?.length ?? 0) items.push(item(items.length));
    return gzipSync(
      `{"dashboard":{"title":"${title}","a":[${items.join(',')}]},"overwrite":true}`.slice(0, 10 * mebibyte),
    );
  };
  const bomb = zip(() => '{}', 'bomb');
  const like = zip(
    index => `{"n":"${(index * 2_654_435_761) % 4_294_967_296}","unit":"${'short '.repeat(16)}"}`,
    'real',
  );
  const request = (body: Buffer) => [
    Buffer.from(head('/api/dashboards/db', editor, 'Content-Encoding: gzip', `Content-Length: ${body.length}`)),
    body,
  ];
  return await sendEach(Array.from({ length: 90 }, (_, index) => request(index % 2 === 0 ? bomb : like)));
}

/** 1,000 bodies of 10 MB that come slowly: 16 KiB at once, then a little every second. */
async function slow(): Promise<AttackOutcome> {
  const until = Date.now() + patience;
  const length = 10_000_000;
  const lines = await Promise.all(Array.from({ length: 1000 }, open));
  for (const { socket } of lines) {
    socket.write(
      `${head('/api/dashboards/db', editor, `Content-Length: ${length}`)}{"dashboard":{"title":"${'x'.repeat(16_384)}`,
    );
  }
  while (Date.now() < until && lines.some(each => each.statuses.length === 0 && !each.socket.closed)) {
    for (const { socket, statuses } of lines) {
      if (statuses.length > 0) socket.destroy();
      else if (socket.writableLength === 0) socket.write('x'.repeat(64));
    }
    await pause(1000);
  }
  return tell(lines.map(line => ({ line, sent: 1 })));
}

/** Thousands of pipelined requests on each of ten lines, for what anybody may read: half of them by clients that read no answer. */
async function pipelined(): Promise<AttackOutcome> {
  const until = Date.now() + patience;
  const each = length * 1000;
  const paths = ['/openapi.json', '/reference', '/healthz', '/incidents/none', '/openapi.json'];
  const lines = await Promise.all(Array.from({ length: 10 }, open));
  for (const [index, { socket }] of lines.entries()) {
    if (index % 2 === 0) socket.pause();
    const condition = index % 2 === 0 ? '' : 'If-None-Match: *\r\n';
    socket.write(`GET ${paths[Math.floor(index / 2)]} HTTP/1.1\r\nHost: x\r\n${condition}\r\n`.repeat(each));
  }
  const reading = lines.filter((_, index) => index % 2 === 1);
  await Promise.all(reading.map(line => settled(line, each, until)));
  for (const { socket } of lines.filter(line => !reading.includes(line))) socket.destroy();
  return tell(reading.map(line => ({ line, sent: each })));
}

/** 1 MB of unsigned form, forty at once, ten times: half of them with a signature that is made up. */
async function forms(): Promise<AttackOutcome> {
  const body = Buffer.from('a&'.repeat(499_000));
  const signature = [
    `X-Slack-Signature: v0=${'0'.repeat(64)}`,
    `X-Slack-Request-Timestamp: ${Math.floor(Date.now() / 1000)}`,
  ];
  const type = 'Content-Type: application/x-www-form-urlencoded';
  const request = (forged: boolean) => [
    Buffer.from(head('/slack/events', type, `Content-Length: ${body.length}`, ...(forged ? signature : []))),
    body,
  ];
  const waves: AttackOutcome[] = [];
  for (let wave = 0; wave < 10; wave += 1) {
    waves.push(await sendEach(Array.from({ length: 40 }, (_, index) => request(index % 2 === 0))));
  }
  const answers: Record<string, number> = {};
  for (const wave of waves) {
    for (const [status, count] of Object.entries(wave.answers)) answers[status] = (answers[status] ?? 0) + count;
  }
  const sum = (of: 'closed' | 'unanswered') => waves.reduce((all, wave) => all + wave[of], 0);
  return { answers, closed: sum('closed'), unanswered: sum('unanswered') };
}

/** Waves of twenty readers at once of the page of an incident with 6,000 notes: a link in a channel of announcements is enough. */
async function readers(): Promise<AttackOutcome> {
  const origin = `http://127.0.0.1:${port}`;
  const call = async (operation: string, input: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${tokens.Editor}` };
    const body = JSON.stringify(input);
    const answer = await fetch(`${origin}${rpcBase('grafana-irm-app')}/${operation}`, {
      method: 'POST',
      headers,
      body,
    });
    if (!answer.ok) throw new Error(`${operation} answered ${answer.status}`);
    return await answer.json();
  };
  const { incident } = CreatedIncident.parse(
    await call('IncidentsService.CreateIncident', { title: 'Everybody reads this', severity: 'major' }),
  );
  const note = { incidentID: incident.incidentID, activityKind: 'userNote', body: 'The queue still grows.' };
  for (let notes = 0; notes < 6000; notes += 20)
    await Promise.all(Array.from({ length: 20 }, () => call('ActivityService.AddActivity', note)));
  const answers: Record<string, number> = {};
  for (let wave = 0; wave < length; wave += 1) {
    const asked = Array.from({ length: 20 }, async () => {
      const answer = await fetch(`${origin}/a/grafana-irm-app/incidents/${incident.incidentID}`);
      await answer.text();
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
    });
    await Promise.all(asked);
  }
  return { answers, closed: 0, unanswered: 0 };
}

const attacks = { zipped, slow, pipelined, forms, readers };
/** The attacks there are. */
export type AttackName = keyof typeof attacks;

const outcome = await attacks[name as AttackName]();
process.send?.(outcome, () => process.exit());
