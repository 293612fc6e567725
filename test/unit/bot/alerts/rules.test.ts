import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AlertRules, alertID, hearNotice, type KnownAlerts } from '../../../../src/bot/alerts/rules.ts';
import type { AlertNews } from '../../../../src/bot/incident/lines/alert-lines.ts';
import type { AlertGroup } from '../../../../src/bot/incident/state/alert-group.ts';
import type { AlertOfferTable, AlertTable } from '../../../../src/bot/schema/alerts.ts';
import type { AlertSource } from '../../../../src/config/alert-sources.ts';

const minute = 60_000;
const hour = 60 * minute;
const began = Date.parse('2026-11-26T09:00:00Z');
const severities = ['minor', 'major', 'critical'];
const calm: AlertRules = { alertsEnd: 'ask', alertsAgain: 30, alertsStorm: undefined, severities };
const stormy: AlertRules = { ...calm, alertsStorm: { more: 5, within: 10 * minute } };

/** What a tool knows of a group when it sends a notice; moments in minutes of its clock. */
interface Told {
  readonly key: string;
  readonly state: 'firing' | 'resolved';
  /** When its newest alert began. */
  readonly start: number;
  /** When the last one ended. */
  readonly end?: number;
  readonly firing?: number;
  /** The address of the tool, and its alerts: those that fire, or all that ended, and those that ended while others fire. */
  readonly tool?: string;
  readonly prints?: readonly string[];
  readonly endedPrints?: readonly string[];
}

/** A notice that arrives after so many minutes. */
interface Arrival extends Told {
  readonly after: number;
}

function sourceOf(name: string, declares: readonly string[] = []): AlertSource {
  return { name, tokens: [], channel: 'C1', severities: new Map(), labels: [], declares };
}

function toGroup({ key, state, start, end = 0, firing = 1, ...told }: Told, clockOff: number): AlertGroup {
  const at = (minutes: number) => new Date(began + clockOff + minutes * minute).toISOString();
  return {
    ...{ key, state, title: key, severity: '', summary: '', labels: {}, alerts: [] },
    links: told.tool === undefined ? [] : [{ what: 'tool', url: told.tool }],
    ...{ startedAt: at(start), newestStartAt: at(start), endedAt: state === 'resolved' ? at(end) : '' },
    ...{
      firing: state === 'firing' ? firing : 0,
      resolved: state === 'firing' ? 0 : firing,
      prints: [...(told.prints ?? [])],
      endedPrints: [...(told.endedPrints ?? [])],
    },
  };
}

/** The rules at work on what they remember, as the database would keep it. */
function openRules(rules: AlertRules = calm, { clockOff = 0, declares = [] as readonly string[] } = {}) {
  const known: KnownAlerts = {
    groups: new Map(),
    others: new Map(),
    offers: new Map(),
    moved: new Map(),
    touched: new Set<string>(),
    incidents: new Map(),
    prints: new Map(),
  };
  const news: AlertNews[] = [];
  let now = began;
  let made = 0;
  const newOffer = () => {
    made += 1;
    return `alert/${made}`;
  };
  const set = <T extends { readonly id: string }>(rows: Map<string, T>, row: T | undefined, change: Partial<T>) => {
    if (row) rows.set(row.id, { ...row, ...change });
  };
  return {
    known,
    news,
    pass: (minutes: number) => {
      now += minutes * minute;
    },
    hear: (told: Told, source = 'prometheus') => {
      const notice = { source: sourceOf(source, declares), group: toGroup(told, clockOff), severity: 'major' };
      const heard = hearNotice({ known, notice, rules, now, newOffer });
      news.push(...heard);
      return heard;
    },
    group: (key: string, source = 'prometheus'): AlertTable | undefined => known.groups.get(alertID(source, key)),
    /** Offers that ask or say something still: one whose groups have joined another one is gone. */
    standing: (): readonly AlertOfferTable[] => [...known.offers.values()].filter(each => each.state !== 'gone'),
    /** A person declares the offer of a group. */
    take: (key: string) => {
      const offer = known.offers.get(known.groups.get(alertID('prometheus', key))?.offer ?? '');
      if (!offer) return;
      set(known.offers, offer, { state: 'taken', incident_id: `incident of ${offer.id}`, actor: 'U1', owes: '' });
      known.incidents.set(`incident of ${offer.id}`, { state: 'active', severity: 'major', isClosed: false });
    },
    resolve: () => {
      for (const [id, incident] of known.incidents) known.incidents.set(id, { ...incident, state: 'resolved' });
    },
    mute: (key: string, minutes: number) => {
      const group = known.groups.get(alertID('prometheus', key));
      const until = { muted_until: now + minutes * minute };
      set(known.offers, known.offers.get(group?.offer ?? ''), { ...until, state: 'muted' });
      set(known.groups, group, until);
    },
  };
}

