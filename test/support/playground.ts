import { expect, onTestFinished } from 'vitest';
import { createFakeSlack, type DirectFakeSlack } from '../../playground/fake-slack/fake-slack.ts';
import type { Backstage, BackstageTold, StoryAct } from '../../playground/workspace/backstage.ts';
import type { Act, ActAnswer, AlertEvent, FaultName, Told } from '../../playground/workspace/protocol.ts';
import { serveWorkspace } from '../../playground/workspace/server.ts';
import { patient, patientSlack } from './deadlines.ts';

/** The commands and shortcuts of the app in {@link openPlayground}. */
const face = {
  commands: [{ name: '/incident', usage: 'help', description: 'declare, resolve' }],
  shortcuts: [
    { id: 'note', name: 'Add to the timeline', type: 'message' as const },
    { id: 'declare', name: 'Declare an incident', type: 'global' as const },
  ],
};

/** A page of one person: what it was told, in order. */
export interface OpenPage {
  readonly told: Told[];
  readonly lastId: string;
  /** The first event that fits, waited for. */
  heard<K extends Told['kind']>(
    kind: K,
    fits?: (told: Extract<Told, { kind: K }>) => boolean,
  ): Promise<Extract<Told, { kind: K }>>;
  close(): void;
}

/**
 * A workspace of a member, a lead, a guest and an outsider, served over HTTP, with an app that records what it gets. `port` is that of its
 * server; a free one when it is absent.
 */
export async function openPlayground(slack: DirectFakeSlack = createFakeSlack({ deadlines: patientSlack }), port = 0) {
  const answers: (() => unknown)[] = [];
  slack.connectApp(async () => {
    const body = answers.shift()?.() ?? '';
    return { status: 200, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
  });
  const alice = slack.addPerson({ name: 'alice', realName: 'Alice Adler' });
  const bob = slack.addPerson({ name: 'bob', isAdmin: true });
  const gina = slack.addPerson({ name: 'gina', isRestricted: true });
  const petra = slack.addPerson({ name: 'petra', isStranger: true, teamId: 'T0PARTNER01' });
  const shop = slack.addChannel({ name: 'shop', members: [alice, bob], botIsMember: true });
  const people = { alice, bob, gina, petra };
  const faults: [FaultName, boolean][] = [];
  const stories: StoryAct[] = [];
  const alerts: AlertEvent[] = [];
  const acknowledged: string[] = [];
  const listeners = new Set<(told: BackstageTold) => void>();
  const backstage: Backstage = {
    follow(tell) {
      listeners.add(tell);
      tell({
        kind: 'system',
        system: {
          ...{ faults: [], bot: 'running', pagesUrl: 'http://127.0.0.1:4711' },
          ...{ watchdog: { firing: 0, waiting: 0 }, pager: { pages: [], waiting: 0 }, troubles: {} },
        },
      });
      return () => void listeners.delete(tell);
    },
    setFault: async (name, isOn) => void faults.push([name, isOn]),
    watchdog: { act: event => void alerts.push(event) },
    pager: {
      acknowledge: (key, by) => {
        if (key !== 'page-1') throw new Error('This page waits for nobody any more.');
        acknowledged.push(by);
      },
    },
    playStory: async act => void stories.push(act),
  };
  const serve = async (wanted: number) => {
    const served = await serveWorkspace({ slack, face, backstage, deadlines: patient(), port: wanted });
    onTestFinished(() => served[Symbol.asyncDispose]());
    return served;
  };
  const server = await serve(port);

  async function act(as: string, what: Act): Promise<ActAnswer> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ as, act: what });
    const response = await fetch(`${server.url}/acts`, { method: 'POST', headers, body });
    expect(response.status).toBe(200);
    return (await response.json()) as ActAnswer;
  }

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(`${server.url}${path}`);
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }

  async function callApi(method: string, args: object): Promise<Record<string, unknown>> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${slack.botToken}` };
    const response = await slack.fetch(`${slack.apiUrl}${method}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(args),
    });
    return (await response.json()) as Record<string, unknown>;
  }

  const tellAll = (told: BackstageTold) => {
    for (const tell of listeners) tell(told);
  };
  const openPage = (as: string, lastId?: string) => listen(`${server.url}/events?as=${as}`, lastId);
  return {
    slack,
    server,
    serve,
    ...people,
    shop,
    act,
    get,
    openPage,
    callApi,
    answers,
    faults,
    stories,
    alerts,
    acknowledged,
    listeners,
    tellAll,
  };
}

async function listen(url: string, from?: string): Promise<OpenPage> {
  const closing = new AbortController();
  const response = await fetch(url, {
    headers: from === undefined ? {} : { 'last-event-id': from },
    signal: closing.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const told: Told[] = [];
  let lastId = from ?? '';
  const read = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        lastId = /^id: (.+)$/m.exec(event)?.[1] ?? lastId;
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) told.push(JSON.parse(data));
      }
    }
  };
  void read().catch(() => undefined);
  onTestFinished(() => closing.abort());
  return {
    told,
    get lastId() {
      return lastId;
    },
    heard: async (kind, fits = () => true) => {
      type Wanted = Extract<Told, { kind: typeof kind }>;
      const find = () => told.find((each): each is Wanted => each.kind === kind && fits(each as Wanted));
      return await expect
        .poll(find)
        .toBeDefined()
        .then(() => find() as Wanted);
    },
    close: () => closing.abort(),
  };
}
