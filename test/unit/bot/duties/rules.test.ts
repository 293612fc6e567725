import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changesOf,
  type DutyFacts,
  decide,
  quietUntil,
  type RequiredDuty,
  requiredDuties,
  stepAt,
} from '../../../../src/bot/duties/rules.ts';
import type { Settings } from '../../../../src/bot/incident/state/settings.ts';
import { dutyKinds } from '../../../../src/bot/schema/duties.ts';

type Before = Parameters<typeof requiredDuties>[1];
type Standing = Parameters<typeof decide>[0];

const minute = 60_000;
const hour = 60 * minute;
const noon = Date.parse('2026-11-20T12:00:00Z');
const terms = {
  quietHours: { from: 22 * 60, to: 7 * 60 },
  newsAfter: { gravest: 30, below: 60 },
  taskAfter: 4,
} as Settings;
const calm: DutyFacts = {
  ...{ now: noon, isActive: true, isMistake: false, severity: 'below', mode: 'on', hasRoom: true, endedAt: 0 },
  ...{ leader: 'UBOB', isLeaderless: false, promise: undefined, calls: [], actedAt: noon, tasks: [] },
};
const before: Before = { leaderlessSince: undefined, talkedAt: 0, kinds: new Set() };
const promise = { about: 'note-1', by: 'UALICE', since: noon, due: noon + 30 * minute };

/** What is owed in few words: kind, whom, and the minutes from noon at which they are reminded. */
function plan(facts: Partial<DutyFacts>, known: Partial<Before> = {}, changed: Partial<Settings> = {}): string[] {
  const owed = requiredDuties({ ...calm, ...facts }, { ...before, ...known }, { ...terms, ...changed });
  return owed.map(each => {
    const times = [0, 1, 2].flatMap(step => stepAt(each, step) ?? []).map(at => (at - noon) / minute);
    return `${each.kind} ${each.user_id || 'room'} ${times.join(' ')}`;
  });
}

test.each<[what: string, got: () => string[], wanted: string[]]>([
  ['silence below the gravest', () => plan({}), ['news UBOB 60']],
  ['silence in the gravest', () => plan({ severity: 'gravest' }), ['news UBOB 30']],
  ['the mildest has no news', () => plan({ severity: 'mildest' }), []],
  ['talk begins the silence anew', () => plan({}, { talkedAt: noon + 10 * minute }), ['news UBOB 70']],
  [
    'a call without an answer',
    () => plan({ calls: [{ id: 'c', userId: 'UEVE', since: noon, due: noon + 5 * minute }], severity: 'mildest' }),
    ['call UEVE 5'],
  ],
  ['no news where a setting says so', () => plan({}, {}, { newsAfter: undefined }), []],
  ['nobody leads', () => plan({ leader: '', isLeaderless: true }), ['lead room 10 20']],
  ['nobody leads the gravest', () => plan({ leader: '', isLeaderless: true, severity: 'gravest' }), ['lead room 3 6']],
  [
    'nobody has led for a while',
    () => plan({ leader: '', isLeaderless: true }, { leaderlessSince: noon - 4 * minute }),
    ['lead room 6 16'],
  ],
  ['a promise silences the news', () => plan({ promise }), ['update UALICE 25', 'update room 30 45']],
  [
    'a short promise',
    () => plan({ promise: { ...promise, due: noon + 4 * minute } }),
    ['update UALICE 2', 'update room 4 6'],
  ],
  [
    'nobody knows who promised',
    () => plan({ promise: { ...promise, by: '' } }),
    ['update UBOB 25', 'update room 30 45'],
  ],
  [
    'nobody knows who promised, and nobody leads',
    () => plan({ promise: { ...promise, by: '' }, leader: '' }),
    ['update room 30 45'],
  ],
  [
    'a promise that is a day old to the moment',
    () => plan({ promise, now: promise.due + 24 * hour, severity: 'mildest' }),
    ['update UALICE 25', 'update room 30 45'],
  ],
  [
    'a promise that is older than a day',
    () => plan({ promise, now: promise.due + 24 * hour + 1, severity: 'mildest' }),
    [],
  ],
  ['a promise of last week', () => plan({ promise, now: noon + 200 * hour, severity: 'mildest' }), []],
  [
    'a promise of last week of which somebody was reminded',
    () => plan({ promise, now: noon + 200 * hour }, { kinds: new Set(['update']) }),
    ['update UALICE 25', 'update room 30 45'],
  ],
  [
    'a task',
    () => plan({ tasks: [{ taskID: 't1', userId: 'UEVE', movedAt: noon }], severity: 'mildest' }),
    ['task UEVE 240 1680 3120'],
  ],
  [
    'tasks of no setting',
    () => plan({ tasks: [{ taskID: 't1', userId: 'UEVE', movedAt: noon }], severity: 'mildest' }, {}, { taskAfter: 0 }),
    [],
  ],
  ['the end', () => plan({ isActive: false, endedAt: noon, promise }), ['review UBOB 1440']],
  ['an end that nobody led', () => plan({ isActive: false, endedAt: noon, leader: '' }), []],
  ['an end of last week', () => plan({ isActive: false, endedAt: noon - 200 * hour }), []],
  [
    'an end that is a day past its look back, to the moment',
    () => plan({ isActive: false, endedAt: noon - 48 * hour }),
    ['review UBOB -1440'],
  ],
  ['an end beyond that', () => plan({ isActive: false, endedAt: noon - 48 * hour - 1 }), []],
  ['a mistake', () => plan({ isActive: false, endedAt: noon, isMistake: true }), []],
  ['owner', () => plan({ promise, mode: 'owner', isLeaderless: true }), ['update UALICE 25']],
  ['no room', () => plan({ promise, hasRoom: false, isLeaderless: true }), ['update UALICE 25']],
])('%s', (_what, got, wanted) => {
  expect(got()).toEqual(wanted);
});

