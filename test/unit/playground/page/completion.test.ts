import { expect, test } from 'vitest';
import { complete } from '../../../../playground/page/compose/completion.ts';
import { channelFacts, personFacts, workspaceFacts } from '../../../support/page-facts.ts';

const workspace = workspaceFacts({
  people: [
    personFacts('root', { realName: 'Bo Root' }),
    personFacts('bob', { realName: 'Bob Baker' }),
    personFacts('jürgen', { realName: 'Jürgen Groß' }),
    personFacts('bogus', { isDeactivated: true }),
  ],
  groups: [{ id: 'S1', handle: 'bofh' }],
  channels: [
    channelFacts({ topic: 'All about carts' }),
    channelFacts({ id: 'D1', name: 'checker', kind: 'direct' }),
    channelFacts({ id: 'C2', name: 'database' }),
  ],
  commands: [
    { name: '/incident', usage: '[verb]', description: 'Incidents' },
    { name: '/inc-note', usage: '', description: 'A note' },
    { name: '/task', usage: 'add', description: 'Tasks' },
  ],
});

/** What is offered where `|` stands. */
function offered(line: string): readonly string[] | undefined {
  return complete(line.replace('|', ''), line.indexOf('|'), workspace)?.suggestions.map(each => each.text);
}

test('a command is completed at the beginning alone, with its usage', () => {
  expect(offered('/in|')).toEqual(['/incident ', '/inc-note ']);
  expect(complete('/incident', 9, workspace)?.suggestions).toEqual([
    { text: '/incident ', label: '/incident [verb]', remark: 'Incidents' },
  ]);
  expect(offered('/incident |')).toBeUndefined();
  expect(offered('see /in|')).toBeUndefined();
  expect(offered('/nothing|')).toBeUndefined();
});

test('people come before groups, those whose name begins so first, and nobody who has left', () => {
  expect(offered('ask @bo|')).toEqual(['@bob ', '@root ', '@bofh ']);
  expect(offered('@JÜR|')).toEqual(['@jürgen ']);
  expect(offered('mail bob@bo|')).toBeUndefined();
});

test('a channel is completed by any part of its name, a direct message never', () => {
  expect(offered('(#ch|')).toEqual(['#checkout ']);
  expect(offered('#base|')).toEqual(['#database ']);
});

test('an emoji is completed from its second letter on', () => {
  expect(offered(':t|')).toBeUndefined();
  expect(offered('done :tad|')).toEqual([':tada: ']);
  expect(offered(':s|')?.length ?? 0).toBe(0);
  expect(offered(':sm|')).toHaveLength(8);
});

test('the word at the cursor is replaced, not the one at the end', () => {
  expect(complete('ask @bo about #ch', 7, workspace)).toMatchObject({ from: 4 });
  expect(offered('ask @bo about #ch|')).toEqual(['#checkout ']);
});
