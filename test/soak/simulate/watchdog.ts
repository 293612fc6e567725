import type { BotOptions } from '../../../src/bot/options.ts';
import type { Hosts } from './hosts.ts';
import { Random } from './random.ts';
import type { Setting } from './setting.ts';

/** The sources of alerts: one that people decide about, and one whose alerts declare an incident at once. */
const alertSources = { asking: 'watch', declaring: 'pager' } as const;
/** Their token. */
const alertToken = 'a-token-of-a-source-of-alerts';

/** How Muster takes alerts. */
export function toAlertOptions(): NonNullable<BotOptions['alerts']> {
  const usual = { tokens: [alertToken], channel: '', severities: new Map(), labels: [], declares: [] };
  return {
    sources: [
      { ...usual, name: alertSources.asking },
      { ...usual, name: alertSources.declaring, declares: ['critical'] },
    ],
    observe: () => undefined,
  };
}

/** A time in which a group fires, in milliseconds since the epoch. */
interface Spell {
  readonly from: number;
  readonly until: number;
}

/** A group of alerts as it is, whatever Muster hears of it. */
export interface Watched {
  readonly source: string;
  readonly key: string;
  /** Begins with a word that no other group and no act of a person has. */
  readonly title: string;
  readonly spells: readonly Spell[];
  /** When Muster first said that it has stored that it fires, and when its first end was first sent; undefined while not. */
  acknowledgedAt: number | undefined;
  endSentAt: number | undefined;
  /** It never ends, whatever becomes of its incident. */
  readonly burns: boolean;
  /** It begins mildly. */
  readonly rises: boolean;
}

/** A group as its tool tells of it at a moment. */
interface Told {
  readonly group: Watched;
  readonly spell: Spell;
  readonly isOver: boolean;
  readonly firing: number;
  readonly severity: string;
}

/** How long the tool waits for an answer, in milliseconds. */
const answerTime = 10_000;
/** How far the clock of a tool may be off, in milliseconds. */
const clocks = [0, 0, -40_000, 3_600_000, -86_400_000, 400 * 86_400_000];

/**
 * A monitoring tool: groups fire, are told of again and again, grow, end and perhaps fire once more. It sends each notice until Muster has
 * taken it. Some come twice, late or after later ones; some answers are lost. The clock of the tool is off.
 */
export class Watchdog {
  readonly groups: readonly Watched[];
  readonly #setting: Setting;
  readonly #hosts: Hosts;
  readonly #random: Random;
  readonly #clockOff: number;
  #open = 0;

  constructor(setting: Setting, hosts: Hosts) {
    this.#setting = setting;
    this.#hosts = hosts;
    this.#random = new Random(setting.seed, 'alerts');
    this.#clockOff = this.#random.pick(clocks);
    this.groups = setting.plan.areAlertsSent ? this.#draw() : [];
  }

  /** Whether a notice is on its way, or one is to come. */
  get isSending(): boolean {
    return this.#open > 0;
  }

  /** Sends everything. */
  start(): void {
    for (const group of this.groups) for (const spell of group.spells) this.#tellOf(group, spell);
  }

