import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseWrites, partWait, RoundPace, roundWait, type Write } from '../../../../../src/bot/incident/lines/pace.ts';

const minute = 60_000;

/** An incident that is changed and shown, by rounds as the cards make them. Times are in milliseconds. */
class Room {
  now = 0;
  version = 0;
  rendered = 0;
  writes: readonly Write[] = [];
  readonly all: Write[] = [];
  readonly clock = () => new Date(this.now);

  /** Every change has a line and shows on the card. Lines wait in one message. */
  round(isUrgent: boolean): RoundPace {
    const pace = new RoundPace({ paced: this, clock: this.clock, isUrgent, isHurried: false });
    if (isUrgent) {
      pace.wrote('lines', true);
    } else if (pace.isDue('lines')) pace.wrote('lines');
    else pace.leave('lines');
    for (const part of ['card', 'announcement'] as const) {
      if (part === 'announcement' && !isUrgent) continue;
      if (pace.isDue(part)) pace.wrote(part);
      else pace.leave(part);
    }
    if (isUrgent) pace.wrote('news', true);
    this.all.push(...pace.writes.filter(each => !this.writes.includes(each)));
    this.writes = pace.writes;
    if (!pace.isIncomplete) this.rendered = this.version;
    return pace;
  }
}

/** The writes of a room that is changed at these times. */
function writesOf(changes: readonly number[], urgent: readonly number[] = []): readonly Write[] {
  const room = new Room();
  let due = Number.POSITIVE_INFINITY;
  const show = (until: number) => {
    while (due <= until) {
      room.now = due;
      const pace = room.round(false);
      due = pace.isIncomplete ? room.now + pace.leftWait : Number.POSITIVE_INFINITY;
    }
  };
  for (const at of [...changes, ...urgent].toSorted((one, other) => one - other)) {
    show(at);
    room.now = at;
    room.version += 1;
    if (urgent.includes(at)) room.round(true);
    due = Math.min(due, at + Math.max(300, roundWait(room, at, false)));
  }
  show((changes.at(-1) ?? 0) + 2 * minute);
  return room.all;
}

const timesOf = (writes: readonly Write[], part: Write['part']) =>
  writes.filter(each => each.part === part).map(each => each.at);
const mostPerMinute = (writes: readonly Write[]) =>
  Math.max(...writes.map(({ at: from }) => writes.filter(({ at }) => at >= from && at < from + minute).length));

test('a change in a calm room is shown at once, with line and card', () => {
  const writes = writesOf([0, 100_000, 200_000]);
  expect(timesOf(writes, 'lines')).toEqual([300, 100_300, 200_300]);
  expect(timesOf(writes, 'card')).toEqual([300, 100_300, 200_300]);
});

test('a busy room reads lines every twenty seconds, and its card less often', () => {
  const changes = Array.from({ length: 200 }, (_, index) => index * 1500);
  const writes = writesOf(changes);
  expect(mostPerMinute(writes)).toBeLessThanOrEqual(6);
  const gaps = (part: Write['part']) =>
    timesOf(writes, part).flatMap((at, index, all) => (index === 0 ? [] : at - (all[index - 1] ?? 0)));
  expect(Math.max(...gaps('lines'))).toBeLessThanOrEqual(40_000);
  expect(Math.max(...gaps('card'))).toBeLessThanOrEqual(40_000);
});

/** Forty moments of a minute, some close to each other and some not, and two of them that are urgent. */
const busyMinute = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 40, maxLength: 40 }), fc.nat(39), fc.nat(39))
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

test('forty changes in a minute, two of them urgent, are at most twelve writes, whenever they come', () => {
  fc.assert(
    fc.property(busyMinute, ({ others, urgent }) => {
      expect(mostPerMinute(writesOf(others, urgent))).toBeLessThanOrEqual(12);
    }),
  );
});

test('an urgent change shows at once on the card of a busy room, and leaves the rest for later', () => {
  const changes = Array.from({ length: 40 }, (_, index) => index * 1500);
  const writes = writesOf(changes, [25_200]);
  expect(writes.filter(each => each.at === 25_200).map(each => each.part)).toEqual(
    expect.arrayContaining(['lines', 'card', 'news']),
  );
});

test('when much must be noticed within a minute, it is gathered for five seconds', () => {
  const urgent = (at: number): Write => ({ at, part: 'lines', isUrgent: true, version: 1 });
  const writes = [1000, 1000, 1000, 2000, 2000, 2000].map(urgent);
  expect(roundWait({ version: 2, writes: writes.slice(1) }, 2500, true)).toBe(0);
  expect(roundWait({ version: 2, writes }, 2500, true)).toBe(4500);
  expect(roundWait({ version: 2, writes }, 61_000, true)).toBe(0);
});

test('a round that nobody may wait for writes everything', () => {
  const writes = [{ at: 1000, part: 'lines', isUrgent: false, version: 1 }] as const;
  const of = (isHurried: boolean) =>
    new RoundPace({
      paced: { version: 1, rendered: 1, writes },
      clock: () => new Date(1500),
      isUrgent: false,
      isHurried,
    });
  expect(of(false).isDue('lines')).toBe(false);
  expect(of(true).isDue('lines')).toBe(true);
});

test('writes of a clock that ran ahead, and of another shape, are forgotten', () => {
  const writes = [{ at: 3_600_000, part: 'lines', isUrgent: false, version: 1 }] as const;
  expect(partWait('lines', { version: 9, writes }, 1000)).toBe(0);
  expect(parseWrites(JSON.stringify(writes))).toEqual(writes);
  expect(parseWrites('[{"when":1}]')).toEqual([]);
  expect(parseWrites('')).toEqual([]);
});
