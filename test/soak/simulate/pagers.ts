import { z } from 'zod';
import type { PagerOptions } from '../../../src/bot/options.ts';
import type { Transport, TransportResponse } from '../../../src/client/transport.ts';
import { signWebhook } from '../../../src/contract/webhook-signature.ts';
import { createPagerDuty, routingKey, signingSecret } from '../../support/pagers/pagerduty.ts';
import { takingSecret } from '../../support/pagers/taking.ts';
import { verifyIndependently } from '../../support/pagers/verify.ts';
import type { Hosts } from './hosts.ts';
import type { Letter } from './post.ts';
import { Random } from './random.ts';
import type { Setting } from './setting.ts';

/** The pagers: a service of PagerDuty, and a tool that takes signed webhooks. */
export const pagerNames = ['sre', 'db'] as const;
const pagerdutyUrl = 'https://pagerduty.invalid';

/** How Muster reaches them. */
export function toPaging(post: PagerOptions['post']): PagerOptions {
  return {
    pagers: [
      { name: 'sre', kind: 'pagerduty', url: pagerdutyUrl, routingKey, secret: signingSecret },
      { name: 'db', kind: 'webhook', url: 'https://pager.invalid/db', secret: takingSecret },
    ],
    pagerGroup: '',
    post,
    observe: () => undefined,
  };
}

/** A page as its pager has it. */
interface Paged {
  readonly pager: (typeof pagerNames)[number];
  readonly key: string;
  /** The mark of its reason; `""` for a private incident, whose reason it keeps. */
  readonly mark: string;
  /** How often it woke somebody. */
  woke: number;
  /** Muster said that it knows who acknowledged it, and that has not run out. */
  isAcknowledgedThere: boolean;
  /** It was a person who did. */
  isByPerson: boolean;
}

const Why = z.object({
  event: z.string().default(''),
  event_action: z.string().default(''),
  key: z.string().default(''),
  dedup_key: z.string().default(''),
  why: z.string().default(''),
  payload: z.object({ custom_details: z.object({ why: z.string().default('') }).default({ why: '' }) }).optional(),
});

/**
 * The tools that wake people, and the people there, who acknowledge pages: their webhooks come twice, late, and again until Muster takes
 * them.
 */
export class Pagers {
  readonly pages: Paged[] = [];
  /** Requests that no tool could read. */
  readonly refused: string[] = [];
  readonly #pagerDuty: ReturnType<typeof createPagerDuty>;
  readonly #setting: Setting;
  readonly #hosts: Hosts;
  readonly #random: Random;
  /** The pages of the tool with webhooks that are open there. */
  readonly #open = new Set<string>();
  #sending = 0;

  constructor(setting: Setting, hosts: Hosts) {
    this.#setting = setting;
    this.#hosts = hosts;
    this.#random = new Random(setting.seed, 'pagers');
    this.#pagerDuty = createPagerDuty(() => setting.time.now());
  }

  /** Whether a webhook is on its way, or one is to come. */
  get isSending(): boolean {
    return this.#sending > 0;
  }

