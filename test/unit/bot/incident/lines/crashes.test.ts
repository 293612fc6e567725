import { expect, test } from 'vitest';
import { CardLeases } from '../../../../../src/bot/incident/board/leases.ts';
import { addLine, closeLine, markLines, rewordLine } from '../../../../../src/bot/incident/lines/outbox.ts';
import { RoundPace } from '../../../../../src/bot/incident/lines/pace.ts';
import { sayLines } from '../../../../../src/bot/incident/lines/sender.ts';
import { openLines } from '../../../../../src/bot/incident/lines/store.ts';
import { lineText } from '../../../../../src/bot/incident/lines/words.ts';
import { countChange, createRooms } from '../../../../../src/bot/incident/state/room-store.ts';
import { laneLock } from '../../../../../src/bot/journal/rows.ts';
import type { BotTables } from '../../../../../src/bot/schema/tables.ts';
import type { NoTables } from '../../../../../src/db/engine.ts';
import { Known } from '../../../../../src/db/known.ts';
import { leaseTime } from '../../../../../src/db/leases.ts';
import { Random } from '../../../../soak/simulate/random.ts';
import { openBotDatabase } from '../../../../support/fresh-database.ts';
import { roomSeven } from '../../../../support/room-seven.ts';

const began = Date.parse('2026-03-02T14:00:00Z');
const room = { ...roomSeven, announcementChannelId: 'C2', announcementTs: '1.3' };

/** A process died. */
class Killed extends Error {}

interface Posted {
  readonly channel: string;
  readonly ts: string;
  text: string;
  readonly metadata: unknown;
}

/** Incident 7 in a workplace of chance: its lines, what Slack shows of it, and a process that may die at each write. */
class Workplace {
  readonly #random: Random;
  readonly #database: Awaited<ReturnType<typeof openBotDatabase>>;
  readonly posted: Posted[] = [];
  #now = began;
  #lines = 0;
  #owners = 0;
  #leases: CardLeases | undefined;
  /** Writes to Slack until the process dies; 0: it lives. */
  #writesLeft = 0;
  /** Happens before Slack takes the next write. */
  meanwhile: (() => Promise<void>) | undefined;
  readonly told: string[] = [];
  /** People act during a round too. */
  isRestless = true;

  constructor(random: Random, database: Awaited<ReturnType<typeof openBotDatabase>>) {
    this.#random = random;
    this.#database = database;
  }

  get #clock() {
    return () => new Date(this.#now);
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
  }

