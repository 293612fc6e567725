import { describe, expect, test } from 'vitest';
import { type Args, parseCommand } from '../../../../src/bot/grammar/grammar.ts';
import type { VerbShape } from '../../../../src/bot/grammar/verb.ts';
import { findMentioned, readMentions } from '../../../../src/bot/people/mentions.ts';
import type { Person } from '../../../../src/bot/people/person.ts';
import { openLog } from '../../../../src/operations/log.ts';
import { anna } from '../../../support/person.ts';
import { readList } from '../../../support/table.ts';

const verbs: VerbShape[] = [{ noun: 'role', verb: 'assign', usage: '[@user] role', summary: 'Assign a role' }];

/** What follows `/role assign`, as the grammar reads it. */
function argsOf(text: string): Args {
  const parsed = parseCommand(verbs, { root: '/role', commandRoot: 'muster', text: `assign ${text}` });
  if (parsed.kind !== 'verb') throw new Error(`${text} is ${JSON.stringify(parsed)}`);
  return parsed.args;
}

const named = (text: string) => readMentions(argsOf(text), 'U9');
const namedByAt = (text: string) => readMentions(argsOf(text), 'U9', { onlyAt: true });

describe('whom a command names', () => {
  test('mentions, each once, and the text beside them', () => {
    expect(named('<@U1|anna> commander')).toEqual({ ids: ['U1'], rest: 'commander', problem: '' });
    expect(named('commander <@U1> <@U2> <@U1>')).toEqual({ ids: ['U1', 'U2'], rest: 'commander', problem: '' });
  });

  test.each(
    readList(`
    me commander | ME commander | @me commander | myself commander | @myself commander | me, commander
    me: commander | commander me | me me commander me
  `),
  )('“%s”: the person who types it', text => {
    expect(named(text)).toEqual({ ids: ['U9'], rest: 'commander', problem: '' });
  });

  test('the person who types it once, also beside their own mention', () => {
    expect(named('<@U9> me commander').ids).toEqual(['U9']);
  });

  test.each(['tell me later', 'meter commander', 'home', 'mes', 'me; commander', 'x@me commander'])(
    '“%s” names nobody',
    text => {
      expect(named(text)).toMatchObject({ ids: [], rest: text });
    },
  );

  test('“me” alone leaves no text', () => {
    expect(named('me')).toEqual({ ids: ['U9'], rest: '', problem: '' });
    expect(named('me  commander of\tall')).toMatchObject({ ids: ['U9'], rest: 'commander of\tall' });
    expect(named('all of\tcommander  me')).toMatchObject({ ids: ['U9'], rest: 'all of\tcommander' });
  });

  test('where the text is free, only “@me”', () => {
    expect(namedByAt('@me call the vendor')).toEqual({ ids: ['U9'], rest: 'call the vendor', problem: '' });
    expect(namedByAt('call the vendor @me:')).toMatchObject({ ids: ['U9'], rest: 'call the vendor' });
    expect(namedByAt('@ME, call the vendor')).toMatchObject({ ids: ['U9'], rest: 'call the vendor' });
    expect(namedByAt('me call the vendor')).toMatchObject({ ids: [], rest: 'me call the vendor' });
    expect(namedByAt('myself too')).toMatchObject({ ids: [], rest: 'myself too' });
    expect(namedByAt('write to x@me')).toMatchObject({ ids: [], rest: 'write to x@me' });
    expect(namedByAt('@meter reading')).toMatchObject({ ids: [], rest: '@meter reading' });
  });

  test('a name that is no mention is a problem, and never somebody', () => {
    expect(named('@bob commander')).toEqual({
      ids: [],
      rest: 'commander',
      problem: 'I do not know @bob: pick the name from Slack’s list while you type, so that it becomes a mention.',
    });
    expect(named('@bob, @eve<x> commander').problem).toContain('I do not know @bob and @eve&lt;x&gt;: pick');
    // Free text keeps the name: it may be part of what is said.
    expect(namedByAt('@bob call the vendor')).toMatchObject({ rest: '@bob call the vendor' });
  });

  test('stops after a name, an @ before a group and spaces around the text are no part of them', () => {
    const args = { ...argsOf('x'), rest: ' me x ', unresolved: ['@bob.!', '@a.b'] };
    expect(readMentions(args, 'U9')).toMatchObject({ ids: ['U9'], rest: 'x' });
    expect(readMentions(args, 'U9').problem).toContain('I do not know @bob and @a.b: pick');
    const groups = [{ id: 'S1', label: '@sre@home' }];
    expect(readMentions({ ...args, groups }, 'U9').problem).toContain('@sre@home is a group:');
  });

  test('a long name is cut', () => {
    expect(named(`@${'b'.repeat(200)} commander`).problem.length).toBeLessThan(200);
  });

  test('a group is a problem', () => {
    expect(named('<!subteam^S1|@sre> commander').problem).toBe('@sre is a group: name people, one by one.');
    expect(named('<!subteam^S1|sre> @bob commander').problem).toBe('@sre is a group: name people, one by one.');
  });
});