  /** Tells twice more of the groups that burn on; resolves when Muster has taken it. */
  async burnOn(): Promise<void> {
    for (let notice = 0; notice < 2; notice += 1)
      await Promise.all(
        this.groups.flatMap(group => {
          const spell = group.spells.at(-1);
          const told = spell && { group, spell, isOver: false, firing: 1, severity: 'critical' };
          return group.burns && told ? [this.#send(this.#setting.time.now(), told)] : [];
        }),
      );
  }

  #draw(): readonly Watched[] {
    const { began, actingUntil } = this.#setting;
    const random = this.#random;
    const isStorm = random.chance(0.2);
    const count = isStorm ? random.whole(7, 12) : random.whole(1, 4);
    const lives = new Random(this.#setting.seed, 'lives of alerts');
    const areLong = lives.chance(0.5);
    return Array.from({ length: count }, (_, place): Watched => {
      const source = isStorm || random.chance(0.5) ? alertSources.asking : alertSources.declaring;
      const from = random.whole(began, actingUntil);
      const spells = [{ from, until: from + random.whole(1000, 90_000) }];
      const [{ until }] = spells as [Spell];
      const again = until + random.whole(1000, 120_000);
      if (random.chance(0.3)) spells.push({ from: again, until: again + random.whole(1000, 60_000) });
      const title = `g${place} ${random.pick(['disk is full', 'queue grows', 'requests fail'])}`;
      const life = { burns: areLong && lives.chance(0.6), rises: areLong && lives.chance(0.4) };
      return {
        source,
        key: `key of g${place}`,
        title,
        spells,
        acknowledgedAt: undefined,
        endSentAt: undefined,
        ...life,
      };
    });
  }

  /** Sends that a group fires, some times, and that it ended. */
  #tellOf(group: Watched, spell: Spell): void {
    const random = this.#random;
    const severity = group.rises && spell === group.spells[0] ? 'minor' : 'critical';
    const begin = { group, spell, isOver: false, firing: 1, severity };
    this.#sendAt(spell.from, begin);
    const repetitions = random.whole(0, 4);
    for (let count = 0; count < repetitions; count += 1)
      this.#sendAt(random.whole(spell.from, spell.until), {
        ...begin,
        severity: 'critical',
        firing: random.pick([1, 1, 3]),
      });
    if (!group.burns || spell !== group.spells.at(-1)) this.#sendAt(spell.until, { ...begin, isOver: true });
  }

  /** Sends a notice, perhaps late, perhaps twice. */
  #sendAt(moment: number, told: Told): void {
    const random = this.#random;
    const times = random.chance(0.2) ? 2 : 1;
    for (let sent = 0; sent < times; sent += 1)
      void this.#send(moment + random.whole(0, random.pick([50, 50, 3000, 60_000])), told);
  }

  async #send(moment: number, told: Told): Promise<void> {
    const { time, history } = this.#setting;
    const { group, isOver } = told;
    this.#open += 1;
    const name = `${group.title.split(' ', 1)[0]} ${isOver ? 'ended' : `fires, ${told.firing}`}`;
    const letter = {
      headers: { authorization: `Bearer ${alertToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(this.#toBody(told)),
    };
    await time.asNobody(() => time.pause(Math.max(0, moment - time.now())));
    for (;;) {
      if (isOver && told.spell === group.spells[0]) group.endSentAt ??= time.now();
      const replica = this.#hosts.any();
      const late = time.asNobody(() => time.pause(answerTime)).then(() => 0);
      const status = replica ? await Promise.race([replica.alert(group.source, letter), late]) : 0;
      const isLost = this.#random.chance(0.1);
      history.add('watchdog', `${name}: ${isLost ? `${status}, which is lost` : status}`);
      if (status === 200 && !isOver) group.acknowledgedAt ??= time.now();
      if (status === 200 && !isLost) break;
      await time.asNobody(() => time.pause(this.#random.whole(500, 15_000)));
    }
    this.#open -= 1;
  }

  /** The body of a notice, as Alertmanager sends it. */
  #toBody({ group, spell, isOver, firing, severity }: Told): object {
    const at = (moment: number) => new Date(moment + this.#clockOff).toISOString();
    const labels = { alertname: group.title, severity };
    const alerts = Array.from({ length: firing }, (_, place) => ({
      status: isOver ? 'resolved' : 'firing',
      labels: { ...labels, instance: `host ${place}` },
      annotations: {},
      startsAt: at(spell.from),
      endsAt: isOver ? at(spell.until) : '0001-01-01T00:00:00Z',
      fingerprint: `${group.key} ${place}`,
    }));
    return {
      ...{ version: '4', groupKey: group.key, truncatedAlerts: 0, status: isOver ? 'resolved' : 'firing' },
      ...{ groupLabels: { alertname: group.title }, commonLabels: labels, commonAnnotations: {}, alerts },
    };
  }
}
