import { features } from '../../../../src/bot/features.ts';
import { isUnfinished, isUntold } from '../../../../src/bot/schema/intents.ts';
import type { BotTables } from '../../../../src/bot/schema/tables.ts';
import { leaseTime } from '../../../../src/db/leases.ts';
import { deadlines } from '../../../../src/deadlines.ts';
import type { Hosts } from '../hosts.ts';
import type { Setting } from '../setting.ts';
import type { Witness } from './witness.ts';

/** How long after all trouble everything asked for before may take, in milliseconds: one lease and five seconds. */
const prompt = leaseTime + 5000;
/** How long after such a request can take effect no more it may be looked for, made again and told, in milliseconds: the longest pause between two looks. */
const landed = 5000;
/** How often it looks whether all trouble is over, in milliseconds. */
const pollEvery = 500;
/** The kinds that are not sent again while an earlier request may still take effect. */
const awaited = new Set(
  features.flatMap(each => each.intents ?? []).flatMap(each => (each.reconcile ? [each.kind] : [])),
);

/** Something that is not done, or not told. */
interface Open {
  /** An intent's id, or a delivery's key. What comes of it has a key that begins with this. */
  readonly name: string;
  readonly key: string;
  readonly words: string;
  /** Its lane waits for a request that may still take effect. */
  readonly isLanding: boolean;
}

/**
 * Looks whether everything that was stored when all trouble was over is done and told within one lease and five seconds,
 * whatever was killed, stopped or frozen before; what waits for a request to take effect a minute and a look later. Trouble is over when nothing goes wrong any more, every pause that Slack or the
 * API asked for has passed, and a replica takes requests.
 */
export class Promptness {
  readonly complaints: string[] = [];
  readonly #setting: Setting;
  readonly #witness: Witness;
  readonly #hosts: Hosts;

  constructor(setting: Setting, witness: Witness, hosts: Hosts) {
    this.#setting = setting;
    this.#witness = witness;
    this.#hosts = hosts;
    setting.at(setting.calm, () => void this.#watch());
  }

  async #watch(): Promise<void> {
    const { time, history } = this.#setting;
    while (!this.#hosts.any() || time.now() < this.#witness.askedPauseUntil) await time.pause(pollEvery);
    const before = await this.#findOpen();
    history.add('world', `is well, and ${before.length} things are to be done or told`);
    await time.pause(prompt);
    const isOfBefore = ({ name, key }: Open) =>
      before.some(each => name === each.name || key.startsWith(`${each.name}/`));
    const late = (await this.#findOpen()).filter(isOfBefore);
    if (late.some(each => each.isLanding)) await time.pause(deadlines.landing + landed);
    const still = new Set((await this.#findOpen()).map(each => each.name));
    const held = late.filter(({ name, isLanding }) => !isLanding || still.has(name));
    this.complaints.push(...held.map(({ words }) => `${words} ${prompt / 1000} s after all trouble`));
  }

  #findOpen(): Promise<readonly Open[]> {
    const { botDatabase, databaseQueue } = this.#setting;
    const db = botDatabase.as<BotTables>();
    return databaseQueue.run(async () => {
      const intents = await db
        .selectFrom('bot_intent')
        .selectAll()
        .where(({ or }) => or([isUnfinished, isUntold]))
        .execute();
      const deliveries = await db.selectFrom('bot_delivery').selectAll().where('state', '=', 'open').execute();
      const landing = intents.filter(row => row.ambiguous === 1 && awaited.has(row.kind)).map(row => row.lane);
      return [
        ...intents.map(row => ({
          isLanding: landing.includes(row.lane),
          name: row.id,
          key: row.key,
          words: `intent ${row.kind} ${row.id} is ${row.state} after ${row.attempts} attempts, to be told: ${row.tell},`,
        })),
        ...deliveries.map(row => ({
          isLanding: false,
          name: row.key,
          key: row.key,
          words: `delivery ${row.key} is open after ${row.attempts} attempts`,
        })),
      ];
    });
  }
}