/** A desk where only these people are known, and what it notes in its log. */
function deskOf(people: readonly Person[], failing: readonly string[] = []) {
  const noted: Record<string, unknown>[] = [];
  const desk = {
    people: {
      find: async (id: string) => {
        if (failing.includes(id)) throw Object.assign(new Error('no'), { data: { error: 'fatal_error' } });
        return people.find(each => each.userId === id);
      },
    },
    log: openLog('warn', { write: line => void noted.push(JSON.parse(line)) }),
  };
  return { desk, noted };
}

describe('the people behind ids', () => {
  const bob = { ...anna, userId: 'U2', name: 'bob' };
  const gone = { ...anna, userId: 'U3', isDeleted: true };

  test('are found, in that order', async () => {
    const { desk } = deskOf([anna, bob]);
    expect(await findMentioned(desk, ['U2', 'U1'], 'task')).toEqual({ people: [bob, anna] });
    expect(await findMentioned(desk, [], 'task')).toEqual({ people: [] });
  });

  test('somebody unknown is said', async () => {
    const { desk } = deskOf([anna]);
    expect(await findMentioned(desk, ['U1', 'U7'], 'task')).toEqual({
      problem: 'Slack does not know <@U7> here: name somebody in this workspace.',
    });
  });

  test('somebody who left cannot be named, except where anyone may be', async () => {
    const { desk } = deskOf([anna, gone]);
    expect(await findMentioned(desk, ['U1', 'U3'], 'task')).toEqual({
      problem: '<@U3> has left this workspace: name somebody who is still here.',
    });
    expect(await findMentioned(desk, ['U1', 'U3'], 'removal')).toEqual({ people: [anna, gone] });
  });

  test('a guest may be given a task and lose a role, and holds none', async () => {
    const gus = { ...anna, userId: 'U4', isGuest: true };
    const { desk } = deskOf([gus]);
    expect(await findMentioned(desk, ['U4'], 'task')).toEqual({ people: [gus] });
    expect(await findMentioned(desk, ['U4'], 'removal')).toEqual({ people: [gus] });
    expect(await findMentioned(desk, ['U4'], 'role')).toEqual({
      problem: expect.stringContaining('<@U4> is a guest and could not act in that role'),
    });
  });

  test('a Slack that fails is said, and noted with its reason', async () => {
    const { desk, noted } = deskOf([anna], ['U1']);
    expect(await findMentioned(desk, ['U1'], 'task')).toEqual({
      problem: 'Slack did not tell me who <@U1> is: try again in a moment.',
    });
    expect(noted).toMatchObject([{ level: 'warn', reason: 'fatal_error', msg: expect.stringMatching(/\w/) }]);
  });
});
