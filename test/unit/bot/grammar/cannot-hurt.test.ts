import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allVerbs } from '../../../../src/bot/dispatch/feature/feature.ts';
import { features } from '../../../../src/bot/features.ts';
import { parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import { encodePeople } from '../../../support/peer-commands.ts';
import { readList } from '../../../support/table.ts';
import { talk } from '../../../support/talk.ts';

const verbs = allVerbs(features);
const writes = verbs.filter(each => !each.reads);

function parse(root: string, text: string) {
  return parseCommand(verbs, { root, commandRoot: 'muster', channelPrefix: 'inc-', text: encodePeople(text) });
}

/** The verb that a line carries out unasked, and changes something by; undefined when it changes nothing. */
function changeOf(root: string, text: string): string | undefined {
  const parsed = parse(root, text);
  if (parsed.kind !== 'verb') return undefined;
  const shape = writes.find(each => each.noun === parsed.noun && each.verb === parsed.verb);
  return shape && `${shape.noun} ${shape.verb}: ${parsed.args.raw}`;
}

const words = fc.constantFrom(
  ...readList(`
    of | INC-1 | 1 | we | roll | back | the | deploy | add | update | severity | major | resolved | me | @bob
  `),
  ...readList(`
    —all | --incident | “all of it” | please | tasks | is | down | ? | and | post | done | 2 | new | title | ok
  `),
);
const tails = fc.array(words, { minLength: 1, maxLength: 7 }).map(each => each.join(' '));

// A word that is meant only alone is another verb's with words behind it: `/muster page ops it burns` pages people.
const reading = verbs.filter(each => each.reads && !each.alone);

test.each(reading.map(each => [`${each.noun} ${each.verb}`, each] as const))(
  '“%s” changes nothing, whatever stands behind it',
  (_name, { noun, verb, aliases = [] }) => {
    fc.assert(
      fc.property(tails, fc.constantFrom(verb, ...aliases), (tail, word) => {
        for (const root of [noun, 'mention']) {
          const line = `${root === 'mention' ? `${noun} ` : ''}${word} ${tail}`;
          expect(changeOf(root, line), line).toBeUndefined();
        }
      }),
      { numRuns: 300 },
    );
  },
);

test.each([
  ['incident', 'status of INC-1', 'incident status'],
  ['incident', 'status of 1 please', 'incident status'],
  ['incident', 'status for this incident', 'incident status'],
  ['incident', 'show me INC-1', 'incident status'],
  ['incident', 'details on #1', 'incident status'],
  ['incident', 'overview please', 'incident status'],
  ['incident', 'info about inc-1', 'incident status'],
  ['incident', 'status —incident 1', 'incident status'],
  ['incident', 'show tasks', 'task list'],
  ['incident', 'show incidents', 'incident list'],
] as const)('/%s %s shows', (root, text, shown) => {
  const parsed = parse(root, text);
  expect(parsed.kind === 'verb' && `${parsed.noun} ${parsed.verb}`).toBe(shown);
});

test.each(
  readList(`
  post mortem on Friday | post-mortem on Friday | Post Mortem is due | post mortem doc for the outage
  stand down everybody | all clear from the vendor | status page is updated | roll back release 1098
  root cause is the cache | on call is @bob | wrap up in ten minutes | follow up with the vendor | catch up on this
`),
)('/incident %s is no other command with half of its words', text => {
  expect(changeOf('incident', text)).toBeUndefined();
  expect(changeOf('mention', text)).toBeUndefined();
});

test('people talk about and to a bot 200 times: nothing changes unasked', () => {
  expect(talk.length).toBeGreaterThanOrEqual(200);
  expect(talk.flatMap(line => changeOf('mention', line) ?? [])).toEqual([]);
});

test('a question is answered with what can be shown, and never with a declaration first', () => {
  for (const [line, first] of [
    ['what is the status?', 'incident status'],
    ['what’s the status of checkout?', 'incident status'],
    ['who is commander?', 'role list'],
    ['who leads this?', 'role list'],
    ['which tasks are open?', 'task list'],
    ['are there any other incidents?', 'incident list'],
    ['how bad is it?', 'incident status'],
    ['is this fixed?', 'incident status'],
    ['where are the notes?', 'note list'],
    ['did anybody look at the timeline?', 'incident timeline'],
  ] as const) {
    const parsed = parse('mention', line);
    const [shown] = parsed.kind === 'unknown' ? parsed.readings : parsed.kind === 'verb' ? [parsed] : [];
    expect(`${shown?.noun} ${shown?.verb}`, line).toBe(first);
  }
});

test('a stage before the end is an update, and never the end', () => {
  for (const text of readList(`
    mitigate --now | mitigate | mitigated | mitigated: the cache is warm | mitigate traffic is back
  `))
    expect(changeOf('incident', text), text).toMatch(/^incident update/);
});

test('commands by mention still work at once', () => {
  for (const [line, act] of [
    ['update: customers can pay again, we watch it', 'incident update'],
    ['task add call the vendor @bob', 'task add'],
    ['severity major', 'incident severity'],
    ['resolve', 'incident resolve'],
    ['title: Checkout answers 500', 'incident title'],
    ['note the cache was cold at ten', 'note add'],
    ['task done 1', 'task done'],
    ['role assign @bob commander', 'role assign'],
    ['declare: Checkout answers 500', 'incident declare'],
    ['label checkout', 'incident label'],
    ['reopen', 'incident reopen'],
  ] as const)
    expect(changeOf('mention', line), line).toMatch(new RegExp(`^${act}`));
});
