import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDate } from '../../../../playground/fake-slack/block-kit/date-token.ts';
import { type Inline, parseMrkdwn } from '../../../../playground/fake-slack/block-kit/mrkdwn.ts';
import { decodeEntities } from '../../../../playground/fake-slack/protocol/entities.ts';

const text = (words: string): Inline => ({ kind: 'text', text: words });

/** What a tree says, without marks; references as they stand in the text. */
function said(nodes: readonly Inline[]): string {
  return nodes
    .map(node => {
      if ('children' in node) return said(node.children);
      if (node.kind === 'text') return node.text;
      if (node.kind === 'emoji') return `:${node.name}:`;
      if (node.kind === 'link') return `${node.url}${node.label ?? ''}`;
      if (node.kind === 'date') return node.fallback;
      if (node.kind === 'broadcast') return `!${node.range}`;
      if (node.kind === 'color') return node.value;
      const sigil = { person: '@', channel: '#', group: '!subteam^' }[node.kind];
      return `${sigil}${node.id}${node.label ?? ''}`;
    })
    .join('');
}

describe('parseMrkdwn', () => {
  test('marks nest, and stay text where Slack reads none', () => {
    expect(parseMrkdwn('*a _b_* ~c~ snake_case_name 2*3*4 * d *')).toEqual([
      { kind: 'bold', children: [text('a '), { kind: 'italic', children: [text('b')] }] },
      text(' '),
      { kind: 'strike', children: [text('c')] },
      text(' snake_case_name 2*3*4 * d *'),
    ]);
  });

  test('code keeps its marks, and a backtick within a reference marks none', () => {
    expect(parseMrkdwn('`*a*` ```\nx `y`\n``` <https://a.example/`|b`c>')).toEqual([
      { kind: 'code', children: [text('*a*')] },
      text(' '),
      { kind: 'pre', children: [text('x `y`\n')] },
      text(' '),
      { kind: 'link', url: 'https://a.example/`', label: 'b`c' },
    ]);
  });

  test('lines that begin with > make one quote, and >>> quotes the rest', () => {
    expect(parseMrkdwn('a\n> *b*\n&gt; c\nd')).toEqual([
      text('a'),
      text('\n'),
      { kind: 'quote', children: [{ kind: 'bold', children: [text('b')] }, text('\n'), text('c')] },
      text('\n'),
      text('d'),
    ]);
    expect(parseMrkdwn('>>> a\nb')).toEqual([{ kind: 'quote', children: [text(' a\nb')] }]);
  });

  test('a bare address is a link, its full stop is none, and verbatim leaves it alone', () => {
    const line = 'see https://a.example/x_y_z?a=1&amp;b=2.';
    expect(parseMrkdwn(line)).toEqual([
      text('see '),
      { kind: 'link', url: 'https://a.example/x_y_z?a=1&b=2' },
      text('.'),
    ]);
    expect(parseMrkdwn(line, { verbatim: true })).toEqual([text('see https://a.example/x_y_z?a=1&b=2.')]);
  });

  test('every reference is read', () => {
    expect(parseMrkdwn('<@U1|ann><#C1><!subteam^S1|@oncall><!here|here><mailto:a@b.example|mail>')).toEqual([
      { kind: 'person', id: 'U1', label: 'ann' },
      { kind: 'channel', id: 'C1' },
      { kind: 'group', id: 'S1', label: '@oncall' },
      { kind: 'broadcast', range: 'here' },
      { kind: 'link', url: 'mailto:a@b.example', label: 'mail' },
    ]);
  });

  test('a command that mentions nobody stays text', () => {
    expect(parseMrkdwn('<!channel|all> <!nobody|x &amp; y>')).toEqual([
      { kind: 'broadcast', range: 'channel' },
      text(' '),
      text('<!nobody|x & y>'),
    ]);
  });

  test('escaped text is no reference', () => {
    expect(parseMrkdwn('&lt;!channel&gt; &amp;lt;')).toEqual([text('<!channel> &lt;')]);
  });

  const piece = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('*', '_', '~', '`', '```', '>', '&gt;', '<', '|', '\n', ' ', 'a', ':fire:', '<@U1>', '\uFFFC', '!'),
  );
  const hostile = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join(''));
  const bare = (words: string) => words.replaceAll(/[*_~`<>|\s]/g, '');

  test('it never throws and loses no text', () => {
    fc.assert(
      fc.property(hostile, words => {
        expect(bare(said(parseMrkdwn(words)))).toBe(bare(decodeEntities(words)));
      }),
      { examples: [['<!|!>']] },
    );
  });

  test('its time grows with the text alone', () => {
    for (const unit of ['*', '*a', '*a*', '_a ', '`', '``` ', '<', '<a', ':a', '>a\n', '*_~', 'https://']) {
      // Anything quadratic takes minutes here.
      const words = unit.repeat(20_000);
      expect(bare(said(parseMrkdwn(words)))).toBe(bare(decodeEntities(words)));
    }
  });
});

describe('formatDate', () => {
  const seconds = Date.UTC(2026, 1, 18, 23, 30, 5) / 1000;
  const now = new Date(seconds * 1000 + 3 * 3_600_000);
  const inBerlin = (format: string) => formatDate({ seconds, format, fallback: '?' }, { zone: 'Europe/Berlin', now });

  test.each([
    ['{date_num}', '2026-02-19'],
    ['{date_slash}', '02/19/2026'],
    ['{date}', 'February 19, 2026'],
    ['{date_short}', 'Feb 19, 2026'],
    ['{date_long}', 'Thursday, February 19, 2026'],
    ['{date_pretty}', 'today'],
    ['{time}', '12:30 AM'],
    ['{time_secs}', '12:30:05 AM'],
    ['{ago}', '3 hours ago'],
    ['at {time} {nonsense}', '?'],
    ['{constructor}', '?'],
  ])('%s is written in the reader’s zone', (format, words) => {
    expect(inBerlin(format)).toBe(words);
  });

  test('days beside the reader’s own have words', () => {
    const pretty = (days: number) =>
      formatDate(
        { seconds, format: '{date_short_pretty}', fallback: '' },
        { zone: 'UTC', now: new Date((seconds + days * 86_400) * 1000) },
      );
    expect([pretty(1), pretty(-1), pretty(2)]).toEqual(['yesterday', 'tomorrow', 'Feb 18, 2026']);
  });

  test('a time that is none gives the fallback', () => {
    expect(formatDate({ seconds: Number.NaN, format: '{date}', fallback: 'once' }, { zone: 'UTC' })).toBe('once');
    expect(formatDate({ seconds: 1e300, format: '{date}', fallback: 'once' }, { zone: 'UTC' })).toBe('once');
  });
});
