import fc from 'fast-check';
import { expect, test } from 'vitest';
import { briefWords, findNews } from '../../../../../src/bot/incident/catchup/read.ts';
import { ActivityItem } from '../../../../../src/contract/activity.ts';
import { Incident } from '../../../../../src/contract/incidents.ts';
import {
  at,
  type Happening,
  happening,
  sectionOf,
  start,
  toInput,
  toItem,
} from '../../../../support/generated-timeline.ts';
import { expectSteadyGrowth } from '../../../../support/growth.ts';

/** How the catch-up counts what it leaves out, by section. */
const counted: Readonly<Record<string, RegExp>> = {
  Updates: /(\d+) (?:more )?older updates?/,
  Decisions: /(\d+) (?:more )?important notes?/,
  Tasks: /(\d+) (?:more )?tasks?/,
  Dashboards: /(\d+) (?:more )?links?/,
  Notes: /(\d+) (?:more )?notes?/,
};

/** What a catch-up on these happenings must tell, by a second way to say it. */
function wantedOf(all: readonly Happening[], since: number | undefined) {
  return all.flatMap((each, index) => {
    const section = sectionOf(each);
    const isNew = since === undefined || (each.written >= since && each.by === 'others');
    const isTold =
      section === 'Updates' || (section === 'Tasks' ? each.task !== 'done' || (since !== undefined && isNew) : isNew);
    return section && isTold ? [{ index, section, each }] : [];
  });
}

test('each point is true, new, in its place and counted, and nobody is mentioned, whatever people wrote', () => {
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 300 }),
      fc.option(fc.integer({ min: 0, max: 600 }), { nil: undefined }),
      (all, since) => {
        const { text, blocks = [] } = briefWords(toInput(all, since));
        expect(text.length).toBeLessThanOrEqual(3000);
        // What Slack reads as more than words is a date, or a link of ours.
        for (const [token] of text.matchAll(/<[^>]*>/g))
          expect(token).toMatch(/^<(?:!date\^\d+\^|https?:\/\/[^\s<>]+)/);
        expect(text.replace(/<[^<>]*>/g, '')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
        for (const each of ['javascript:', '\u202e', '\u0000']) expect(text).not.toContain(each);
        expect(blocks.every(block => block.type !== 'section' || (block.text?.text.length ?? 0) < 2900)).toBe(true);

        const wanted = wantedOf(all, since);
        let section = '';
        let before = Number.POSITIVE_INFINITY;
        const shown: Record<string, number> = {};
        const rest = text.split('\n').findLast(line => line.startsWith('Not shown: ')) ?? '';
        for (const line of text.split('\n')) {
          const title = /^\*(?:New (?=updates|notes))?(updates|Updates|Decisions|Tasks|Dashboards|notes|Notes)\b/.exec(
            line,
          )?.[1];
          if (title) section = title.slice(0, 1).toUpperCase() + title.slice(1);
          if (title) before = Number.POSITIVE_INFINITY;
          if (!line.startsWith('• ')) continue;
          const index = Number(/\bk(\d+)k\b/.exec(line)?.[1]);
          const found = wanted.find(each => each.index === index) ?? expect.fail(`Nothing says so: ${line}`);
          expect(found.section).toBe(section);
          const time = found.each.spoken;
          if (section !== 'Tasks') expect(line).toContain(`<!date^${(start + time * 60_000) / 1000}^`);
          expect(line).toMatch(/\|(?:message|open)>$/);
          if (section !== 'Tasks') expect(time).toBeLessThanOrEqual(before);
          before = time;
          shown[section] = (shown[section] ?? 0) + 1;
        }
        for (const [name, pattern] of Object.entries(counted)) {
          const expected = wanted.filter(each => each.section === name).length;
          expect([name, (shown[name] ?? 0) + Number(pattern.exec(rest)?.[1] ?? 0)]).toEqual([name, expected]);
        }
        if (wanted.filter(each => each.section === 'Updates').length <= 8) expect(rest).not.toContain('older update');
      },
    ),
    { numRuns: 150 },
  );
});

test('nothing new says since when, and how it stands all the same', () => {
  const { text } = briefWords(toInput([], 619));
  expect(text).toContain('*Nothing new* since');
  expect(text).toContain('1 min ago');
  expect(text).toContain('major');
});

test('while the timeline cannot be read, nobody is told that nothing is new', () => {
  const { text } = briefWords({ ...toInput([], 610), news: undefined, notice: ':warning: The API is away.' });
  expect(text).toMatch(/^:warning: The API is away\.\n\*<https[^\n]* has been active for /);
  expect(text).toContain('I cannot say what else is new');
  expect(text).not.toContain('Nothing new');
});

test('a note that was written down late is new, however long ago it speaks of', () => {
  const late = { written: 500, spoken: 10, kind: 'userNote', body: 'late', source: 'note' } as const;
  const rest = { isImportant: false, by: 'others', permalink: '', task: 'todo' } as const;
  const { text } = briefWords(toInput([{ ...late, ...rest }], 400));
  expect(text).toContain('k0k late');
});

test('the first sentence says what it is, since when, what is done, what is due, and who leads', () => {
  const input = toInput([], undefined);
  const update = { ...{ activityItemID: 'item', text: 'Rolling back', by: 'bob', at: new Date(at(610)) } };
  const words = briefWords({
    ...input,
    incident: { ...input.incident, title: 'Checkout answers 503' },
    latest: {
      ...{ summary: undefined, lead: { kind: 'update' as const, ...update } },
      update: { ...update, nextAt: new Date(at(640)), isOverdue: false },
    },
  });
  expect(words.text).toMatch(
    /^\*<https:[^|]+\|Incident 7 “Checkout answers 503”>\* \(🟠 major\) has been active for 10 h 20 min\. Commander: [^\n]*\nLatest update: Rolling back\. Next update due at <[^>]+>\.$/,
  );
});

