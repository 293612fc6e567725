import fc from 'fast-check';
import { expect, test } from 'vitest';
import { briefWords, findNews } from '../../../../../src/bot/incident/catchup/read.ts';
import { ActivityItem } from '../../../../../src/contract/activity.ts';
import { at, happening, sectionOf, start, toInput, toItem } from '../../../../support/generated-timeline.ts';
import { expectSteadyGrowth } from '../../../../support/growth.ts';

/** How the catch-up counts the points that it leaves out, by section. */
const counted: Readonly<Record<string, RegExp>> = {
  State: /(\d+) more changes? of the state/,
  Decisions: /(\d+) more important notes?/,
  Roles: /(\d+) more changes? of (?:a role|roles)/,
  Tasks: /(\d+) more tasks?/,
  Dashboards: /(\d+) more links?/,
  Questions: /(\d+) more questions?/,
  Notes: /(\d+) more notes?/,
};

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

        const wanted = all.flatMap((each, index) => {
          const isNew = since === undefined || (each.written >= since && each.by === 'others');
          const section = sectionOf(each);
          return isNew && section ? [{ index, section, each }] : [];
        });
        let section = '';
        let before = Number.POSITIVE_INFINITY;
        const shown: Record<string, number> = {};
        const rest = text.split('\n').findLast(line => line.startsWith('… and ')) ?? '';
        for (const line of text.split('\n')) {
          const title = /^\*(State|Decisions|Roles|Tasks|Dashboards|Questions|Notes)\b/.exec(line)?.[1];
          if (title) [section, before] = [title, Number.POSITIVE_INFINITY];
          if (!line.startsWith('• ')) continue;
          const index = Number(/\bk(\d+)k\b/.exec(line)?.[1]);
          const found = wanted.find(each => each.index === index) ?? expect.fail(`Nothing says so: ${line}`);
          expect(found.section).toBe(section);
          const time = section === 'Tasks' ? found.each.written : found.each.spoken;
          expect(line).toContain(`<!date^${(start + time * 60_000) / 1000}^`);
          expect(line).toMatch(/\|(?:message|entry)>$/);
          expect(time).toBeLessThanOrEqual(before);
          before = time;
          shown[section] = (shown[section] ?? 0) + 1;
        }
        for (const [name, pattern] of Object.entries(counted)) {
          const all = wanted.filter(each => each.section === name).length;
          expect([name, (shown[name] ?? 0) + Number(pattern.exec(rest)?.[1] ?? 0)]).toEqual([name, all]);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('nothing new says since when, and how it stands all the same', () => {
  const { text } = briefWords(toInput([], 619));
  expect(text).toContain('*Nothing new in incident 7');
  expect(text).toContain('1 min ago');
  expect(text).toContain('major');
});

test('while the timeline cannot be read, nobody is told that nothing is new', () => {
  const { text } = briefWords({ ...toInput([], 610), news: undefined, notice: ':warning: The API is away.' });
  expect(text).toMatch(/^:warning: The API is away\.\n\*Catch-up on/);
  expect(text).toContain('I cannot say what is new');
});

test('a note that was written down late is new, however long ago it speaks of', () => {
  const late = { written: 500, spoken: 10, kind: 'userNote', body: 'late', source: 'note' } as const;
  const rest = { isImportant: false, by: 'others', permalink: '', task: 'todo' } as const;
  const { text } = briefWords(toInput([{ ...late, ...rest }], 400));
  expect(text).toContain('k0k late');
});

test('who lost an update of an hour ago reads who gave it, what is due and whose the tasks are', () => {
  const input = toInput([], undefined);
  const { text } = briefWords({
    ...input,
    latest: {
      ...input.latest,
      update: { ...input.latest.update!, text: 'Rolling back', isOverdue: false },
    },
    updateBy: 'bob',
  });
  expect(text).toMatch(/Latest update <[^>]+>, by bob: Rolling back\nNext update: due at </);
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
  const known = { items: [item], tasks: [], since: undefined, update: '', isOwn: () => false };
  const { text } = briefWords({ ...input, news: findNews(known) });
  expect(text).toContain('<https://muster.example.com/goto/abc|Dashboard “Checkout overview”> · bob');
});

test('an update alone is new, though it stands above the points', () => {
  const { incident, ...input } = toInput([], 600);
  const item = toItem(
    {
      ...{ kind: 'userNote', written: 610, spoken: 610, body: 'Rolling back', source: 'note' },
      ...{ isImportant: false, by: 'others', permalink: '', task: 'todo' },
    },
    0,
  );
  const since = new Date(at(600));
  const news = (isOwn: boolean) =>
    findNews({ items: [item], tasks: [], since, update: item.activityItemID, isOwn: () => isOwn });
  expect(briefWords({ ...input, incident, news: news(false) }).text).toContain('*Catch-up on');
  expect(briefWords({ ...input, incident, news: news(true) }).text).toContain('*Nothing new in');
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
    const news = findNews({ items: [toLink(length)], tasks: [], since: undefined, update: '', isOwn: () => false });
    expect(briefWords({ ...input, news }).text).toContain('https://example.com/');
  });
});
