import { onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { openHttpTransport } from '../../src/client/transport.ts';
import { signatureHeader, signWebhook } from '../../src/contract/webhook-signature.ts';
import type { Deadlines } from '../../src/deadlines.ts';
import { patient } from './deadlines.ts';
import { openFakeGrafana } from './fake-grafana.ts';
import { declareNow } from './incident-room.ts';
import { TestTimers } from './timers.ts';
import { openInstalledSlack, openWorkplace } from './workplace.ts';

/** The secret of the webhooks, on both sides. */
export const secret = 'a secret between two servers';
/** Sends a webhook, signed now with the right secret unless `how` says otherwise. `''` for a signature leaves it out. */
export async function sendWebhook(
  url: string,
  payload: unknown,
  how: { readonly body?: string; readonly signature?: string; readonly at?: Date } = {},
): Promise<{ readonly status: number; readonly said: string }> {
  const body = how.body ?? JSON.stringify(payload);
  const signature = how.signature ?? signWebhook(body, secret, how.at ?? new Date());
  const headers = { 'content-type': 'application/json', ...(signature === '' ? {} : { [signatureHeader]: signature }) };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return { status: answer.status, said: await answer.text() };
}

/** What a line about changes elsewhere begins with. */
export const sign = '📡';

interface ElsewhereOptions {
  /** The Grafana sends webhooks to Muster. */
  readonly hears?: boolean;
  /** What follows the title in the declaration. */
  readonly flags?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly deadlines?: Deadlines;
}

/**
 * An incident in a Grafana (the service over HTTP), its room, its announcement in #alerts, and another client of that Grafana. When
 * Muster looks for changes is up to the test's timers.
 */
export async function openElsewhere(options: ElsewhereOptions = {}) {
  const { hears = false, flags = '', deadlines = patient() } = options;
  const grafana = await openFakeGrafana();
  const slack = await openInstalledSlack();
  const timers = new TestTimers(() => undefined);
  const alice = slack.addPerson({ name: 'alice' });
  const alerts = slack.addChannel({ name: 'alerts', members: [alice], botIsMember: true });
  const general = slack.addChannel({ name: 'general', members: [alice], botIsMember: true });
  const settings = {
    ...{ ...grafana.settings, ANNOUNCE_CHANNEL: alerts.id },
    ...(hears ? { INCIDENT_WEBHOOK_SECRET: secret } : {}),
    ...options.settings,
  };
  const place = await openWorkplace({ slack, settings, timers, deadlines });
  const hook = `${place.muster.url}/hooks/incident`;
  if (hears) await grafana.webhooks.add(hook, secret);
  const room = await declareNow(place, alice, general, `Disk is full ${flags}`.trim());
  const transport = openHttpTransport({ baseUrl: grafana.url });
  onTestFinished(() => transport[Symbol.asyncDispose]());
  const lines = () => place.reads(alice, room.id).filter(each => each.includes(sign));
  return {
    ...{ grafana, slack, timers, alice, alerts, general, place, hook, room, lines },
    /** Another client of the Grafana. */
    elsewhere: createClient({ ...patient().api, transport, token: grafana.settings.GRAFANA_TOKEN }),
    type: async (line: string) => {
      await alice.command(room, line);
      await place.quiet();
    },
    /** The time comes when Muster looks. */
    look: async () => {
      await timers.fire(10_000);
      await place.quiet();
    },
    card: () => place.reads(alice, room.id)[0] ?? '',
    announcement: () => place.reads(alice, alerts.id)[0] ?? '',
    /** How often Muster asked the Grafana for that. */
    asked: (method: string) => grafana.requests.filter(each => each.endsWith(`.${method}`)).length,
  };
}