type Rules = ReturnType<typeof openRules>;

/** What people can tell of it: whatever is a count or a time of ours is left out. */
function shownOf({ known, news }: Rules) {
  const places = new Map([...known.offers.keys()].map((id, place) => [id, place]));
  return {
    groups: [...known.groups.values()].map(({ id, state, offer }) => `${id} ${state} ${places.get(offer)}`).toSorted(),
    offers: [...known.offers.values()].map(({ state, is_storm, owes }) => `${state} ${is_storm} ${owes}`),
    news: news.map(({ what, offer, more }) => `${what} ${places.get(offer)} ${more}`),
  };
}

/** Notices of one time that a group fires: some that it fires, perhaps with more alerts, and perhaps its end. */
function timeOf(key: string, start: number, length: number): readonly Told[] {
  const middle = start + length / 2;
  return [
    { key, state: 'firing', start },
    { key, state: 'firing', start },
    { key, state: 'firing', start: middle, firing: 3 },
    { key, state: 'resolved', start: middle, end: start + length, firing: 3 },
  ];
}

/** Each of these at least once, in any order, some several times. */
function anyOrder(all: readonly Told[]): fc.Arbitrary<readonly Told[]> {
  return fc
    .array(fc.constantFrom(...all), { maxLength: all.length * 2 })
    .chain(again => fc.shuffledSubarray([...all, ...again], { minLength: all.length + again.length }));
}

/** Minutes between two arrivals: all of a time comes within two minutes. */
const gaps = fc.array(
  fc.integer({ min: 0, max: 9 }).map(each => each / 100),
  { minLength: 12, maxLength: 12 },
);

test('one time of one group, however often and in whatever order its notices come, is one offer at most, and it ends', () => {
  fc.assert(
    fc.property(anyOrder(timeOf('disk', 0, 10)), gaps, (notices, waits) => {
      const rules = openRules();
      for (const [place, notice] of notices.entries()) {
        rules.hear(notice);
        rules.pass(waits[place] ?? 0);
      }
      expect(rules.known.groups.size).toBe(1);
      expect(rules.group('disk')?.state).toBe('ended');
      // Where its end came first, nobody is asked anything.
      const isFirst = notices[0]?.state === 'resolved';
      expect(rules.standing().map(each => each.state)).toEqual(isFirst ? [] : ['over']);
    }),
  );
});

test('the end of an incident’s alert is told once, however often and in whatever order its notices come', () => {
  fc.assert(
    fc.property(anyOrder(timeOf('disk', 0, 10)), gaps, (notices, waits) => {
      const rules = openRules();
      rules.hear({ key: 'disk', state: 'firing', start: 0 });
      rules.take('disk');
      for (const [place, notice] of notices.entries()) {
        rules.pass(waits[place] ?? 0);
        rules.hear(notice);
      }
      expect(rules.standing().map(each => each.state)).toEqual(['taken']);
      expect(rules.news.filter(each => each.what === 'ended')).toHaveLength(1);
      expect(rules.news.filter(each => each.what === 'again')).toEqual([]);
      // Two alerts more are told at most once, and never after the end.
      expect(rules.news.filter(each => each.what === 'grew').length).toBeLessThanOrEqual(1);
      expect(rules.news.at(-1)?.what).toBe('ended');
    }),
  );
});