  async #locked(work: (trx: Parameters<typeof addLine>[0]) => Promise<void>): Promise<void> {
    await this.#database.withLock<NoTables, void>(laneLock(['7']), async trx => {
      await work(trx);
      await countChange(trx, '7');
    });
  }

  /** Somebody of the room does something that it reads in a line. */
  async add(id: string, more: Partial<Parameters<typeof addLine>[1]> = {}): Promise<void> {
    const at = { askedAt: this.#clock(), doneAt: this.#clock(), words: `<${id}> v0`, isOwnMessage: false };
    await this.#locked(trx => addLine(trx, { id, incidentID: '7', actor: 'T1/U1', act: id, ...at, ...more }));
  }

  /** Something that people or Muster do about the incident. */
  async change(): Promise<void> {
    const random = this.#random;
    const any = await this.rows();
    const one = any.length > 0 ? random.pick(any) : undefined;
    const way = random.pick(['add', 'add', 'add', 'add', 'close', 'mark', 'reword', 'talk'] as const);
    this.told.push(`${way} ${one?.id}`);
    if (way === 'talk') this.#post({ channel: 'C1', text: 'somebody talks', metadata: undefined });
    else if (way === 'add' || !one) {
      this.#lines += 1;
      const forThread = { place: 'announcement', audience: 'readers', isOwnMessage: true } as const;
      const inRoom = { actor: random.pick(['T1/U1', 'T1/U2']), isOwnMessage: random.chance(0.4) };
      await this.add(`line${this.#lines}`, random.chance(0.3) ? forThread : inRoom);
    } else {
      const words = `<${one.id}> v${this.posted.length}.${random.whole(1, 99)}`;
      await this.#locked(async trx => {
        if (way === 'close' && one.place === 'room' && one.is_alone === 1) await closeLine(trx, one.id, words, '');
        else if (way === 'mark') await markLines(trx, one.act, 'somebody', random.chance(0.5));
        else await rewordLine(trx, one.id, words);
      });
    }
  }

  rows() {
    return this.#database.as<BotTables>().selectFrom('bot_line').selectAll().orderBy('seq').execute();
  }

  #post(message: Omit<Posted, 'ts'>): string {
    const ts = `${Math.floor(this.#now / 1000)}.${String(this.posted.length + 1).padStart(6, '0')}`;
    this.posted.push({ ...message, ts });
    return ts;
  }

  /** A write to Slack: the process may die before or after it, and others act meanwhile. */
  async #write<T>(name: string, work: () => T): Promise<T> {
    const isLast = this.#writesLeft > 0 && --this.#writesLeft === 0;
    const isBefore = this.#random.chance(0.3);
    if (isLast && isBefore) throw new Killed();
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    const done = work();
    this.told.push(name);
    if (this.isRestless && this.#random.chance(0.3)) await this.change();
    if (isLast) throw new Killed();
    this.pass(this.#random.whole(100, 2000));
    return done;
  }

  #deps(lines: Parameters<typeof sayLines>[0]['lines']): Parameters<typeof sayLines>[0] {
    const read = ({ channel }: { channel: string }) => ({
      messages: this.posted.filter(each => each.channel === channel).toReversed(),
    });
    const conversations = {
      history: async (args: { channel: string }) => read(args),
      replies: async (args: { channel: string }) => read(args),
    };
    return {
      slack: {
        quick: { conversations },
        web: {
          conversations,
          chat: {
            update: ({ ts, text }: { ts: string; text: string }) =>
              this.#write(`edit ${ts} ${text}`, () => {
                const message = this.posted.find(each => each.ts === ts);
                if (message) message.text = text;
              }),
          },
        },
        once: {
          chat: {
            postMessage: ({ channel, text, metadata }: Posted) =>
              this.#write(`post ${text}`, () => ({ ok: true, ts: this.#post({ channel, text, metadata }) })),
          },
        },
      },
      people: { find: async () => undefined },
      visibility: { share: async () => 'all' },
      refusals: {
        attempt: async (_call: unknown, write: () => Promise<void>) => {
          await write();
          return 'taken';
        },
      },
      lines,
      settings: { linesPerHour: 4 },
      isRoomBeingMade: async () => false,
      rooms: createRooms(this.#database, this.#clock),
      joinOf: () => [],
    } as unknown as Parameters<typeof sayLines>[0];
  }

  /** Says the lines in a round of one process; returns what ends it. */
  async say(leases: CardLeases, isHurried: boolean): Promise<() => Promise<unknown>> {
    const row = await this.#database.as<BotTables>().selectFrom('bot_room').selectAll().executeTakeFirstOrThrow();
    const leased = await leases.take(row);
    if (!leased) throw new Error('another process has the card');
    const lines = openLines(this.#database, this.#clock).round('7', new Known(this.#database));
    this.told.push(`round, ${leased.isSure ? 'sure' : 'unsure'}`);
    if (!leased.isSure) await lines.recover();
    const paced = { ...(await lines.waiting(true)), writes: leased.writes };
    const pace = new RoundPace({ paced, clock: this.#clock, isHurried });
    for (const places of [['room'], ['room', 'announcement', 'origin']] as const) {
      await sayLines(this.#deps(lines), room, pace, places);
      if (this.isRestless && this.#random.chance(0.3)) await this.change();
    }
    const end = { shown: {}, writes: pace.writes, lines };
    return () => (pace.isIncomplete ? leases.leave(leased, { ...end, isBehind: true }) : leases.shown(leased, end));
  }

  /** Lines that do not stand in Slack once and as they are; those without a message may not be there. */
  async wrong() {
    const shown = this.posted.flatMap(each => each.text.split('\n'));
    return (await this.rows()).flatMap(row => {
      const standing = shown.filter(each => each.includes(`<${row.id}>`));
      const isRight = standing.length === (row.ts === '' ? 0 : 1);
      const words = lineText(row);
      return isRight && standing.every(each => each.endsWith(words)) ? [] : [{ id: row.id, words, standing }];
    });
  }

  /** One round of the board, in which the process may die, or may not be able to store the end. */
  async round({ isMortal, isHurried }: { readonly isMortal: boolean; readonly isHurried: boolean }): Promise<void> {
    const random = this.#random;
    this.#writesLeft = isMortal && random.chance(0.5) ? random.whole(1, 4) : 0;
    const fate = isMortal ? random.pick(['ends', 'ends', 'dies at the end', 'cannot store its end'] as const) : 'ends';
    try {
      const owner = `owner${this.#owners}`;
      this.#leases ??= await CardLeases.open({ database: this.#database, owner, isSoleProcess: true });
      const end = await this.say(this.#leases, isHurried);
      if (fate === 'dies at the end') throw new Killed();
      if (fate !== 'cannot store its end') await end();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.told.push('dies');
      this.#owners += 1;
      this.#leases = undefined;
    } finally {
      this.#writesLeft = 0;
    }
  }
}

test('each line stands in Slack once, as it is now, whenever a process that is alone dies', async () => {
  for (let seed = 1; seed <= Number(process.env.SEEDS ?? 60); seed += 1) {
    const random = new Random(seed, 'crashes');
    const database = await openBotDatabase(new Date(began));
    await createRooms(database, () => new Date(began)).keep(room);
    const workplace = new Workplace(random, database);
    for (let step = random.whole(2, 12); step > 0; step -= 1) {
      for (let changes = random.pick([0, 1, 1, 1, 2, 3]); changes > 0; changes -= 1) await workplace.change();
      workplace.pass(random.pick([1000, 5000, 30_000, 90_000]));
      await workplace.round({ isMortal: true, isHurried: random.chance(0.5) });
    }
    for (let round = 0; round < 6 || (await workplace.rows()).some(each => each.is_said === 0); round += 1)
      await workplace.round({ isMortal: false, isHurried: true });
    expect(await workplace.wrong(), `seed ${seed}\n${workplace.told.join('\n')}`).toEqual([]);
  }
});

test('what a process says that has lost its turn does not hide what another one said', async () => {
  const database = await openBotDatabase(new Date(began));
  await createRooms(database, () => new Date(began)).keep(room);
  const workplace = new Workplace(new Random(1), database);
  workplace.isRestless = false;
  let time = 0;
  const open = (owner: string) => CardLeases.open({ database, owner, isSoleProcess: false, monotonicNow: () => time });
  const [anne, bert] = [await open('anne'), await open('bert')];
  const round = async (leases: CardLeases) => (await workplace.say(leases, true))();
  await workplace.add('first');
  await round(anne);
  await workplace.add('second');
  workplace.meanwhile = async () => {
    for (let beats = 0; beats < 5; beats += 1) {
      await bert.outdated();
      time += leaseTime / 4;
    }
    await bert.outdated();
    await round(bert);
  };
  await round(anne);
  expect(workplace.told.slice(-2), 'Slack takes last what anne had joined').toEqual([
    expect.stringContaining('edit'),
    expect.stringMatching(/^edit .*<first> v0\n<second> v0$/),
  ]);
  for (let rounds = 0; rounds < 3; rounds += 1) await round(bert);
  expect(await workplace.wrong(), workplace.told.join('\n')).toEqual([]);
});

test('messages that may be in Slack already are said in the order of their changes, whenever each was begun', async () => {
  const database = await openBotDatabase(new Date(began));
  await createRooms(database, () => new Date(began)).keep(room);
  const at = { askedAt: new Date(began), doneAt: new Date(began) };
  for (const [index, id] of ['note', 'role'].entries()) {
    const line = { ...at, id, incidentID: '7', actor: `T1/U${index}`, act: id, words: `<${id}>`, isOwnMessage: true };
    await database.withLock<NoTables, void>(laneLock(['7']), trx => addLine(trx, line));
    // The first message was begun again after the second one: its process died before it had stored that it began it.
    const begun = { message: id, ts: '?', begun_at: began + (index === 0 ? 60_000 : 1000) };
    await database.as<BotTables>().updateTable('bot_line').set(begun).where('id', '=', id).execute();
  }
  const lines = openLines(database, () => new Date(began + 90_000)).round('7', new Known(database));
  const due = await lines.due({ places: ['room'], which: 'all', perHour: 20 });
  expect(due.map(each => each.id)).toEqual(['note', 'role']);
});
