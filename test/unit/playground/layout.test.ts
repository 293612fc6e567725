import { expect, test } from 'vitest';
import { withEmoji } from '../../../playground/layout.ts';

test.each([
  [':memo: Added', '📝 Added'],
  [':pencil2: renamed', '✏️ renamed'],
  [':clock3: started', '🕒 started'],
  [':card_file_box: archived', '🗃️ archived'],
  ['from 02:05:10 to 02:06', 'from 02:05:10 to 02:06'],
  [':no_such_emoji:', ':no_such_emoji:'],
])('“%s” is shown in a terminal as “%s”', (typed, shown) => {
  expect(withEmoji(typed)).toBe(shown);
});
