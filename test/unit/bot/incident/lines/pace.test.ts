import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWrites, RoundPace, roundWait, type Write } from '../../../../../src/bot/incident/lines/pace.ts';

const minute = 60_000;

/** A room that is changed and shown, by rounds as the cards make them. Times are in milliseconds. */
class Room {
  now = 0;
  writes: readonly Write[] = [];
  changes: readonly number[] = [];
  isAny = false;
  isUrgent = false;
  readonly all: Write[] = [];
  /** How late each line stood. */
  readonly delays: number[] = [];
  #unsaid: number[] = [];

  change(isUrgent: boolean): void {
    this.changes = [this.now, ...this.changes].slice(0, 16);
    this.isUrgent ||= isUrgent;
    this.isAny = true;
    this.#unsaid.push(this.now);
  }

  /** Every change has a line and shows on the card; one that must be noticed is told to outsiders too. */
  round(): RoundPace {
    const { isUrgent } = this;
    const pace = new RoundPace({ paced: { ...this }, clock: () => new Date(this.now), isHurried: false });
    if (isUrgent || pace.isDue('lines')) this.#say(pace);
    if (pace.isDue('card')) pace.wrote('card');
    else pace.leave('card');
    this.all.push(...pace.writes.filter(each => !this.writes.includes(each)));
    this.writes = pace.writes;
    return pace;
  }

  #say(pace: RoundPace): void {
    if (this.#unsaid.length === 0) return;
    pace.wrote('lines', this.isUrgent);
    if (this.isUrgent) pace.wrote('lines', true);
    this.delays.push(...this.#unsaid.map(at => this.now - at));
    this.#unsaid = [];
    Object.assign(this, { isAny: false, isUrgent: false });
  }
}

/** A room that is changed at these times, until two minutes after. */
function live(changes: readonly number[], urgent: readonly number[] = []): Room {
  const room = new Room();
  let due = Number.POSITIVE_INFINITY;
  const show = (until: number) => {
    while (due <= until) {
      room.now = due;
      const pace = room.round();
      due = pace.isIncomplete ? room.now + Math.max(300, pace.leftWait) : Number.POSITIVE_INFINITY;
    }
  };
  for (const at of [...changes, ...urgent].toSorted((one, other) => one - other)) {
    show(at);
    room.now = at;
    room.change(urgent.includes(at));
    due = Math.min(due, at + Math.max(300, roundWait(room, at)));
  }
  show((changes.at(-1) ?? 0) + 2 * minute);
  return room;
}

const every = (gap: number, times: number) => Array.from({ length: times }, (_, index) => index * gap);
const timesOf = ({ all }: Room, part: Write['part']) => all.filter(each => each.part === part).map(each => each.at);
const mostPerMinute = ({ all }: Room) =>
  Math.max(...all.map(({ at: from }) => all.filter(({ at }) => at >= from && at < from + minute).length));

test('a change in a calm room is shown at once, with line and card', () => {
  const room = live([0, 100_000, 200_000]);
  expect(timesOf(room, 'lines')).toEqual([300, 100_300, 200_300]);
  expect(timesOf(room, 'card')).toEqual([300, 100_300, 200_300]);
});

test('at one change every five seconds, each line stands at once, and the card gives way', () => {
  const room = live(every(5000, 120));
  expect(Math.max(...room.delays)).toBeLessThanOrEqual(300);
  const cards = timesOf(room, 'card');
  const gaps = cards.slice(3).map((at, index) => at - (cards[index + 2] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30_000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(35_000);
});

test('a busy room reads lines every twenty seconds, and its card every thirty', () => {
  const room = live(every(1500, 200));
  expect(mostPerMinute(room)).toBeLessThanOrEqual(6);
  const gaps = (part: Write['part']) =>
    timesOf(room, part).flatMap((at, index, all) => (index === 0 ? [] : at - (all[index - 1] ?? 0)));
  expect(Math.max(...gaps('lines'))).toBeLessThanOrEqual(22_000);
  expect(Math.max(...gaps('card'))).toBeLessThanOrEqual(32_000);
});

/** Forty moments of a minute, some of them up to `closer` times as close to each other as others, and two of them that are urgent. */
const busyMinute = (closer: number) =>
  fc
    .tuple(fc.array(fc.integer({ min: 1, max: closer }), { minLength: 40, maxLength: 40 }), fc.nat(39), fc.nat(39))
    .filter(([, raise, update]) => raise !== update)
    .map(([rests, raise, update]) => {
      const whole = rests.reduce((sum, rest) => sum + rest, 0);
      const until = (index: number) => rests.slice(0, index + 1).reduce((sum, rest) => sum + rest, 0);
      const moments = rests.map((_rest, index) => Math.round((until(index) / whole) * minute) - 1);
      const isUrgent = (index: number) => index === raise || index === update;
      return {
        urgent: moments.filter((_moment, index) => isUrgent(index)),
        others: moments.filter((_moment, index) => !isUrgent(index)),
      };
    });

/** Fifteen lines before a minute is crowded, three cards of a busy room, and two lines and a card of each urgent change. */
const mostWrites = 15 + 3 + 2 * 3;

test.each([
  { how: 'at even times', closer: 2, most: 12 },
  { how: 'at any times', closer: 8, most: mostWrites },
])('forty changes in a minute $how, two of them urgent, are at most $most writes', ({ closer, most }) => {
  fc.assert(
    fc.property(busyMinute(closer), ({ others, urgent }) => {
      expect(mostPerMinute(live(others, urgent))).toBeLessThanOrEqual(most);
    }),
  );
});

test('an urgent change shows at once, with line and card, in a busy room', () => {
  const room = live(every(1500, 40), [25_200]);
  const shown = room.all.filter(each => each.at > 25_200 && each.at <= 25_500);
  expect(shown.map(each => each.part)).toEqual(['lines', 'lines', 'card']);
});

test('when much must be noticed within a minute, it is gathered for five seconds', () => {
  const urgent = (at: number): Write => ({ at, part: 'lines', isUrgent: true });
  const writes = [1000, 1000, 1000, 2000, 2000, 2000].map(urgent);
  const waiting = { changes: [], isAny: true, isUrgent: true };
  expect(roundWait({ ...waiting, writes: writes.slice(1) }, 2500)).toBe(0);
  expect(roundWait({ ...waiting, writes }, 2500)).toBe(4500);
  expect(roundWait({ ...waiting, writes }, 61_000)).toBe(0);
});

test('a round that nobody may wait for writes everything', () => {
  const writes = [{ at: 1000, part: 'lines', isUrgent: false }] as const;
  const paced = { changes: [], isAny: true, isUrgent: false, writes };
  const of = (isHurried: boolean) => new RoundPace({ paced, clock: () => new Date(1500), isHurried });
  expect(of(false).isDue('lines')).toBe(false);
  expect(of(true).isDue('lines')).toBe(true);
});

test('writes of a clock that ran ahead, and of another shape, are forgotten', () => {
  const writes = [{ at: 3_600_000, part: 'lines', isUrgent: false }] as const;
  expect(roundWait({ changes: [], isAny: true, isUrgent: false, writes }, 1000)).toBe(0);
  expect(parseWrites(JSON.stringify(writes))).toEqual(writes);
  expect(parseWrites('[{"when":1}]')).toEqual([]);
  expect(parseWrites('')).toEqual([]);
});