const moments = fc.integer({ min: 0, max: 72 * 60 }).map(minutes => noon + minutes * minute);

const duty: fc.Arbitrary<Standing> = fc
  .record({
    kind: fc.constantFrom(...dutyKinds),
    audience: fc.constantFrom('owner' as const, 'room' as const),
    since: moments,
    length: fc.integer({ min: 1, max: 300 }),
  })
  .map(({ kind, audience, since, length }) => ({
    ...{ kind, about: '', audience, user_id: audience === 'owner' ? 'UBOB' : '', since, due: since + length * minute },
    ...{ step: 0, said: 0, snoozed_until: 0, state: 'owed' as const },
  }));

/** Looks at a duty: after so many minutes, which may snooze it, end it, or be in a full room or quiet hours. */
const looks = fc.array(
  fc.record({
    after: fc.integer({ min: 1, max: 200 }),
    act: fc.constantFrom('none', 'none', 'none', 'snooze', 'stop', 'settle'),
    isFull: fc.boolean(),
    isQuiet: fc.boolean(),
  }),
  { maxLength: 30 },
);

test('each step is said once, in time, to somebody who may be told, and never after it was done or stopped', () => {
  fc.assert(
    fc.property(duty, looks, (begun, acts) => {
      let now = begun.since;
      let row = begun;
      let snoozes = 0;
      let said = 0;
      for (const { after, act, isFull, isQuiet } of acts) {
        now += after * minute;
        if (act === 'snooze' && row.state === 'owed') {
          row = { ...row, snoozed_until: now + 15 * minute };
          snoozes += 1;
        }
        if (act === 'stop') row = { ...row, state: 'stopped' };
        if (act === 'settle') row = { ...row, state: 'settled' };
        const quiet = isQuiet ? now + 30 * minute : undefined;
        const { says, step, lookAt } = decide(row, { now, quietUntil: quiet, isFull });
        if (!says) {
          expect(lookAt === 0 || lookAt > now).toBe(true);
          expect(step).toBe(row.step);
          continue;
        }
        said += 1;
        expect(row.state).toBe('owed');
        expect(row.audience === 'owner' && isQuiet).toBe(false);
        expect(row.audience === 'room' && isFull).toBe(false);
        expect(row.snoozed_until || (stepAt(row, row.step) ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(now);
        expect(row.snoozed_until > 0 || step > row.step).toBe(true);
        expect(lookAt === 0 || lookAt > now).toBe(true);
        row = { ...row, step, said: row.said + 1, snoozed_until: 0 };
      }
      const steps = Array.from({ length: 100 }, (_, at) => stepAt(begun, at)).filter(
        at => at !== undefined && at <= now,
      );
      expect(said).toBeLessThanOrEqual(steps.length + snoozes);
    }),
    { numRuns: 500 },
  );
});

test('the times of a duty come one after the other, and the first is not before it began', () => {
  fc.assert(
    fc.property(duty, each => {
      const times = [0, 1, 2, 3].map(step => stepAt(each, step));
      const known = times.filter(at => at !== undefined);
      expect(known[0]).toBeGreaterThanOrEqual(each.since);
      for (const [index, at] of known.entries()) if (index > 0) expect(at).toBeGreaterThan(known[index - 1] ?? 0);
      expect(!times.includes(undefined) || known.length === times.indexOf(undefined)).toBe(true);
    }),
  );
});

const zones = [
  'UTC',
  '',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
];

test('quiet hours end at their end, by the clock of each person, also when clocks change', () => {
  const clockOf = (at: number, zone: string) =>
    new Date(at).toLocaleTimeString('en-GB', { timeZone: zone || 'UTC', hour: '2-digit', minute: '2-digit' });
  const inMinutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));
  const isQuiet = (at: number, zone: string, from: number, to: number) => {
    const clock = inMinutes(clockOf(at, zone));
    return from < to ? clock >= from && clock < to : clock >= from || clock < to;
  };
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      // Days around the changes of clocks in Europe, America and Australia.
      fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2026-06-15'),
      fc.integer({ min: -24 * 60, max: 48 * 60 }),
      fc.integer({ min: 0, max: 1439 }),
      fc.integer({ min: 1, max: 1439 }),
      (zone, day, minutes, from, length) => {
        const to = (from + length) % 1440;
        const now = Date.parse(`${day}T00:00:00Z`) + minutes * minute + 17_000;
        const until = quietUntil(now, zone, { from, to });
        expect(until !== undefined).toBe(isQuiet(now, zone, from, to));
        if (until === undefined) return;
        expect(until).toBeGreaterThan(now);
        // All that is not quiet may lie in the hour that clocks skip: then the next day ends it.
        expect(until - now).toBeLessThanOrEqual(50 * hour);
        expect(isQuiet(until, zone, from, to)).toBe(false);
        expect(isQuiet(until - 1, zone, from, to)).toBe(true);
      },
    ),
    { numRuns: 300, examples: [['America/New_York', '2026-03-08', 0, 130, 1430]] },
  );
  expect(quietUntil(noon, 'UTC', undefined)).toBeUndefined();
});