test('a notice that comes twice in a row changes a count and a time of ours at most', () => {
  const anyTold = fc.record({
    key: fc.constantFrom('disk', 'cpu', 'web', 'queue'),
    state: fc.constantFrom('firing' as const, 'resolved' as const),
    start: fc.integer({ min: 0, max: 60 }),
    end: fc.integer({ min: 0, max: 90 }),
    firing: fc.integer({ min: 1, max: 4 }),
    after: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(
      fc.array(anyTold, { maxLength: 20 }),
      fc.constantFrom(calm, stormy),
      fc.constantFrom([], ['major']),
      (arrivals: readonly Arrival[], how, declares) => {
        const [once, twice] = [openRules(how, { declares }), openRules(how, { declares })];
        for (const arrival of arrivals) {
          for (const each of [once, twice]) each.pass(arrival.after);
          once.hear(arrival);
          twice.hear(arrival);
          expect(twice.hear(arrival)).toEqual([]);
          expect(shownOf(twice)).toEqual(shownOf(once));
        }
      },
    ),
  );
});

test('the clock of the tool may be off, by whatever is constant', () => {
  const spells = [...timeOf('disk', 0, 10), ...timeOf('disk', 20, 10), ...timeOf('cpu', 5, 30)];
  const off = fc.integer({ min: -400, max: 400 }).map(days => days * 24 * hour);
  fc.assert(
    fc.property(anyOrder(spells), gaps, off, (notices, waits, clockOff) => {
      const [right, wrong] = [openRules(stormy), openRules(stormy, { clockOff })];
      for (const [place, notice] of notices.entries())
        for (const each of [right, wrong]) {
          each.hear(notice);
          each.pass(waits[place % waits.length] ?? 0);
        }
      expect(shownOf(wrong)).toEqual(shownOf(right));
    }),
  );
});

test('groups of other keys and of other sources change nothing for a group, without a storm', () => {
  const others = [...timeOf('cpu', 0, 10), ...timeOf('web', 3, 20)];
  const mine = [...timeOf('disk', 0, 10), ...timeOf('disk', 15, 10)];
  fc.assert(
    fc.property(anyOrder([...mine, ...others]), fc.constantFrom('prometheus', 'grafana'), (notices, place) => {
      const [alone, among] = [openRules(), openRules()];
      for (const notice of notices) {
        if (notice.key === 'disk') alone.hear(notice);
        among.hear(notice, notice.key === 'disk' ? 'prometheus' : place);
      }
      const of = (rules: Rules) => {
        const { group } = rules;
        const row = group('disk');
        const { state } = rules.known.offers.get(row?.offer ?? '') ?? {};
        return { ...row, offer: state, id: '' };
      };
      expect(of(among)).toEqual(of(alone));
      // The same key of another source is another group.
      const twin = openRules();
      twin.hear({ key: 'disk', state: 'firing', start: 0 });
      twin.hear({ key: 'disk', state: 'firing', start: 0 }, 'grafana');
      expect(twin.standing()).toHaveLength(2);
    }),
  );
});

/** How soon a group fires again after its end, what became of its first offer, and what follows: the offers, and whether the room reads of it. */
type Again = readonly [number, 'nobody acted' | 'goes on' | 'is resolved', string, readonly string[], 'told' | ''];
const again: readonly Again[] = [
  [0, 'nobody acted', 'the same offer, open again', ['open'], ''],
  [29, 'nobody acted', 'the same offer, open again', ['open'], ''],
  [30, 'nobody acted', 'the same offer, open again', ['open'], ''],
  [31, 'nobody acted', 'a new offer', ['over', 'open'], ''],
  [24 * 60, 'nobody acted', 'a new offer', ['over', 'open'], ''],
  [10, 'goes on', 'a line in its room', ['taken'], 'told'],
  [31, 'goes on', 'a line in its room', ['taken'], 'told'],
  [24 * 60, 'goes on', 'a line in its room', ['taken'], 'told'],
  [10, 'is resolved', 'a line in its room, and a new offer that names it', ['taken', 'open'], 'told'],
  [31, 'is resolved', 'a new offer that names the old incident', ['taken', 'open'], ''],
];

test.each(again)('a group that fires again %i min after its end, when %s, is %s', (minutes, first, _, states, told) => {
  const rules = openRules();
  rules.hear({ key: 'disk', state: 'firing', start: 0 });
  if (first !== 'nobody acted') rules.take('disk');
  rules.pass(5);
  rules.hear({ key: 'disk', state: 'resolved', start: 0, end: 5 });
  if (first === 'is resolved') rules.resolve();
  rules.pass(minutes);
  const news = rules.hear({ key: 'disk', state: 'firing', start: 5 + minutes + 0.1 });
  expect(rules.standing().map(each => each.state)).toEqual(states);
  expect(news.map(each => each.what)).toEqual(told ? ['again'] : []);
  expect(rules.standing()[1]?.after ?? '').toBe(first === 'is resolved' && states[1] ? 'incident of alert/1' : '');
  expect(rules.group('disk')).toMatchObject({ state: 'firing', first_at: expect.any(Number) });
  rules.pass(1);
  rules.hear({ key: 'disk', state: 'resolved', start: 5 + minutes + 0.1, end: 6 + minutes + 0.1 });
  expect(rules.group('disk')?.state).toBe('ended');
});

test('a notice of an earlier time that comes late changes nothing', () => {
  const rules = openRules();
  rules.hear({ key: 'disk', state: 'firing', start: 0 });
  rules.take('disk');
  rules.hear({ key: 'disk', state: 'resolved', start: 0, end: 5 });
  rules.hear({ key: 'disk', state: 'firing', start: 8 });
  const before = shownOf(rules);
  rules.hear({ key: 'disk', state: 'resolved', start: 0, end: 5 });
  expect(shownOf(rules)).toEqual(before);
  rules.hear({ key: 'disk', state: 'resolved', start: 8, end: 9 });
  const ended = shownOf(rules);
  expect(rules.news.map(each => each.what)).toEqual(['ended', 'again', 'ended']);
  rules.hear({ key: 'disk', state: 'firing', start: 0 });
  rules.hear({ key: 'disk', state: 'firing', start: 8 });
  rules.hear({ key: 'disk', state: 'resolved', start: 0, end: 5 });
  expect(shownOf(rules)).toEqual(ended);
});

/** What an offer counts is what its groups are. One that ended may have left for another offer since. */
function expectCounted({ known }: Rules): void {
  const groups = [...known.groups.values()];
  for (const { id, state, group_count, firing_count } of known.offers.values()) {
    if (state === 'gone') continue;
    const own = groups.filter(each => each.offer === id);
    expect(firing_count).toBe(own.filter(each => each.state === 'firing').length);
    expect(group_count).toBeGreaterThanOrEqual(own.length);
  }
}

test('an offer counts its groups, whatever begins, ends and comes back', () => {
  const told = fc.record({
    key: fc.nat(12).map(each => `group ${each}`),
    state: fc.constantFrom('firing' as const, 'resolved' as const),
    after: fc.integer({ min: 0, max: 40 }),
  });
  fc.assert(
    fc.property(fc.array(told, { maxLength: 60 }), fc.constantFrom(calm, stormy), fc.boolean(), (all, how, isMuted) => {
      const rules = openRules(how);
      let passed = 0;
      for (const { key, state, after } of all) {
        rules.pass(after);
        passed += after;
        rules.hear({ key, state, start: passed, end: passed });
        if (isMuted && after === 7) rules.mute(key, 60);
        if (after === 9) rules.take(key);
        expectCounted(rules);
      }
    }),
  );
});

test('the room of a storm reads the names of a hundred groups; those that follow are counted, and end with it', () => {
  const rules = openRules(stormy);
  const hear = (at: number, state: Told['state'] = 'firing') =>
    rules.hear({ key: `group ${at}`, state, start: 0, end: 1 }).map(each => each.what);
  for (let at = 0; at < 10; at += 1) hear(at);
  rules.take('group 9');
  // Five groups came before the storm: those are offers that it took over.
  const told = Array.from({ length: 200 }, (_, at) => hear(10 + at)).flat();
  expect(told).toEqual([...Array.from({ length: 89 }, () => 'joined'), 'crowded']);
  expect(rules.standing().at(-1)).toMatchObject({ group_count: 210, firing_count: 210 });
  // One that is counted says nothing more of its own.
  rules.pass(45);
  expect(hear(200)).toEqual([]);
  expect(hear(50)).toEqual(['still']);
  expect(hear(200, 'resolved')).toEqual([]);
  rules.pass(90);
  expect(rules.hear({ key: 'group 200', state: 'firing', start: 130 })).toEqual([]);
  // The end of all is told, whichever group ends last, and so is the return of any.
  for (let at = 0; at < 200; at += 1) expect(hear(at, 'resolved')).toEqual([]);
  for (let at = 201; at < 210; at += 1) expect(hear(at, 'resolved')).toEqual([]);
  expect(rules.hear({ key: 'group 200', state: 'resolved', start: 130, end: 140 }).map(each => each.what)).toEqual([
    'ended',
  ]);
  rules.pass(5);
  expect(rules.hear({ key: 'group 200', state: 'firing', start: 160 }).map(each => each.what)).toEqual(['again']);
});

test('a storm is one offer, whatever joins it, and a team is given few incidents at once', () => {
  const arrivals = fc.array(fc.record({ group: fc.nat(60), after: fc.integer({ min: 0, max: 2 }) }), {
    minLength: 1,
    maxLength: 80,
  });
  fc.assert(
    fc.property(arrivals, fc.constantFrom([], ['major']), fc.boolean(), (all, declares, isTaken) => {
      const rules = openRules(stormy, { declares });
      const { more, within } = stormy.alertsStorm ?? { more: 0, within: 0 };
      let passed = 0;
      const begun: number[] = [];
      for (const { group, after } of all) {
        rules.pass(after);
        passed += after * minute;
        const before = rules.known.offers.size;
        rules.hear({ key: `group ${group}`, state: 'firing', start: 0 });
        if (rules.known.offers.size > before) begun.push(passed);
        if (isTaken && group % 7 === 0) rules.take(`group ${group}`);
        const recent = begun.filter(each => passed - each <= within);
        expect(recent.length).toBeLessThanOrEqual(more + 1);
      }
      expectCounted(rules);
      // Each group stands in one offer that is not gone.
      const standing = rules.standing().map(each => each.id);
      for (const each of rules.known.groups.values()) expect(standing).toContain(each.offer);
      const listed = new Set([...rules.known.groups.values()].map(each => each.offer));
      expect(rules.standing().filter(each => each.state === 'open' && !listed.has(each.id))).toEqual([]);
    }),
  );
});

test('a muted group is offered to nobody; when its mute is over, its one offer waits to be offered anew', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 8 }), waits => {
      const rules = openRules();
      rules.hear({ key: 'disk', state: 'firing', start: 0 });
      rules.mute('disk', 60);
      for (const wait of waits) {
        rules.pass(wait);
        rules.hear({ key: 'disk', state: 'firing', start: 0 });
        expect(rules.standing().map(each => each.state)).toEqual(['muted']);
      }
      expect(rules.news).toEqual([]);
    }),
  );
});

