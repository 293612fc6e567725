import type { KnownBlock } from '@slack/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  announcementParts,
  type CardInput,
  cardParts,
  partsBlocks,
  partsText,
} from '../../../../../src/bot/incident/board/card-view.ts';
import { noSources } from '../../../../../src/bot/incident/state/room-store.ts';
import { severitySign } from '../../../../../src/bot/text/signs.ts';
import { Incident } from '../../../../../src/contract/incidents.ts';
import { unicodeText } from '../../../../support/unicode-text.ts';

const severities = ['pending', 'minor', 'major', 'critical'];
const hostile = fc.oneof(
  fc.string({ maxLength: 500 }),
  fc.constantFrom(
    '<!channel> @here',
    '*bold* _x_ ~y~ `z`',
    '<https://evil.example|click>',
    'שלום',
    '🙂'.repeat(80),
    '&<>&amp;',
  ),
);
const updates = hostile.map(text => ({
  ...{ activityItemID: '1', text, by: '<@U1>', at: new Date(0), nextAt: new Date(900_000), isOverdue: text === '' },
}));
const leads = fc.record({
  kind: fc.constantFrom('update', 'summary', 'outcome'),
  text: hostile,
  by: fc.constantFrom('', '<@U1>'),
  at: fc.constantFrom(undefined, new Date(0)),
});
const facts: fc.Arbitrary<CardInput> = fc
  .record({
    title: hostile,
    severity: fc.oneof(fc.constantFrom(...severities), hostile),
    status: fc.constantFrom('active', 'resolved', ''),
    isDrill: fc.boolean(),
    names: fc.array(hostile, { maxLength: 30 }),
    labels: fc.array(hostile, { maxLength: 100 }),
    summary: hostile,
    lead: fc.option(leads, { nil: undefined }),
    update: fc.option(updates, { nil: undefined }),
    link: fc.oneof(
      fc.constant(''),
      unicodeText({ maxLength: 100 }).map(path => `https://a.example/${encodeURI(path)}`),
      fc.constant(`https://a.example/${'x'.repeat(2990)}`),
    ),
  })
  .map(({ title, severity, status, isDrill, names, labels, summary, lead, update, link }) => ({
    incident: Incident.parse({
      ...{ incidentID: '7', title, severity, status, isDrill, summary, incidentStart: '2026-11-20T12:15:00Z' },
      labels: labels.map(label => ({ label })),
      incidentMembership: {
        assignments: names.map((name, at) => ({
          user: { userID: `grafana-user:${at}`, name },
          role: { roleID: at % 4, name: ['commander', 'investigator', 'observer', name][at % 4] },
        })),
      },
    }),
    api: 'Grafana',
    alerts: [],
    insiders: undefined,
    severities,
    commander: 'commander',
    people: new Map(),
    absent: new Map(),
    declarer: '',
    overview: '',
    sources: { ...noSources, link, caption: title },
    lead,
    update,
  }));

/** Every text that people read in blocks as mrkdwn. */
function mrkdwnOf(blocks: readonly KnownBlock[]): readonly string[] {
  const found: string[] = [];
  JSON.stringify(blocks, (_name, value) => {
    if (typeof value === 'object' && value !== null && value.type === 'mrkdwn') found.push(value.text);
    return value;
  });
  return found;
}

test('property: Slack takes every card and announcement, and no text of a person formats or mentions', () => {
  fc.assert(
    fc.property(facts, known => {
      for (const parts of [
        cardParts(known, new Date(0)),
        announcementParts(known, { channelId: 'C1', isArchived: false }),
      ]) {
        const blocks = partsBlocks(parts);
        const text = partsText(parts);
        expect(text.length).toBeLessThanOrEqual(4000);
        expect(JSON.stringify(blocks).length).toBeLessThan(13_200);
        for (const each of mrkdwnOf(blocks)) {
          expect(each.length).toBeLessThanOrEqual(3000);
          expect(each).not.toMatch(/<!(channel|here|everyone)|<https:\/\/evil[^>]*\|/);
        }
        expect(text).not.toMatch(/<!(channel|here|everyone)|<https:\/\/evil[^>]*\|/);
        const [first] = blocks;
        expect(first?.type === 'header' && first.text.text.length).toBeLessThanOrEqual(150);
      }
    }),
  );
});

