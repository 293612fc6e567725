import { expect, test } from 'vitest';
import { plainText } from '../../../../playground/page/messages/plain-text.ts';
import { workspaceFacts } from '../../../support/page-facts.ts';

test.each([
  ['short', 80, 'short'],
  [':memo: *Noted* by <https://a.example|Ann>', 80, '📝 Noted by Ann (https://a.example)'],
  [':bust_in_silhouette: a person', 80, '👤 a person'],
  ['it began at 12:30:45 today', 80, 'it began at 12:30:45 today'],
  [':no_such_emoji: stays', 80, ':no_such_emoji: stays'],
  ['two\n lines   in one', 80, 'two lines in one'],
  ['checkout answers nothing', 20, 'checkout answers…'],
  ['checkout answers nothing', 16, 'checkout answers…'],
  ['checkout answers nothing', 15, 'checkout…'],
  ['Recorded times: Nov 24, 2026 11:11 PM to the end', 30, 'Recorded times:…'],
  ['Recorded times: Nov 24, 2026 at 11:11 PM to the end', 38, 'Recorded times:…'],
  ['Since 11:11 PM it is down', 9, 'Since…'],
  ['Since 2026-11-24 23:11 it is down', 17, 'Since…'],
  ['averylongwordwithoutanyplacetobreak', 10, 'averylongw…'],
  ['', 10, ''],
])('the words of %j in %i characters are %j', (mrkdwn, most, words) => {
  expect(plainText(workspaceFacts(), mrkdwn, most)).toBe(words);
});
