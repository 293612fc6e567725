import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { readList } from '../../../support/table.ts';

const verbs = allVerbs(features);

/** What a line does: a verb with its arguments, or nothing unasked. */
function said(root: string, text: string): string {
  const parsed = parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text });
  if (parsed.kind === 'help') return `help ${parsed.noun ?? ''} ${parsed.verb ?? ''}`.trim();
  return parsed.kind === 'verb' ? `${parsed.noun} ${parsed.verb} ${parsed.args.raw}`.trim() : parsed.kind;
}

test.each([
  ['mention', 'catch me up', ''],
  ['mention', 'Catch me up!', ''],
  ['mention', 'catch me up please', 'please'],
  ['mention', 'can you catch me up?', ''],
  ['mention', 'hey, could somebody catch me up', ''],
  ['mention', 'catch us up since 02:00', 'since 02:00'],
  ['mention', 'catch me up from the start', 'from the start'],
  ['mention', 'catch up', ''],
  ['mention', 'catchup', ''],
  ['mention', 'recap', ''],
  ['mention', 'recap please', 'please'],
  ['mention', 'summarize', ''],
  ['mention', 'summarise this incident', 'this incident'],
  ['mention', 'what did I miss?', ''],
  ['mention', 'What did I miss', ''],
  ['mention', 'what have I missed?', ''],
  ['mention', 'sorry, what did we miss since 20m ago?', 'since 20m ago?'],
  ['mention', 'did I miss anything?', ''],
  ['mention', 'anything I missed?', ''],
  ['mention', 'what happened while I was away?', ''],
  ['mention', 'what’s been going on while I was at lunch?', ''],
  ['mention', 'what changed while we were asleep', ''],
  ['mention', 'bring me up to speed', ''],
  ['mention', 'please get me up to date', ''],
  ['mention', 'fill me in', ''],
  ['mention', 'give me a quick recap', ''],
  ['mention', 'quick summary', ''],
  ['mention', 'what’s new?', ''],
  ['mention', 'what is new since 14:05', 'since 14:05'],
  ['mention', 'catch me up on INC-7', ''],
  ['mention', 'what did I miss in incident 7', ''],
  ['mention', 'What did I miss in incident 7?', ''],
  ['mention', 'what did we miss in #7?!', ''],
  ['mention', 'what did I miss in inc-7?', ''],
  ['mention', 'catch me up on 7!', ''],
  ['mention', 'catch us up on #7 since 02:00', 'since 02:00'],
  ['incident', 'catchup', ''],
  ['incident', 'catch-up since 02:00', 'since 02:00'],
  ['incident', 'catch up', ''],
  ['incident', 'catch me up', ''],
  ['incident', 'what did I miss', ''],
  ['incident', 'catchup --post', '--post'],
  ['incident', '7 catchup', ''],
  ['incident', 'catchup 7', ''],
  ['muster', 'recap', ''],
  ['muster', 'catch me up', ''],
])('/%s %s catches up', (root, line, rest) => {
  expect(said(root, line)).toBe(`incident catchup ${rest}`.trim());
});

test.each(
  readList(`
  what did I miss in incident 7? | What did I miss in #7?! | catch me up on INC-7.
  catch us up on incident #7, thanks! | can you catch me up on 7, please? | what’s new in incident 7?
  did we miss anything in inc-7? | fill me in about #inc-7? | recap 7?
  what happened while I was away in incident 7?
`),
)('“%s” is about incident 7', line => {
  const parsed = parseCommand(verbs, { root: 'mention', commandRoot: 'muster', channelPrefix: 'inc-', text: line });
  expect(parsed).toMatchObject({
    ...{ kind: 'verb', noun: 'incident', verb: 'catchup' },
    named: { reference: { kind: 'number', id: '7' }, isCertain: true },
  });
});

test.each([
  ['mention', 'catch the error in the log'],
  ['mention', 'who can catch the next deploy?'],
  ['mention', 'let us catch up tomorrow'],
  ['mention', 'fill in the times'],
  ['mention', 'what did we miss in the review of release 12?'],
  ['mention', 'what is new in release 12 of the pooler and its driver?'],
  ['mention', 'what happened so far?'],
  ['mention', 'what is the status?'],
  ['mention', 'I missed the alert'],
  ['mention', 'bring the replicas up to date'],
  ['mention', 'get me a coffee'],
  ['incident', 'summary checkout is down'],
  ['incident', 'tldr checkout is down'],
  ['note', 'catch me up'],
  ['note', 'what did I miss?'],
  ['task', 'add catch me up'],
])('/%s %s does not', (root, line) => {
  expect(said(root, line)).not.toMatch(/^incident catchup/);
});
