import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rpcBase } from '../../../src/contract/contract.ts';
import { hostile } from '../../support/hostile-pieces.ts';
import { eventsPath, type SignedRequest, signed, signedHelp } from '../../support/signed-command.ts';
import { signAsSlack } from '../../support/slack-signature.ts';
import { tokens } from '../../support/tokens.ts';
import { openStand, type Stand } from './stand.ts';

const alertToken = 'token_of_the_poisoned_door';

/**
 * The most milliseconds of the processor that Muster's thread takes while a bystander waits for one answer. On the clock the programs beside it count
 * too.
 */
const most = 200;

/** What an expression that is not linear takes long for. */
const texts = hostile.pieces.map(piece => `a${piece.repeat(Math.ceil(40_000 / piece.length))}!`);

/** The ways in, each of which takes a text in every place where its sender may write. They resolve to the status of the answer. */
function doorsOf({ slack, where, port }: Stand) {
  const team = { id: slack.teamId };
  const user = { id: where.userId, team_id: slack.teamId };
  const channel = { id: where.channelId, name: 'general' };
  let serial = 0;
  const next = () => {
    serial += 1;
    return `1790000000.${String(serial).padStart(6, '0')}`;
  };
  const ask = async (path: string, request: RequestInit) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, request);
    await answer.text();
    return answer.status;
  };
  const post = (path: string, request: SignedRequest) => ask(path, { method: 'POST', ...request });
  const json = (path: string, token: string, value: object) =>
    post(path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(value),
    });
  const call = (operation: string, value: object) =>
    json(`${rpcBase('grafana-irm-app')}/${operation}`, tokens.Editor, value);
  const ofSlack = (body: string, type: string) => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = signAsSlack(slack.signingSecret, timestamp, body);
    const headers = { 'content-type': type, 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature };
    return post(eventsPath, { headers, body });
  };
  const payload = (value: object) =>
    ofSlack(
      new URLSearchParams({ payload: JSON.stringify({ team, user, trigger_id: next(), ...value }) }).toString(),
      'application/x-www-form-urlencoded',
    );
  const event = (value: object) => {
    const ts = next();
    const given = { channel: where.channelId, user: where.userId, ts, event_ts: ts, ...value };
    const whole = { type: 'event_callback', api_app_id: slack.appId, team_id: slack.teamId, event_id: `Ev${ts}` };
    return ofSlack(JSON.stringify({ ...whole, event: given }), 'application/json');
  };
  // As long as Slack lets them be.
  const blocksOf = (text: string) => [
    { type: 'section', text: { type: 'mrkdwn', text: text.slice(0, 3000) } },
    { type: 'markdown', text: text.slice(0, 12_000) },
    { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
  ];
  const verbs = ['/incident', '/note', '/task'];
  return {
    note: body => call('ActivityService.AddActivity', { incidentID: '1', activityKind: 'userNote', body }),
    incident: text =>
      call('IncidentsService.CreateIncident', {
        title: text.slice(0, 500),
        labels: [{ label: text.slice(0, 100), description: text.slice(0, 500) }],
        attachURL: `https://a.a/${text.slice(0, 8000)}`,
        attachCaption: text.slice(0, 8000),
        initialStatusUpdate: text,
      }),
    'texts that are too long': text =>
      call('IncidentsService.CreateIncident', { title: text, labels: [{ label: text }], attachURL: text }),
    question: text => call('IncidentsService.QueryIncidentPreviews', { query: { queryString: text.slice(0, 2000) } }),
    headers: text => {
      // Node takes 16 kB of them, of one byte each.
      const value = text.replace(/[^\x20-\x7e]/g, '-').slice(0, 1200);
      const names = ['cookie', 'accept', 'accept-encoding', 'if-none-match', 'x-forwarded-for', 'x-slack-signature'];
      return ask(`/incidents?${new URLSearchParams({ q: value })}`, {
        headers: Object.fromEntries([...names, 'content-type', 'authorization'].map(name => [name, value])),
      });
    },
    command: (text, turn) => {
      const responseUrl = `${new URL(slack.apiUrl).origin}/respond/poison`;
      return post(eventsPath, signed(slack, { command: verbs[turn % 3] ?? '', text, responseUrl, ...where }));
    },
    event: (text, turn) =>
      event({ type: turn % 2 ? 'app_mention' : 'message', text: `<@U0> ${text}`, blocks: blocksOf(text) }),
    shortcut: text => {
      const message = { type: 'message', ts: next(), user: where.userId, text, blocks: blocksOf(text) };
      const about = { channel, message_ts: message.ts, message };
      return payload({ type: 'message_action', callback_id: 'declare_message', ...about });
    },
    form: text => {
      const field = (value: string) => ({ field: { type: 'plain_text_input', value } });
      const long = ['title', 'summary'].map(id => [id, field(text)]);
      const others = ['details', 'labels', 'started', 'ended', 'link', 'caption'];
      const values = Object.fromEntries([...long, ...others.map(id => [id, field(text.slice(0, 3000))])]);
      const view = { id: 'V1', type: 'modal', callback_id: 'incident.declare', private_metadata: '{}' };
      return payload({ type: 'view_submission', view: { ...view, state: { values } } });
    },
    alert: text => {
      const short = text.slice(0, 1000);
      const labels = { alertname: text, severity: short, service: short, [short]: short };
      const annotations = { summary: text, description: text, runbook_url: `https://a.a/${short}`, [short]: short };
      const alert = { status: 'firing', labels, annotations, generatorURL: short, fingerprint: short };
      return json('/hooks/alerts/prod', alertToken, {
        ...{ version: '4', groupKey: short, status: 'firing', receiver: short, externalURL: `https://a.a/${short}` },
        ...{ groupLabels: { [short]: short }, commonLabels: {}, commonAnnotations: {}, alerts: [alert] },
      });
    },
  } satisfies Record<string, (text: string, turn: number) => Promise<number>>;
}

