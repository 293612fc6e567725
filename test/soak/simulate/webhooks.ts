import type { Transport } from '../../../src/client/transport.ts';
import { signatureHeader, signWebhook } from '../../../src/contract/webhook-signature.ts';
import type { Hosts } from './hosts.ts';
import { Random } from './random.ts';
import type { Setting } from './setting.ts';

/** The secret of the webhooks, on both sides. */
export const webhookSecret = 'a secret between two servers';

/** The changes that webhooks tell of (docs/api-rules.md A11, Events). */
const told = /IncidentsService\.(CreateIncident|Update(Status|Severity|Title)|AddLabel|RemoveLabel|(Una|A)ssignRole)$/;

/**
 * The webhooks of the API: one for each change, whoever made it. One of five is lost, some come late, some twice; none is tried again.
 * Without them Muster has to look for changes itself.
 */
export class Webhooks {
  readonly #setting: Setting;
  readonly #hosts: Hosts;
  readonly #random: Random;

  constructor(setting: Setting, hosts: Hosts) {
    this.#setting = setting;
    this.#hosts = hosts;
    this.#random = new Random(setting.seed, 'webhooks');
    if (setting.plan.areWebhooksSent) setting.onApiAnswer((...answered) => this.#answered(...answered));
  }

  #answered({ path }: Parameters<Transport>[0], { status, body }: Awaited<ReturnType<Transport>>): void {
    if (status !== 200 || !told.test(path)) return;
    const { incident } = JSON.parse(body);
    if (typeof incident?.incidentID === 'string') this.#send(incident.incidentID);
  }

  #send(incidentID: string): void {
    const { time, history } = this.#setting;
    if (this.#random.chance(0.2)) {
      history.add('API', `a webhook about incident ${incidentID} is lost`);
      return;
    }
    const times = this.#random.chance(0.1) ? 2 : 1;
    for (let sent = 0; sent < times; sent += 1) {
      const way = this.#random.pick([50, 50, 2000, 40_000]);
      void time.asNobody(() => time.pause(this.#random.whole(1, way))).then(() => this.#hand(incidentID));
    }
  }

  #hand(incidentID: string): void {
    const replica = this.#hosts.any();
    if (!replica) return;
    const body = JSON.stringify({ incident: { incidentID } });
    replica.hear({
      headers: { [signatureHeader.toLowerCase()]: signWebhook(body, webhookSecret, replica.clock()) },
      body,
    });
  }
}