test.each([
  ['2026-11-20T23:30:00Z', 'Europe/London', '2026-11-21T07:00:00.000Z'],
  ['2026-11-20T23:30:00Z', 'America/New_York', 'none'],
  ['2026-11-21T04:30:00Z', 'America/New_York', '2026-11-21T12:00:00.000Z'],
  ['2026-11-20T23:30:00Z', 'Asia/Kolkata', '2026-11-21T01:30:00.000Z'],
  // The night in which clocks are set forward, and the one in which they are set back.
  ['2026-03-28T22:30:00Z', 'Europe/Berlin', '2026-03-29T05:00:00.000Z'],
  ['2026-10-24T22:30:00Z', 'Europe/Berlin', '2026-10-25T06:00:00.000Z'],
  ['2026-03-08T04:00:00Z', 'America/New_York', '2026-03-08T11:00:00.000Z'],
  ['2026-11-20T21:59:59Z', 'UTC', 'none'],
  ['2026-11-20T22:00:00Z', 'UTC', '2026-11-21T07:00:00.000Z'],
  ['2026-11-21T07:00:00Z', 'UTC', 'none'],
])('at %s in %s it is quiet until %s', (now, zone, wanted) => {
  const until = quietUntil(Date.parse(now), zone, terms.quietHours);
  expect(until === undefined ? 'none' : new Date(until).toISOString()).toBe(wanted);
});