test('what declares at once owes one incident for a group, and none for one that it declared before', () => {
  fc.assert(
    fc.property(anyOrder(timeOf('disk', 0, 10)), gaps, (notices, waits) => {
      const rules = openRules(calm, { declares: ['major'] });
      for (const [place, notice] of notices.entries()) {
        rules.hear(notice);
        rules.pass(waits[place] ?? 0);
      }
      const owing = rules.standing().map(each => each.owes);
      expect(owing).toEqual(notices[0]?.state === 'resolved' ? [] : ['declare']);
    }),
  );
});

/** Notices of two tools under one key, each with its alerts, and whether the group fires afterwards. */
const ofTwo: readonly (readonly [string, readonly Partial<Told>[], 'firing' | 'ended'])[] = [
  [
    'one cluster ends, the other fires',
    [
      { tool: 'a', prints: ['1'] },
      { tool: 'b', prints: ['2'] },
      { tool: 'b', prints: ['2'], state: 'resolved' },
    ],
    'firing',
  ],
  [
    'the older one of two ends',
    [
      { tool: 'a', prints: ['1'] },
      { tool: 'b', prints: ['2'] },
      { tool: 'a', prints: ['1'], state: 'resolved' },
    ],
    'firing',
  ],
  [
    'both end',
    [
      { tool: 'a', prints: ['1'] },
      { tool: 'b', prints: ['2'] },
      { tool: 'a', prints: ['1'], state: 'resolved' },
      { tool: 'b', prints: ['2'], state: 'resolved' },
    ],
    'ended',
  ],
  [
    'a replica tells of the end',
    [
      { tool: 'a', prints: ['1'] },
      { tool: 'b', prints: ['1'], state: 'resolved' },
    ],
    'ended',
  ],
  [
    'a replica takes over while alerts change',
    [
      { tool: 'a', prints: ['1'] },
      { tool: 'b', prints: ['2'], endedPrints: ['1'] },
      { tool: 'b', prints: ['2'], state: 'resolved' },
    ],
    'ended',
  ],
  ['tools without an address', [{ prints: ['1'] }, { prints: ['2'], state: 'resolved' }], 'ended'],
  ['alerts without names', [{ tool: 'a' }, { tool: 'b', state: 'resolved' }], 'ended'],
  [
    'a group of which some alerts are named',
    [
      { tool: 'a', prints: ['1'], firing: 9 },
      { tool: 'b', prints: ['2'], firing: 9, state: 'resolved' },
    ],
    'ended',
  ],
];

test.each(ofTwo)('two tools under one key: %s', (_what, notices, state) => {
  const rules = openRules();
  for (const [place, notice] of notices.entries()) {
    rules.hear({ key: 'disk', state: 'firing', start: 0, end: place + 1, ...notice });
    rules.pass(1);
  }
  expect(rules.group('disk')?.state).toBe(state);
});

test('a tool that tells nothing more of its alerts for a day holds no group up', () => {
  const rules = openRules();
  rules.hear({ key: 'disk', state: 'firing', start: 0, tool: 'a', prints: ['1'] });
  rules.hear({ key: 'disk', state: 'firing', start: 0, tool: 'b', prints: ['2'] });
  rules.pass(25 * 60);
  rules.hear({ key: 'disk', state: 'resolved', start: 0, end: 1500, tool: 'b', prints: ['2'] });
  expect(rules.group('disk')?.state).toBe('ended');
});
