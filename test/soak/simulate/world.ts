import { provisionalMark } from '../../../src/bot/journal/provisional-id.ts';
import { isUnfinished, isUntold } from '../../../src/bot/schema/intents.ts';
import type { BotTables } from '../../../src/bot/schema/tables.ts';
import { Hosts } from './hosts.ts';
import { Pagers } from './pagers.ts';
import type { Acts } from './people/acts.ts';
import { Elsewhere } from './people/elsewhere.ts';
import { Mail } from './people/mail.ts';
import { openSetting, type Setting } from './setting.ts';
import { tellPlan } from './trouble/faults.ts';
import type { WorldOptions } from './variants/variant.ts';
import { Watchdog } from './watchdog.ts';
import { Webhooks } from './webhooks.ts';
import { Promptness } from './witness/promptness.ts';
import { Witness } from './witness/witness.ts';

/** A workplace in virtual time: Slack, the API, replicas of the bot on one database, and whoever sees what happens. */
export interface World extends Setting {
  readonly acts: Acts;
  readonly witness: Witness;
  readonly hosts: Hosts;
  readonly mail: Mail;
  readonly promptness: Promptness;
  readonly elsewhere: Elsewhere;
  readonly watchdog: Watchdog;
  readonly pagers: Pagers;
}

/** Makes the world of a seed; nobody acts yet. */
export async function openWorld(seed: number, options: WorldOptions): Promise<World> {
  const setting = await openSetting(seed, options);
  const witness = new Witness(setting);
  const hosts = new Hosts(setting, witness);
  const mail = new Mail(setting, witness, hosts);
  const elsewhere = new Elsewhere(setting);
  new Webhooks(setting, hosts);
  const pagers = new Pagers(setting, hosts);
  hosts.pager = pagers.answer;
  const watchdog = new Watchdog(setting, hosts);
  tellPlan(setting.plan, setting.history, setting.at);
  hosts.start();
  const promptness = new Promptness(setting, witness, hosts);
  watchdog.start();
  return { ...setting, promptness, elsewhere, watchdog, pagers, acts: witness.acts, witness, hosts, mail };
}

/** How many acts are not done or told, and how many cards show an old state. */
export async function countUnfinished(world: World): Promise<number> {
  const db = world.botDatabase.as<BotTables>();
  const intents = await db
    .selectFrom('bot_intent')
    .select('id')
    .where(({ or }) => or([isUnfinished, isUntold]))
    .execute();
  const deliveries = await db.selectFrom('bot_delivery').select('key').where('state', '=', 'open').execute();
  const cards = await db
    .selectFrom('bot_room')
    .select('incident_id')
    .where('incident_id', 'not like', `${provisionalMark}%`)
    .whereRef('rendered_version', '<', 'version')
    .execute();
  return intents.length + deliveries.length + cards.length;
}
