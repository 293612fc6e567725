import { expect, test } from 'vitest';
import { Scrubber } from '../../../src/erase/erase.ts';

const identity = {
  userIDs: ['slack:U0ALICE', '7'],
  slackIDs: ['U0ALICE'],
  names: ['alice', 'Alice O’Neill & Co'],
  emails: ['alice@example.com'],
  photoURLs: ['https://img.example.com/alice.png'],
};
const successor = { name: 'Erased person 1', userIDs: ['erased:1', 'erased:1-2'], slackID: 'erased-1' };
const scrubber = new Scrubber(identity, successor);

test.each<[string, string]>([
  ['', ''],
  ['nothing of hers', 'nothing of hers'],
  ['alice', 'Erased person 1'],
  ['Alice@Example.com', ''],
  ['https://img.example.com/alice.png', ''],
  ['U0ALICE', ''],
  ['slack:U0ALICE', 'erased:1'],
  ['T1/U0ALICE', 'T1/erased-1'],
  ['<@U0ALICE> and <@U0ALICE|alice> know', 'Erased person 1 and Erased person 1 know'],
  ['ask @alice or alice@example.com', 'ask @Erased person 1 or Erased person 1'.replace('@E', 'E')],
  ['Alice O’Neill &amp; Co restarts it', 'Erased person 1 restarts it'],
  ['malice and alice2 stay, and so does the word alice', 'malice and alice2 stay, and so does the word alice'],
  [
    'It is down.\n\n— alice in Slack: https://x.slack.com/1',
    'It is down.\n\n— Erased person 1 in Slack: https://x.slack.com/1',
  ],
  [
    'Down, says alice.\n\n— said by bob in Slack, added by alice, edited by alice',
    'Down, says alice.\n\n— said by bob in Slack, added by Erased person 1, edited by Erased person 1',
  ],
  [
    '{"userID": "7", "name":"alice","count":7, "n": 12345678901234567890, "text":"say \\"hi\\" to @alice"}',
    '{"userID": "erased:1-2", "name":"Erased person 1","count":7, "n": 12345678901234567890, "text":"say \\"hi\\" to Erased person 1"}',
  ],
  ['{"kept":"{\\"addedBy\\":\\"alice\\"}"}', '{"kept":"{\\"addedBy\\":\\"Erased person 1\\"}"}'],
  ['{not json, alice', '{not json, alice'],
  ['7', '7'],
])('%j becomes %j where people wrote', (text, expected) => {
  expect(scrubber.scrub(text, 'people', false)).toBe(expected);
});

test('a very long text within JSON is read as well', () => {
  const long = `"${'x\\n'.repeat(4_000_000)}"`;
  expect(scrubber.scrub(`{"a":${long},"name":"alice"}`, 'people', false).slice(-26)).toBe(
    '"name":"Erased person 1"}'.padStart(26, ','),
  );
});

test('what Muster wrote holds no word of the name any more', () => {
  expect(scrubber.scrub('ALICE assigned bob as commander', 'machine', false)).toBe(
    'Erased person 1 assigned bob as commander',
  );
});

test('a short id is an id only where an id stands', () => {
  expect(scrubber.scrub('7', 'id', false)).toBe('erased:1-2');
});

test('a name that somebody else has stays where it is ambiguous, and ids go all the same', () => {
  expect(scrubber.scrub('x\n\n— alice in Slack', 'people', true)).toBe('x\n\n— alice in Slack');
  expect(scrubber.scrub('<@U0ALICE>', 'people', true)).toBe('Erased person 1');
});

test('it tells whether a text has the name, or an id that is hers alone', () => {
  const named = ['the word alice', 'malice', ''].map(text => scrubber.names(text));
  expect(named).toEqual([true, false, false]);
  const identified = ['T1/U0ALICE', 'ALICE@example.com', 'alice'].map(text => scrubber.identifies(text));
  expect(identified).toEqual([true, true, false]);
});
