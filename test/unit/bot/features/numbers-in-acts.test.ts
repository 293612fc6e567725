import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import type { Reading } from '../../../../src/bot/grammar/verb.ts';
import { encodePeople } from '../../../support/peer-commands.ts';
import { readList } from '../../../support/table.ts';
import { shareVerbs } from '../../../support/verbs.ts';

const room = shareVerbs({}, ({ type, alice, general }) => type('/incident declare Disk is full --now', alice, general));

/** Lines in the room of incident 1 that name incident 2: neither is changed, and one question has both or says why. */
const naming = readList(`
  resolve --now 2 | close --now #2 | close --now INC-2 | close --now #inc-2-payments-slow | resolve incident 2 --now
  end incident #2 --now | close number 2 --now | close no. 2 --now | close (2) --now | close "2" --now | resolve 1 2 --now
  resolve all --now | resolve both --now | resolve 2 1 --now | resolve we saw it in INC-2 --now | resolve it --now INC-2
  cancel incident 2 | cancel on 2 | cancel for INC-2 | cancel probe lied INC-2 | cancel 1 and 2 | cancel all
  reopen incident 2 | reopen for 2 | reopen it fails again INC-2
  update incident 2 we are back | update for 2: we are back | update 2 we are back | post 2 we are down | update 2 --now | update INC-2 | update for #2
  update we are back in #inc-2-payments-slow | update 2: we are back
  page sre 2 | page sre #2 db full | page sre incident 2 | call @bob #2 | call @bob INC-2 | call @bob to incident 2 | call @bob 2
  duplicate 2 | duplicate #2 | duplicate of 2 | duplicate of INC-2 | duplicate 9 | duplicate 1 | false alarm 2
`);

test.each(naming)('in the room of incident 1, “/incident %s” does nothing unasked', async line => {
  const { type, bodies, incident } = room();
  const state = async () => [await incident(), await incident('2'), await bodies(), await bodies('2')];
  const known = await state();
  const answer = await type(`/incident ${line}`);
  expect(answer).toMatch(/nothing was (?:done|changed)|no pager/i);
  expect(await state()).toEqual(known);
});

const verbs = allVerbs(features);

function parse(root: string, line: string, as?: Reading) {
  const text = encodePeople(line);
  return parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text, as });
}

test.each([
  ['page sre 2', 'sre'],
  ['page sre #2 db full', 'sre db full'],
  ['page sre incident 2', 'sre'],
  ['call @bob #2', '@bob'],
  ['call @bob to incident 2', '@bob'],
  ['update incident 2 we are back', 'we are back'],
  ['update for 2: we are back', 'we are back'],
  ['post 2 we are down', 'we are down'],
  ['cancel probe lied INC-2', 'probe lied'],
  ['resolve the pool was full (#2) --now', 'the pool was full'],
])('“%s” may be about incident 2, with the other words', (line, words) => {
  for (const root of ['incident', 'mention']) {
    const parsed = parse(root, line);
    if (parsed.kind === 'unknown') {
      expect(parsed.readings[0]?.names?.incident, root).toBe('2');
      continue;
    }
    const named = parsed.kind === 'verb' ? parsed.named : undefined;
    expect([named?.reference.id, named?.isCertain], root).toEqual(['2', false]);
    const read = parse(root, line, named?.apart);
    expect(read.kind === 'verb' && [read.args.text, read.args.flags.incident]).toEqual([words, '2']);
  }
});

test.each(
  readList(`
  update 2 of 3 nodes are back | update half of 3 regions fail | resolve rack 2 was dark --now | cancel it was 2 probes
  page sre 2 nodes are dark | update we lost 2 | note #2 is slow | resolve it took 2 hours | call @bob 2 nodes are dark
`),
)('“%s” counts: deep in a sentence a number is text', line => {
  const parsed = parse('incident', line);
  const named = parsed.kind === 'verb' ? parsed.named : undefined;
  expect(named?.apart.names).toBeUndefined();
});

test('by mention such an act is offered for the incident that it names', () => {
  const parsed = parse('mention', 'update incident 2 we are back');
  const [first] = parsed.kind === 'unknown' ? parsed.readings : [];
  const read = parse('mention', 'update incident 2 we are back', first);
  expect(read).toMatchObject({ kind: 'verb', args: { text: 'we are back', flags: { incident: '2' } } });
});

test('an act on several incidents is offered for the one at hand, with its flags', () => {
  const readings = ['resolve all --at 20m ago --now', 'resolve 1 and 2 --at 20m ago --now'].map(each => {
    const parsed = parse('incident', each);
    const read = parsed.kind === 'unknown' ? parse('incident', each, parsed.readings[1]) : undefined;
    return read?.kind === 'verb' ? [read.verb, read.args.text, read.args.flags] : [];
  });
  expect(readings).toEqual([
    ['resolve', '', { at: '20m ago', now: true }],
    ['resolve', '', { at: '20m ago', now: true }],
  ]);
});