  /** Lets most acknowledgements run out: nobody goes on, so the tools take them back, and tell Muster. */
  runOut(): void {
    const open = this.pages.filter(each => each.isAcknowledgedThere && this.#random.chance(0.7));
    for (const page of open) {
      page.isAcknowledgedThere = false;
      const letter = page.pager === 'sre' ? this.#pagerDuty.act(page.key, 'unacknowledged', null) : undefined;
      void this.#tell(page, 'unacknowledged', letter);
    }
  }

  /** Takes a request. */
  answer: Transport = async request => {
    const { path, body = '', headers = {} } = request;
    const arrived = this.#setting.variant.toPager ? this.#setting.variant.toPager(body) : body;
    if (arrived === undefined) return toAnswer(202, {});
    if (path.startsWith(pagerdutyUrl)) return this.#toPagerDuty(arrived);
    const signature = String(headers['GI-Signature'] ?? '');
    if (!verifyIndependently(body, signature, takingSecret)) return this.#refuse(401, body);
    const { event, key, why } = Why.parse(JSON.parse(arrived));
    if (event === 'over') this.#open.delete(key);
    else if (!this.#open.has(key)) {
      this.#open.add(key);
      this.#wake('db', key, why);
    }
    return toAnswer(204, {});
  };

  #toPagerDuty(body: string): TransportResponse {
    const { woken } = this.#pagerDuty;
    const before = woken.length;
    const { status, said } = this.#pagerDuty.take(body);
    if (status === 400) this.#refuse(status, body);
    const { dedup_key: key, payload } = Why.parse(JSON.parse(body));
    if (woken.length > before) this.#wake('sre', key, payload?.custom_details.why ?? '');
    return toAnswer(status, said);
  }

  #refuse(status: number, body: string): TransportResponse {
    this.refused.push(body);
    return toAnswer(status, {});
  }

  #wake(pager: Paged['pager'], key: string, why: string): void {
    this.#setting.history.add(pager, `wakes somebody for ${key}: ${why}`);
    const known = this.pages.find(each => each.pager === pager && each.key === key);
    if (known) {
      known.woke += 1;
      return;
    }
    const mark = /\bm\d+\b/.exec(why)?.[0] ?? '';
    const page = { pager, key, mark, woke: 1, isAcknowledgedThere: false, isByPerson: true };
    this.pages.push(page);
    if (this.#random.chance(0.6)) void this.#acknowledge(page);
  }

  async #acknowledge(page: Paged): Promise<void> {
    const { time, plan } = this.#setting;
    this.#sending += 1;
    await time.asNobody(() => time.pause(this.#random.whole(500, 40_000)));
    page.isByPerson = page.pager !== 'sre' || !plan.areDaysLived || this.#random.chance(0.7);
    const isOpen = page.pager === 'sre' ? this.#pagerDuty.stateOf(page.key) === 'triggered' : this.#open.has(page.key);
    if (isOpen) {
      const who = page.isByPerson ? 'Ann Engineer' : { service: 'an automation' };
      const letter = page.pager === 'sre' ? this.#pagerDuty.act(page.key, 'acknowledged', who) : undefined;
      const times = this.#random.pick([1, 1, 2]);
      await Promise.all(Array.from({ length: times }, () => this.#tell(page, 'acknowledged', letter)));
      page.isAcknowledgedThere = true;
    }
    this.#sending -= 1;
  }

  /** Sends a webhook until Muster takes it. */
  async #tell(page: Paged, state: 'acknowledged' | 'unacknowledged', sent: Letter | undefined): Promise<void> {
    const { time, history } = this.#setting;
    const random = this.#random;
    this.#sending += 1;
    const rest = (longest: number) => time.asNobody(() => time.pause(random.whole(0, longest)));
    await rest(random.pick([50, 50, 60_000]));
    for (;;) {
      const replica = this.#hosts.any();
      const letter = sent ?? toWebhook(page.key, state, replica?.clock() ?? new Date(time.now()));
      const late = time.asNobody(() => time.pause(10_000)).then(() => 0);
      const status = replica ? await Promise.race([replica.hearPager(page.pager, letter), late]) : 0;
      history.add(page.pager, `says ${page.key} is ${state}: ${status}`);
      if (status === 200) break;
      await rest(15_000);
    }
    this.#sending -= 1;
  }
}

function toAnswer(status: number, said: unknown): TransportResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(said) };
}

/** The webhook of the other tool, signed when it is sent. */
function toWebhook(key: string, state: string, now: Date): Letter {
  const body = JSON.stringify({ key, state, by: 'Dora' });
  return {
    body,
    headers: { 'content-type': 'application/json', 'gi-signature': signWebhook(body, takingSecret, now) },
  };
}