test('a dashboard is linked by its title: its times and its path stand behind the link', () => {
  const body = [
    'Dashboard “Checkout overview”: https://muster.example.com/goto/abc',
    'Shows 2026-11-26 14:24–17:25 UTC',
    'Full path: /d/checkout?from=1&to=2',
  ].join('\n');
  const input = toInput([], undefined);
  const item = ActivityItem.parse({
    ...{ activityItemID: 'i1', incidentID: '7', user: { userID: 'u', name: 'bob' }, activityKind: 'userNote', body },
    ...{ createdTime: at(1), eventTime: at(1), fieldValues: { source: 'dashboard' } },
  });
  const known = { items: [item], tasks: [], since: undefined, isOwn: () => false };
  const { text } = briefWords({ ...input, news: findNews(known) });
  expect(text).toContain('<https://muster.example.com/goto/abc|Dashboard “Checkout overview”> · bob');
});

test('an update that another person gave is new', () => {
  const given = (by: 'me' | 'others'): Happening => ({
    ...{ kind: 'userNote', written: 610, spoken: 610, body: 'Rolling back', source: 'update' },
    ...{ isImportant: false, by, permalink: '', task: 'todo' },
  });
  const { text } = briefWords(toInput([given('others')], 600));
  expect(text).toContain('\nNews since');
  expect(text).toContain('*New updates*');
  const own = briefWords(toInput([given('me')], 600)).text;
  expect(own).toContain('*Nothing new* since');
  expect(own).toContain('*Updates*\n• ');
});

test('it says who was called and who comes, mentions nobody, and counts the rest', () => {
  const called = [
    { name: 'carol', answer: 'coming' as const },
    { name: '<!channel> *dave*', answer: 'none' as const },
    { name: 'erin', answer: 'cannot' as const },
    { name: 'frank', answer: 'there' as const },
    ...Array.from({ length: 9 }, (_, index) => ({ name: `more${index}`, answer: 'none' as const })),
  ];
  const { text } = briefWords({ ...toInput([], 600), called });
  expect(text).toContain('\nCalled: carol (coming), ');
  expect(text).toContain('(no answer yet), erin (cannot), frank (here), more0');
  expect(text).toMatch(/more3 \(no answer yet\)(?: and|, and) 5 more\./);
  expect(text).not.toContain('<!channel>');
});

test.each([':', ' ', '\t:', '\n'])('a link behind many %j is told in time that grows with their number', async sign => {
  const toLink = (length: number) => ({
    ...toItem(
      {
        kind: 'contextAttached',
        written: 1,
        spoken: 1,
        body: '',
        source: '',
        isImportant: false,
        by: 'others',
        permalink: '',
        task: 'todo',
      },
      0,
    ),
    body: `a ${sign.repeat(length)} z https://example.com/`,
  });
  await expectSteadyGrowth(16_000, length => {
    const input = toInput([], undefined);
    const news = findNews({ items: [toLink(length)], tasks: [], since: undefined, isOwn: () => false });
    expect(briefWords({ ...input, news }).text).toContain('https://example.com/');
  });
});

/** The texts of updates of one incident, as people write them. */
const told = [
  'Checkout answers 503 since the deploy of 12:05. We look at the connection pool.',
  'It is release 1141: the pool of payment connections went from 40 down to 4. We roll back now, which takes ten minutes.',
  'Half of the hosts are back on release 1140. Errors fall from 31 % to 12 %.',
  'All hosts are back. We watch for fifteen minutes before we call it over.',
  'It is back: 5 % of the payments by card fail again, in Europe alone. PayPal works.',
  'The second cause is the certificate of the card gateway, which ended at noon. Our partner renews it.',
];

test.each(Array.from({ length: 10 }, (_, seed) => seed))(
  'of 300 items of incident %i every update is in it, each with its link, in 3,000 characters',
  seed => {
    const [items = []] = fc.sample(fc.array(happening, { minLength: 300, maxLength: 300 }), { seed, numRuns: 1 });
    const spoken = items.map((each, index): Happening => {
      const isUpdate = index % 30 === seed;
      const body = told[(index + seed) % told.length] ?? '';
      if (isUpdate) return { ...each, kind: 'userNote', source: 'update', body };
      return each.source === 'update' ? { ...each, source: 'note' } : each;
    });
    const input = toInput(spoken, undefined);
    const [assignment] = input.incident.incidentMembership.assignments;
    const incident = {
      ...{ ...input.incident, title: 'Checkout answers 503' },
      incidentMembership: { assignments: assignment ? [{ ...assignment, user: { userID: 'u1', name: 'bob' } }] : [] },
    };
    const { text } = briefWords({ ...input, incident: Incident.parse(incident) });
    expect(text.length).toBeLessThanOrEqual(3000);
    const lines = text.split('\n').filter(line => line.startsWith('• '));
    expect(lines.filter(line => !/\|(?:message|open)>$/.test(line))).toEqual([]);
    const updates = spoken.flatMap(({ source, body }, index) =>
      source === 'update' ? [`k${index}k ${body.slice(0, 40)}`] : [],
    );
    expect(updates).toHaveLength(10);
    expect(updates.filter(each => !lines.some(line => line.includes(each)))).toEqual([]);
  },
);
