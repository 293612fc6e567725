import { expect, test } from 'vitest';
import { lineWords } from '../../../../../src/bot/incident/lines/words.ts';
import { toMessage } from '../../../../../src/bot/text/spoken.ts';
import { readTable } from '../../../../support/table.ts';
import { openVerbs } from '../../../../support/verbs.ts';

/** Acts with `; ` between them, and the message that the room reads of the last one. */
const matters = readTable(
  'what | lines | seen',
  String.raw`
  an update                          | /incident update we roll back | 📣 Update – @alice\n> we roll back
  an update on three lines           | /incident update line one\nline two\n- a | 📣 Update – @alice\n> line one\n> line two\n> - a
  an update with a promise           | /incident update we look --next 30m | 📣 Update · next by 12:47 PM – @alice\n> we look
  an update of a severe incident     | /incident severity major; /incident update we look --next 23:59 UTC | 📣 Update · 🟠 major · next by 11:59 PM – @alice\n> we look
  an update that changes the severity | /incident severity minor; /incident update it spreads --severity critical | 📣 Update · 🔴 critical (was minor) – @alice\n> it spreads
  a severity                         | /incident severity major | 🟠 Severity raised: pending → major – @alice
  a lower severity                   | /incident severity critical; /incident severity minor | 🟡 Severity lowered: critical → minor – @alice
  a resolution                       | /incident resolve --now it was\nthe pool | ✅ Resolved after 2 min – @alice\n> it was\n> the pool
  a reopening                        | /incident resolve --now; /incident reopen it is back | 🔁 Reopened – @alice\n> it is back
`,
);

test.each(matters)('$what is a message of its own, with a headline, in normal size', async ({ lines, seen: text }) => {
  const { type, wait, publicLines, linesOf } = await openVerbs();
  for (const line of lines.split('; ')) {
    wait(2);
    await type(line);
  }
  expect((await publicLines()).at(-1)).toBe(text);
  const [line] = (await linesOf('room')).slice(-1);
  expect(line?.is_alone).toBe(1);
  expect(toMessage(lineWords(line ? [line] : [])).blocks?.map(block => block.type)).toEqual(['section']);
  expect(line?.words).toMatch(/^\S+ \*[^*]+\* – /u);
});

const small = [
  '/task add Call the vendor',
  '/note the pool was shrunk',
  '/role assign @bob investigator',
  '/incident title Checkout is down',
  '/incident label checkout',
];

test.each(small)('“%s” stays small print', async line => {
  const { type, linesOf } = await openVerbs();
  await type(line);
  const lines = await linesOf('room');
  expect(lines.map(each => each.is_alone)).toEqual([0]);
  expect(toMessage(lineWords(lines)).blocks?.map(block => block.type)).toEqual(['context']);
});