test('the text has every fact that the blocks show', () => {
  const known: CardInput = {
    incident: Incident.parse({
      ...{ incidentID: '7', title: 'Disk is full', severity: 'major', status: 'active', isDrill: true },
      ...{ incidentStart: '2026-11-20T12:15:00Z', createdTime: '2026-11-20T12:20:00Z' },
      labels: [{ label: 'storage' }],
      incidentMembership: {
        assignments: [
          { user: { userID: 'u1', name: 'Bob Roe' }, role: { roleID: 1, name: 'commander' } },
          { user: { userID: 'u2', name: 'Alice Doe' }, role: { roleID: 2, name: 'investigator' } },
          { user: { userID: 'u3', name: 'Carol Poe' }, role: { roleID: 2, name: 'Investigator' } },
          { user: { userID: 'u2', name: 'Alice Doe' }, role: { roleID: 4, name: 'scribe' } },
        ],
      },
      taskList: { tasks: [{ taskID: '1', text: 'x', status: 'todo' }], todoCount: 1, doneCount: 0 },
    }),
    api: 'Grafana',
    alerts: [],
    insiders: undefined,
    severities,
    commander: 'commander',
    people: new Map([['u1', '<@U1>']]),
    absent: new Map([['u3', 'left']]),
    declarer: '',
    overview: 'https://muster.example.com/a/1',
    sources: { link: 'https://alert.example.com', caption: '', message: 'https://slack.example.com/p1' },
    lead: { kind: 'update', text: 'We *roll* back', by: '<@U1>', at: new Date(0) },
    update: {
      ...{ activityItemID: '1', text: 'We *roll* back', by: '<@U1>', at: new Date(0) },
      ...{ nextAt: new Date(900_000), isOverdue: false },
    },
  };
  const text = partsText(cardParts(known));
  for (const fact of [
    'Incident 7 (drill, active, major): Disk is full',
    'Active since <!date^1795176900^',
    'Commander <@U1>',
    'Investigating Alice Doe, Carol Poe (has left)',
    'Scribe Alice Doe',
    'by <@U1>: We ',
    'Next update due at <!date^900^',
    'Tasks 1 open, 0 done',
    'Labels `storage`',
    '<https://alert.example.com|The alert>',
    '<https://slack.example.com/p1|The message it was declared from>',
    '<https://muster.example.com/a/1|Overview>',
  ]) {
    expect(text).toContain(fact);
  }
  const announcement = partsText(announcementParts(known, { channelId: 'C7', isArchived: false }));
  expect(announcement).toContain('Commander <@U1>');
  expect(announcement).toContain('<#C7>');
  for (const fact of ['Tasks', 'Investigating', 'Labels']) expect(announcement).not.toContain(fact);
});

/** Times of an incident, and the moments that its card shows, each once and in no other zone than the reader's. */
const times: readonly (readonly [string, Record<string, string>, readonly string[]])[] = [
  ['just declared', { createdTime: '12:15' }, ['12:15']],
  ['declared as it began', { incidentStart: '12:15', createdTime: '12:15' }, ['12:15']],
  ['declared half a minute later', { incidentStart: '12:15', createdTime: '12:15:30' }, ['12:15']],
  ['declared a minute later', { incidentStart: '12:15', createdTime: '12:16' }, ['12:15', '12:16']],
  ['began long before', { incidentStart: '09:00', createdTime: '12:15' }, ['09:00', '12:15']],
  ['without any time', {}, []],
  ['resolved', { incidentStart: '12:15', createdTime: '12:15', incidentEnd: '13:00', status: 'resolved' }, ['13:00']],
  [
    'resolved at once',
    { incidentStart: '12:15', createdTime: '12:15', incidentEnd: '12:15', status: 'resolved' },
    ['12:15'],
  ],
  [
    'resolved, begun before',
    { incidentStart: '09:00', createdTime: '12:15', incidentEnd: '13:00', status: 'resolved' },
    ['13:00', '12:15'],
  ],
  ['a drill', { incidentStart: '12:15', createdTime: '12:15', isDrill: 'yes' }, ['12:15']],
];

test.each(times)(
  'a card that is %s shows each moment once, without UTC',
  (_name, { isDrill = '', status = 'active', ...given }, shown) => {
    const moments = Object.entries(given).map(([name, time]) => [name, `2026-11-20T${time.padEnd(8, ':00')}Z`]);
    const incident = Incident.parse({
      incidentID: '7',
      title: 'x',
      severity: 'major',
      isDrill: isDrill !== '',
      status,
      ...Object.fromEntries(moments),
    });
    const known: CardInput = {
      ...{ incident, severities, api: 'Grafana', commander: '', overview: '', insiders: undefined },
      ...{
        people: new Map(),
        absent: new Map(),
        declarer: '',
        sources: noSources,
        lead: undefined,
        update: undefined,
        alerts: [],
      },
    };
    for (const parts of [cardParts(known), announcementParts(known, { channelId: 'C1', isArchived: false })]) {
      const text = partsText(parts);
      const clocks = [...text.matchAll(/<!date\^(\d+)\^\{date_short_pretty\} \{time\}/g)].map(([, seconds]) =>
        new Date(Number(seconds) * 1000).toISOString().slice(11, 16),
      );
      expect(clocks).toEqual(shown);
      expect(text.replaceAll(/<!date[^>]*>/g, '')).not.toContain('UTC');
    }
  },
);

test('an announcement asks nothing of its readers, who do not work on the incident', () => {
  fc.assert(
    fc.property(facts, fc.boolean(), (known, isOverdue) => {
      const update = known.update && { ...known.update, isOverdue };
      const all = { ...known, update, commander: 'commander' };
      const parts = announcementParts(all, { channelId: 'C1', isArchived: false });
      const asked = parts.facts.filter(([, words]) => /`\/|\bpress\b/.test(words));
      expect(asked).toEqual([]);
      const isDue = update !== undefined && isOverdue && known.incident.status !== 'resolved';
      expect(partsText(parts).includes('Next update was due')).toBe(isDue);
      expect(partsText(cardParts(all)).includes('post one with `/incident update`')).toBe(isDue);
    }),
  );
});

test('a severity has its sign by its place among those of the team', () => {
  const signs = (all: readonly string[]) => all.map(each => severitySign(all, each.toUpperCase())).join('');
  expect(signs(severities)).toBe('⚪🟡🟠🔴');
  expect(signs(['none', 'sev5', 'sev4', 'sev3', 'sev2', 'sev1'])).toBe('⚪🟡🟡🟡🟠🔴');
  expect(signs(['unknown', 'bad'])).toBe('⚪🔴');
  expect(severitySign(severities, 'catastrophic')).toBe('');
});