/** The doors that read a text to its end before they say that it is none for them. */
const mayRefuse = ['texts that are too long', 'question', 'headers'];

/** Does one thing again and again; gives, of each time, how much Muster's thread computed meanwhile, in milliseconds. */
async function standBy(stand: Stand, act: () => Promise<Response>, isOver: () => boolean): Promise<readonly number[]> {
  const waits: number[] = [];
  while (!isOver()) {
    const began = stand.threadTime();
    const answer = await act();
    await answer.text();
    expect(answer.status).toBe(200);
    waits.push(stand.threadTime() - began);
    await pause(10);
  }
  return waits;
}

test.skipIf(!existsSync('/proc/self/schedstat'))(
  'hostile texts of 40,000 characters in all places of each door hold nobody up',
  async () => {
    await using stand = await openStand(`prod=${alertToken}`);
    const doors = Object.entries(doorsOf(stand));
    // Code that runs for the first time is compiled first, whatever it reads.
    for (let round = 0; round < 3; round += 1)
      for (const [, door] of doors) await door(`innocent words ${round}`, round);
    const origin = `http://127.0.0.1:${stand.port}`;
    const help = () => fetch(`${origin}${eventsPath}`, { method: 'POST', ...signedHelp(stand.slack, stand.where) });
    let isOver = false;
    const bystanders = Promise.all([
      standBy(
        stand,
        () => fetch(`${origin}/healthz`),
        () => isOver,
      ),
      standBy(stand, help, () => isOver),
    ]);
    const statuses: Record<string, number[]> = {};
    for (const [turn, text] of texts.entries())
      for (const [name, door] of doors) statuses[name] = [...(statuses[name] ?? []), await door(text, turn)];
    isOver = true;
    const waits = await bystanders;
    for (const [name, each] of Object.entries(statuses)) {
      const isRefused = (status: number) => status === 400 && mayRefuse.includes(name);
      expect(
        each.filter(status => status !== 200 && !isRefused(status)),
        name,
      ).toEqual([]);
    }
    expect(stand.bystander.failures).toEqual([]);
    expect(await stand.errors()).toEqual([]);
    for (const each of waits) {
      expect(each.length).toBeGreaterThan(10);
      expect(Math.max(...each)).toBeLessThanOrEqual(most);
    }
  },
);
