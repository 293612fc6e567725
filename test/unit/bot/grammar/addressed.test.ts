import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import type { Reading } from '../../../../src/bot/grammar/verb.ts';
import { dictations, talkByMention } from '../../../support/by-mention.ts';
import { readList } from '../../../support/table.ts';

const verbs = allVerbs(features);
const reads = new Set(verbs.filter(each => each.reads).map(each => `${each.noun} ${each.verb}`));

/** A line by mention, with every `@name` as Slack sends it. */
function parse(line: string, as?: Reading) {
  const text = line
    .replace(/@sre\b/g, '<!subteam^S1|@sre>')
    .replace(/(?<![\w|])@(\w+)/g, (_all, name: string) => `<@U${name.toUpperCase()}|${name}>`);
  return parseCommand(verbs, {
    root: 'mention',
    commandRoot: 'muster',
    channelPrefix: 'inc-',
    self: 'UMUSTER',
    text,
    as,
  });
}

/** What it changes: `""` for nothing. */
function changeOf(line: string): string {
  const parsed = parse(line);
  const act = parsed.kind === 'verb' ? `${parsed.noun} ${parsed.verb}` : '';
  return reads.has(act) ? '' : act;
}

const toOthers = readList(`
  @Muster @carol cancel | @carol, please cancel | @carol: cancel | @carol resolve --now | @carol update: see above
  @carol severity critical | @carol call @dave | @carol note: x | @carol task restart the pooler | @carol I step down
  @carol @Muster cancel | @sre resolve | @carol all clear | @carol it is critical | @carol @dave cancel | @carol 7 resolve
  @carol give @dave the lead | @carol I take command | @carol take over? | @carol rename to Checkout
`);

test.each(toOthers)('“%s” is addressed to another person: it is asked about', line => {
  expect(changeOf(line)).toBe('');
  expect(parse(line)).toMatchObject({ kind: 'unknown' });
});

test('each dictation and each request, addressed to a person, changes nothing', () => {
  const lines = [...dictations.map(([line]) => line), ...talkByMention].map(line => `@carol ${line}`);
  expect(lines.filter(line => changeOf(line) !== '')).toEqual([]);
});

test('the act that was addressed to another person is the button, with its words', () => {
  const offered = ['@carol resolve --now', '@carol update: see above', '@carol severity critical'].map(line => {
    const asked = parse(line);
    const [first] = asked.kind === 'unknown' ? asked.readings : [];
    const read = first && parse(line, first);
    return read?.kind === 'verb' ? `${read.verb} ${read.args.raw}` : '';
  });
  expect(offered).toEqual(['resolve --now', 'update see above', 'severity critical']);
});

const taken = readList(`
  take over | take the lead | taking over | took over | took command | takes over | is taking over | takes charge | will take over
  in command | take command | takes command | please take over | is in charge | will lead | has the lead
`);

test.each(taken)('“@carol %s” means Carol', words => {
  for (const line of [`@carol ${words}`, `@Muster @carol ${words}.`, `@Muster @carol, ${words}`]) {
    const parsed = parse(line);
    expect(parsed, line).toMatchObject({ kind: 'verb', noun: 'role', verb: 'assign' });
    expect(parsed.kind === 'verb' && parsed.args.users.map(each => each.id), line).toEqual(['UCAROL']);
  }
});
