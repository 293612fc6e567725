import { expect, test } from 'vitest';
import { type Inline, parseMrkdwn } from '../../../../playground/fake-slack/block-kit/mrkdwn.ts';
import { toMentioning } from '../../../../src/bot/people/kept-mentions.ts';
import { toMrkdwn } from '../../../../src/bot/text/blocks.ts';

/** The addresses that a reader can press in Muster's mrkdwn. */
function linksIn(mrkdwn: string): readonly string[] {
  const within = (nodes: readonly Inline[]): readonly string[] =>
    nodes.flatMap(each => (each.kind === 'link' ? [each.url] : 'children' in each ? within(each.children) : []));
  return within(parseMrkdwn(mrkdwn));
}

const typed = [
  ['Status: https://status.adyen.com/', 'https://status.adyen.com/'],
  ['https://x.example/a', 'https://x.example/a'],
  ['see https://x.example/a.', 'https://x.example/a'],
  ['see https://x.example/a, then', 'https://x.example/a'],
  ['really https://x.example/a?!', 'https://x.example/a'],
  ['(https://x.example/a)', 'https://x.example/a'],
  ['the page (https://x.example/a_(b)) says', 'https://x.example/a_(b)'],
  ['[https://x.example/a]', 'https://x.example/a'],
  ['he said “https://x.example/a”', 'https://x.example/a'],
  ['he said "https://x.example/a"', 'https://x.example/a'],
  ["he said 'https://x.example/a'", 'https://x.example/a'],
  ['«https://x.example/a»', 'https://x.example/a'],
  ['„https://x.example/a“', 'https://x.example/a'],
  ['*https://x.example/a*', 'https://x.example/a'],
  ['_https://x.example/a_', 'https://x.example/a'],
  ['~https://x.example/a~ gone', 'https://x.example/a'],
  ['`https://x.example/a`', 'https://x.example/a'],
  ['https://x.example/a_b_c?d=1&e=*#f', 'https://x.example/a_b_c?d=1&e=*#f'],
  ['https://x.example/a&b=<!channel>', 'https://x.example/a&b='],
  ['https://x.example/a|label', 'https://x.example/a'],
  ['HTTPS://X.example/A', 'HTTPS://X.example/A'],
  ['https://x.example/über', 'https://x.example/über'],
  ['https://x.example/a。then', 'https://x.example/a'],
  ['https://x.example/1\nnext', 'https://x.example/1'],
  ['https://x.example:8443/a:', 'https://x.example:8443/a'],
] as const;

test.each(typed)('“%s”, quoted, links to %s and nothing else', (words, address) => {
  for (const safe of [toMrkdwn(words), toMentioning(words, [], 2000)]) {
    for (const quoted of [`“${safe}”`, `> ${safe}`, `(${safe})`, `*${safe}* said ${safe}.`]) {
      expect(new Set(linksIn(quoted).length === 0 ? ['none'] : linksIn(quoted)), quoted).toEqual(new Set([address]));
    }
    expect(safe).not.toMatch(/<!channel>|<@/);
  }
});

test('an address that was cut is no link of another one, and several are each their own', () => {
  expect(toMrkdwn('see https://x.example/abcdefgh', 20)).not.toContain('<http');
  expect(linksIn(toMrkdwn('https://a.example https://b.example, https://c.example.'))).toEqual([
    'https://a.example',
    'https://b.example',
    'https://c.example',
  ]);
});

test('javascript: and other schemes are words', () => {
  expect(toMrkdwn('javascript://x.example/%0aalert(1) ftp://x.example')).not.toContain('<');
});
