import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { dictations, talkByMention } from '../../../support/by-mention.ts';
import { encodePeople } from '../../../support/peer-commands.ts';

const verbs = allVerbs(features);
const writing = new Set(verbs.filter(each => !each.reads).map(each => `${each.noun} ${each.verb}`));

function parse(line: string) {
  return parseCommand(verbs, {
    root: 'mention',
    commandRoot: 'muster',
    channelPrefix: 'inc-',
    text: encodePeople(line),
  });
}

test('people say and ask for more than 300 things by mention: nothing changes', () => {
  expect(new Set(talkByMention).size).toBeGreaterThanOrEqual(300);
  const changes = talkByMention.flatMap(line => {
    const parsed = parse(line);
    const act = parsed.kind === 'verb' ? `${parsed.noun} ${parsed.verb}` : '';
    return writing.has(act) ? `${line} → ${act}` : [];
  });
  expect(changes).toEqual([]);
});

test('people dictate more than 100 times: each act writes exactly its text', () => {
  expect(new Set(dictations.map(([line]) => line)).size).toBeGreaterThanOrEqual(100);
  const read = dictations.map(([line]) => {
    const parsed = parse(line);
    if (parsed.kind !== 'verb') return [line, parsed.kind, ''];
    // A person who is named behind a task gets it.
    const { text, rest } = parsed.args;
    return [line, `${parsed.noun} ${parsed.verb}`, (parsed.noun === 'task' ? rest : text).trim()];
  });
  expect(read).toEqual(dictations);
});
