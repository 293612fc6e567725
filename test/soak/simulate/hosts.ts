import { pino } from 'pino';
import type { Transport } from '../../../src/client/transport.ts';
import { Random } from './random.ts';
import { Errand, Replica } from './replica.ts';
import type { Setting } from './setting.ts';
import type { Witness } from './witness/witness.ts';

/** The machines that replicas run on: each starts a replica whenever it has none. */
export class Hosts {
  /** Replicas of now, by their places. */
  readonly replicas: Replica[] = [];
  readonly #setting: Setting;
  readonly #witness: Witness;
  readonly #random: Random;
  /** Takes what replicas send to pagers. */
  pager: Transport = () => new Promise(() => {});
  #isOver = false;

  constructor(setting: Setting, witness: Witness) {
    this.#setting = setting;
    this.#witness = witness;
    this.#random = new Random(setting.seed, 'hosts');
  }

  /** Begins to run them, and to end them as planned. */
  start(): void {
    const { plan, places, calm, history, at } = this.#setting;
    globalThis.fetch = (input, init) => this.#fetch(input, init);
    for (let place = 0; place < places; place += 1) void this.#keepRunning(place);
    for (const moment of plan.kills) at(moment, () => this.#condemn());
    for (const moment of plan.stops) at(moment, () => void this.#stop());
    for (const { from, until } of plan.standstills) at(from, () => void this.#freeze(until));
    at(calm, () => {
      for (const replica of this.replicas) replica.life.spare();
      history.add('world', 'all trouble is over');
    });
  }

  /** No replica starts any more, and none goes on. */
  end(): void {
    this.#isOver = true;
    for (const replica of this.replicas) replica.life.die();
  }

  /** A replica that takes requests, as a load balancer finds it: one that stands still does not; undefined when there is none. */
  any(): Replica | undefined {
    const open = this.replicas.filter(each => each.isOpen && !each.life.standstill);
    return open.length === 0 ? undefined : this.#random.pick(open);
  }

  /** The `fetch` of whoever calls it. */
  #fetch(...call: Parameters<typeof fetch>): ReturnType<typeof fetch> {
    const { doer } = this.#setting.time;
    const life = doer instanceof Errand ? doer.life : doer;
    const replica = this.replicas.find(each => each.life === life);
    return replica ? replica.fetch(...call) : new Promise(() => {});
  }

  async #keepRunning(place: number): Promise<void> {
    const { time, history } = this.#setting;
    for (let life = 1; !this.#isOver; life += 1) {
      const replica = new Replica(this.#setting, this.#witness, {
        place,
        name: `replica${place + 1}.${life}`,
        pager: () => this.pager,
      });
      this.replicas[place] = replica;
      const ended = new Promise<void>(resolve => replica.life.onDeath(resolve));
      history.add(replica.name, 'starts');
      const log = pino({ level: 'error', base: null }, { write: line => this.#onError(replica, line) });
      try {
        await Promise.race([replica.start(log), ended]);
        if (replica.isOpen) history.add(replica.name, 'runs');
        await ended;
      } catch (error) {
        history.add(replica.name, `could not start: ${error}`);
        replica.life.die();
      }
      if (!this.#isOver) history.add(replica.name, 'is no more');
      await time.pause(this.#random.whole(500, 20_000));
    }
  }

  #onError(replica: Replica, line: string): void {
    const { time, history } = this.#setting;
    this.#witness.errors.push({ at: time.now(), replica: replica.name, line });
    history.add(replica.name, `log: ${line.slice(0, 1500)}`);
  }

  #condemn(): void {
    const replica = this.any();
    if (!replica) return;
    const doom = { writes: this.#random.whole(1, 12), isBefore: this.#random.chance(0.5) };
    const when = `${doom.isBefore ? 'before' : 'after'} its write ${doom.writes}`;
    this.#setting.history.add('fault', `${replica.name} is killed ${when}`);
    replica.life.condemn(doom);
  }

  async #freeze(until: number): Promise<void> {
    const { time, history } = this.#setting;
    const replica = this.any();
    if (!replica) return;
    history.add('fault', `${replica.name} stands still`);
    this.#witness.standstills.push({ replica: replica.name, from: time.now(), until });
    await replica.life.freeze(time.pause(until - time.now()));
    history.add('fault', `${replica.name} goes on`);
  }

  async #stop(): Promise<void> {
    const replica = this.any();
    if (!replica) return;
    this.#setting.history.add('fault', `${replica.name} is told to stop`);
    await replica.stop();
  }
}
