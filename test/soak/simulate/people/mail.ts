import type { Hosts } from '../hosts.ts';
import { type Letter, readLetter, sign } from '../post.ts';
import { Random } from '../random.ts';
import type { Setting } from '../setting.ts';
import type { Doer } from '../virtual-time.ts';
import type { Witness } from '../witness/witness.ts';
import type { Act } from './acts.ts';

/** Somebody who acts: what is sent meanwhile is about that. */
export class Actor implements Doer {
  readonly isAlive = true;
  readonly act: Act;

  constructor(act: Act) {
    this.act = act;
  }
}

type Answer = { readonly status: number; readonly body: string };
const nobody: Answer = { status: 503, body: '' };

/** Takes what Slack sends to a replica; events come again when nobody took them, and sometimes although somebody did. */
export class Mail {
  readonly #setting: Setting;
  readonly #witness: Witness;
  readonly #hosts: Hosts;
  readonly #random: Random;
  #redelivering = 0;

  constructor(setting: Setting, witness: Witness, hosts: Hosts) {
    this.#setting = setting;
    this.#witness = witness;
    this.#hosts = hosts;
    this.#random = new Random(setting.seed, 'mail');
    setting.slack.connectApp(letter => this.#deliver(letter));
  }

  /** Whether Slack may send something again. */
  get isRedelivering(): boolean {
    return this.#redelivering > 0;
  }

  async #deliver(letter: Letter): Promise<Answer> {
    const { doer } = this.#setting.time;
    const act = doer instanceof Actor ? doer.act : undefined;
    const { responseUrl, isEvent, isFlood } = readLetter(letter);
    if (isEvent) this.#witness.talks.sent(letter.body);
    if (isEvent && !isFlood && this.#isFlooded()) {
      this.#setting.history.add(
        'Slack',
        `${act ? `act ${act.number}` : 'an event'} is lost: there are too many events`,
      );
      return nobody;
    }
    if (this.#setting.variant.arrives?.(letter.body) === false) return nobody;
    if (act && responseUrl !== '') this.#witness.gave(responseUrl, act);
    const first = await this.#hand(letter, act, isEvent, 0);
    if (isEvent) void this.#redeliver(letter, act, first.status);
    return first;
  }

  #isFlooded(): boolean {
    const { plan, time } = this.#setting;
    return plan.floods.some(({ from, until }) => from <= time.now() && time.now() < until);
  }

  async #redeliver(letter: Letter, act: Act | undefined, first: number): Promise<void> {
    let status = first;
    this.#redelivering += 1;
    const pauses = [this.#random.whole(0, 1000), 60_000, 300_000];
    for (const [number, pause] of pauses.entries()) {
      await this.#setting.time.pause(pause);
      if (status === 200 && !this.#random.chance(0.15)) continue;
      status = (await this.#hand(letter, act, true, number + 1)).status;
    }
    this.#redelivering -= 1;
  }

  async #hand(letter: Letter, act: Act | undefined, isEvent: boolean, retry: number): Promise<Answer> {
    const { time, history, slack } = this.#setting;
    const replica = this.#hosts.any();
    const who = act ? `act ${act.number}` : 'an event';
    if (!replica) {
      history.add('Slack', `${who} is not taken: there is no replica`);
      return nobody;
    }
    // Over a socket nothing is signed: a clock that is wrong keeps nothing out.
    const clock = replica.clock().getTime();
    const { life } = replica;
    const arrived = { at: time.now(), clock, life, isEvent, status: undefined as number | undefined };
    act?.arrivals.push(arrived);
    history.add('Slack', `${who} goes to ${replica.name}${retry > 0 ? `, again (${retry})` : ''}`);
    try {
      const answer = await replica.take(sign(letter, slack.signingSecret, clock, retry), act);
      arrived.status = answer.status;
      if (answer.body.length > 2 && act) {
        act.answers.push({ at: time.now(), text: answer.body });
        this.#witness.readers.show(act.userId, answer.body);
      }
      if (isEvent && answer.status === 200) {
        this.#witness.readers.told(letter.body);
        this.#witness.talks.taken(letter.body);
      }
      if (answer.status !== 200) history.add(replica.name, `answers ${who} with ${answer.status} ${answer.body}`);
      return answer;
    } catch (error) {
      history.add(replica.name, `does not answer ${who}: ${error}`);
      return nobody;
    }
  }
}
