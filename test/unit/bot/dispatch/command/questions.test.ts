import { expect, test } from 'vitest';
import { declareNow } from '../../../../support/incident-room.ts';
import { openVerbs } from '../../../../support/verbs.ts';

test.each([
  ['what is the status?', 'Checkout answers 500'],
  ['how long already?', 'Active since'],
  ['who leads?', 'commander: nobody'],
  ['when is the next update?', 'Checkout answers 500'],
  ['what tasks are open?', 'call the bank'],
])('“@muster %s” is answered with the part asked, for all, and offers nothing', async (line, part) => {
  const { ask, type, bob, gus, place, home } = await openVerbs();
  await type('/task add call the bank');
  const answer = await ask(line, bob);
  expect(answer).toContain(part);
  expect(answer).not.toMatch(/Declare|\[Add it|recorded nowhere|There is no command/);
  // A guest who stands by reads the same answer.
  expect(place.reads(gus, home.id).join('\n')).toContain(part);
});

test('what is asked of an incident by its number is answered from anywhere', async () => {
  const { type, alice, general } = await openVerbs();
  for (const line of ['what is the status of 1?', 'how bad is INC-1?'])
    expect(await type(`/incident ${line}`, alice, general), line).toContain('Checkout answers 500');
  expect(await type('/incident who leads 1?', alice, general)).toContain('Roles of incident 1');
});

test('small talk gets a word, and changes nothing', async () => {
  const { ask, bodies } = await openVerbs();
  expect(await ask('thanks!!')).toContain('You’re welcome.');
  expect(await ask('hello')).toContain('/incident help');
  expect(await ask('hello')).not.toContain('lists all commands');
  expect(await bodies()).toEqual([]);
});

test('asking nicely does the same as asking', async () => {
  const { ask, alice, incident } = await openVerbs();
  await ask('please add task call legal');
  expect((await incident()).taskList.tasks.map(each => each.text)).toEqual(['call legal']);
  await ask('Major.');
  expect((await incident()).severity).toBe('major');
  await ask('please resolve');
  expect((await incident()).status).toBe('active');
  expect(alice.view === undefined).toBe(true);
});

test('somebody outside a private incident learns nothing of it by asking', async () => {
  const { ask, place, alice, carol, general } = await openVerbs();
  await declareNow(place, alice, general, 'Customer data leaked --private');
  for (const line of ['what is the status?', 'who leads?', 'which incidents are open?', 'how bad is it?'])
    expect(await ask(line, carol, general), line).not.toContain('Customer data');
});

test('who asks who is on call reads that, and never the roles', async () => {
  const { ask, bob } = await openVerbs();
  for (const line of ['who is on call?', 'who is on call'])
    expect(await ask(line, bob)).toMatch(/Muster calls no group|Who is called now/);
});

test('a request is one question with the act as a button, and an unknown word declares no second incident', async () => {
  const { ask, type, bodies, incident, general, alice, act, place } = await openVerbs();
  const before = await incident();
  for (const [line, button] of [
    ['can you resolve this?', '[/incident resolve]'],
    ['brief the CEO', '[/incident update the CEO]'],
    ['update the runbook', '[/incident update the runbook]'],
    ['tag the release', '[/incident label the release]'],
    ['frobnicate the pool', '[Add it as a note: frobnicate the pool]'],
  ] as const) {
    const answer = await ask(line);
    expect(answer, line).toContain(button);
    expect(answer, line).not.toContain('Declare');
  }
  expect(await type('/incident frobnicate the pool')).toMatch(/^(?!.*Declare).*Add it as a note: frobnicate the pool/s);
  expect(await type('/incident reslove')).toMatch(/^(?!.*\[).*If you mean .*\/incident resolve/s);
  expect(await incident()).toEqual(before);
  expect(await bodies()).toEqual([]);
  // Elsewhere it may be a title.
  await act(() => alice.command(general, '/incident frobnicate the pool'));
  expect(place.lastRead(alice, general.id)).toContain('Declare “frobnicate the pool”');
});
