import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { renderMrkdwn } from '../../../../playground/fake-slack/render/mrkdwn.ts';
import {
  cap,
  decodeEntities,
  escapeMrkdwn,
  stripControls,
  toComparable,
  toPlainText,
  toUnformatted,
} from '../../../../src/bot/text/words.ts';
import { unicodeText } from '../../../support/unicode-text.ts';

const texts = unicodeText({ maxLength: 80 });

describe('text on its way to Slack', () => {
  it('cannot mention, link or break out', () => {
    expect(escapeMrkdwn('<!channel> <@U1> a & b')).toBe('&lt;!channel&gt; &lt;@U1&gt; a &amp; b');
    fc.assert(
      fc.property(texts, text => {
        expect(escapeMrkdwn(text)).not.toMatch(/[<>]/);
        expect(decodeEntities(escapeMrkdwn(text))).toBe(text);
      }),
    );
  });

  it('formats nothing, neither itself nor the words of Muster around it, and reads as it was typed', () => {
    const signs = fc.string({
      unit: fc.constantFrom('*', '_', '~', '`', '>', ' ', 'a', '1', '.', '<', '&', '😀'),
      maxLength: 20,
    });
    const nobody = { personName: () => undefined, channelName: () => undefined, groupHandle: () => undefined };
    fc.assert(
      fc.property(signs, signs, (one, other) => {
        // Within a word no sign formats anything, so it stays as it is.
        fc.pre(!/[a-z0-9][*_~][a-z0-9]/.test(`x${one}x x${other}x`));
        const line = `*x${toUnformatted(one)}x* said _x${toUnformatted(other)}x_`;
        expect(renderMrkdwn(nobody, line)).toBe(`x${one}x said x${other}x`);
      }),
    );
    expect(toUnformatted('> a\n> b')).not.toMatch(/^(>|&gt;)/m);
    expect(toUnformatted('snake_case 2*3 a~b')).toBe('snake_case 2*3 a~b');
    expect(toUnformatted('*'.repeat(500)).length).toBeLessThan(1100);
    expect(toUnformatted('<!channel> *x*')).not.toMatch(/\*x\*|<!channel>/);
  });

  it('is capped between characters as people see them', () => {
    expect(cap('payments', 8)).toBe('payments');
    expect(cap('payments down', 10)).toBe('payments…');
    expect(cap('ab👍🏽cd', 4)).toBe('ab…');
    expect(cap('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 12)).toBe('👩‍👩‍👧‍👦…');
    expect(cap('👍👍', 3)).toBe('👍…');
    expect(cap('anything', 1)).toBe('…');
    expect(cap('anything', 0)).toBe('');
    expect(cap(`a${'\u0301'.repeat(500)}`, 50)).toHaveLength(50);
  });

  it('is never longer than asked for, and never half a character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 60 }), (text, max) => {
        const capped = cap(text, max);
        expect(capped.length).toBeLessThanOrEqual(Math.max(max, 0));
        expect(capped.isWellFormed()).toBe(true);
        if (text.length <= max) expect(capped).toBe(text);
      }),
    );
  });
});

describe('text on its way from Slack', () => {
  it('loses controls and spoofing marks, keeps line breaks, tabs and joined emoji', () => {
    expect(stripControls('a\u0000b\u001bc\u007fd\u0085\r\ne\tf\u202eg\u2066h')).toBe('abcd\ne\tfgh');
    expect(stripControls('👩‍👩‍👧 \ud800x')).toBe('👩‍👩‍👧 \ufffdx');
  });

  it('reads as people saw it', () => {
    expect(toPlainText('<@U1|bob> and <@U2> in <#C1|x> and <#C2>')).toBe('@bob and @U2 in #x and #a channel');
    expect(toPlainText('<#C2|> <!subteam^S1|@sre> <!subteam^S2>')).toBe('#a channel @sre @a group');
    expect(toPlainText('<!channel> <!here|here> <!everyone>')).toBe('@channel @here @everyone');
    expect(toPlainText('since <!date^1795183559^{date} {time}|2026-11-20 14:05 UTC>')).toBe(
      'since 2026-11-20 14:05 UTC',
    );
    expect(toPlainText('<https://a.example/x?a=1&amp;b=2|the graph> <https://a.example/>')).toBe(
      'the graph (https://a.example/x?a=1&b=2) https://a.example/',
    );
    expect(toPlainText('<http://a.example|a.example> <mailto:a@b.example|a@b.example>')).toBe('a.example a@b.example');
    expect(toPlainText('p99 &gt; 2s &amp;amp; a &lt;!channel&gt; b < c')).toBe('p99 > 2s &amp; a <!channel> b < c');
  });

  it('comes back from Slack as it was sent', () => {
    fc.assert(
      fc.property(texts, text => {
        expect(toPlainText(escapeMrkdwn(text))).toBe(stripControls(text));
      }),
    );
  });
});

test.each([
  ['Roll  back\tv41 ', 'roll back v41'],
  ['“Roll back”', 'roll back'],
  ['"\'«Roll back»\'"', 'roll back'],
  ['“ Roll back ”', 'roll back'],
  [' “Roll back” ', 'roll back'],
  ['don’t panic', 'don’t panic'],
  ['ＲＯＬＬ', 'roll'],
  [`${'a'.repeat(3000)}`, 'a'.repeat(2000)],
])('“%s” is compared as “%s”', (text, comparable) => {
  expect(toComparable(text)).toBe(comparable);
});