const facts: fc.Arbitrary<DutyFacts> = fc.record({
  now: moments,
  isActive: fc.boolean(),
  isMistake: fc.boolean(),
  severity: fc.constantFrom('gravest', 'below', 'mildest'),
  mode: fc.constantFrom('on', 'owner'),
  hasRoom: fc.boolean(),
  endedAt: fc.oneof(fc.constant(0), moments),
  leader: fc.constantFrom('', 'UBOB', 'UEVE'),
  isLeaderless: fc.boolean(),
  promise: fc.option(fc.constant(promise), { nil: undefined }),
  calls: fc.subarray([
    { id: 'c1', userId: 'UBOB', since: noon, due: noon + 5 * minute },
    { id: 'c2', userId: 'UBOB', since: noon + hour, due: noon + hour + 5 * minute },
  ]),
  actedAt: moments,
  tasks: fc.subarray([
    { taskID: 't1', userId: 'UBOB', movedAt: noon },
    { taskID: 't2', userId: 'UEVE', movedAt: noon + hour },
  ]),
});

test('what is stored becomes what is owed, and then nothing changes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(facts, fc.nat({ max: 2 }), fc.boolean()), { maxLength: 8 }), changes => {
      let rows: (Standing & { id: string; talked_at: number; look_at: number })[] = [];
      let made = 0;
      for (const [each, said, isStopped] of changes) {
        const owed = requiredDuties(each, { ...before, kinds: new Set(rows.map(row => row.kind)) }, terms);
        for (const change of changesOf(rows, owed)) {
          if (change.what === 'settle') rows = rows.filter(row => row.id !== change.id);
          if (change.what === 'move')
            rows = rows.map(row => (row.id === change.id ? { ...row, since: change.since, due: change.due } : row));
          made += 1;
          if (change.what === 'begin')
            rows.push({
              ...{ id: String(made), ...change.owed, step: 0, said: 0, snoozed_until: 0 },
              ...{ state: change.state, talked_at: 0, look_at: change.lookAt },
            });
        }
        const named = (all: readonly RequiredDuty[]) =>
          all.map(({ kind, about, user_id, since, due }) => [kind, about, user_id, since, due].join()).toSorted();
        expect(named(rows)).toEqual(named(owed));
        expect(changesOf(rows, owed)).toEqual([]);
        if (each.mode === 'owner') expect(rows.every(row => row.audience === 'owner')).toBe(true);
        if (!each.isActive) expect(rows.every(row => row.kind === 'review')).toBe(true);
        rows = rows.map(row => ({ ...row, said, state: isStopped ? 'stopped' : row.state }));
      }
    }),
    { numRuns: 300 },
  );
});

test('a room that has had enough is reminded a minute later', () => {
  const row: Standing = {
    ...{ kind: 'lead', about: '', audience: 'room', user_id: '', since: noon, due: noon + hour },
    ...{ step: 0, said: 0, snoozed_until: 0, state: 'owed' },
  };
  const now = noon + 2 * hour;
  expect(decide(row, { now, quietUntil: undefined, isFull: true })).toEqual({
    ...{ says: false, step: 0, lookAt: now + minute },
  });
  // The two times that passed are one reminder.
  expect(decide(row, { now, quietUntil: undefined, isFull: false })).toEqual({ says: true, step: 2, lookAt: 0 });
});
