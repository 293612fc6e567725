import { expect, test } from 'vitest';
import { openVerbs, shareVerbs } from '../../../support/verbs.ts';

/** Incident 1 burns (critical, labelled `checkout`), 2 is a drill, 3 is over. */
async function openThree() {
  const opened = await openVerbs();
  const { type, alice, general } = opened;
  await type('/incident severity critical');
  await type('/incident label checkout');
  await type('/incident declare Fire practice --drill --now', alice, general);
  await type('/incident declare Mail was slow --resolved --severity minor --now', alice, general);
  return opened;
}

test('a lone word that names a state, a kind, a severity or a label filters the list', async () => {
  const { type, alice, general } = await openThree();
  for (const [word, shown, hidden] of [
    ['active', ['Checkout answers 500', 'Fire practice'], ['Mail was slow']],
    ['open', ['Checkout answers 500'], ['Mail was slow']],
    ['Ongoing', ['Checkout answers 500'], ['Mail was slow']],
    ['all', ['Checkout answers 500', 'Fire practice', 'Mail was slow'], []],
    ['everything', ['Checkout answers 500', 'Mail was slow'], []],
    ['resolved', ['Mail was slow'], ['Checkout answers 500', 'No incident']],
    ['closed', ['Mail was slow'], ['Checkout answers 500']],
    ['critical', ['Checkout answers 500'], ['Fire practice', 'Mail was slow']],
    ['SEV1', ['Checkout answers 500'], ['Fire practice']],
    ['minor', ['Mail was slow'], ['Checkout answers 500 ']],
    ['drills', ['Fire practice'], ['Checkout answers 500', 'Mail was slow']],
    ['checkout', ['Checkout answers 500'], ['Fire practice']],
    ['mail', ['Mail was slow'], ['Fire practice']],
  ] as const) {
    const list = await type(`/incident list ${word}`, alice, general);
    for (const each of shown) expect(list, word).toContain(each);
    for (const each of hidden) expect(list, word).not.toContain(each);
  }
});

test('a list that is empty says how many incidents go on', async () => {
  const { type, alice, general } = await openThree();
  for (const word of ['nginx', 'severity:major', 'label:nothing'])
    expect(await type(`/incident list ${word}`, alice, general), word).toContain('2 incidents are active');
  expect(await type('/incident list mail', alice, general)).toContain('2 incidents are active');
});

test('words find a task by the beginnings of its words, and numbers find several', async () => {
  const { type, incident } = await openVerbs();
  for (const text of ['call the bank', 'restart db-3', 'pay the vendor', 'look at the owner list'])
    await type(`/task add ${text}`);
  const open = async () =>
    (await incident()).taskList.tasks.filter(each => each.status !== 'done').map(each => each.text);
  const all = await open();
  for (const word of ['all', 'everything', 'alls', 'ank', 'ay', 'wner', 'estart', 'b-3', 'own list x', 'rest of it']) {
    await type(`/task done ${word}`);
    expect(await open(), word).toEqual(all);
  }
  expect(await type('/task done 1 and 9')).toContain('There is no task “9”. Nothing was changed.');
  expect(await open()).toEqual(all);
  await type('/task done ３');
  expect(await open()).not.toContain('pay the vendor');
  expect(await type('/task done 1, 2')).toContain('restart db-3');
  expect(await open()).toEqual(['look at the owner list']);
  await type('/task reopen 1 2');
  expect(await open()).toEqual(['call the bank', 'restart db-3', 'look at the owner list']);
  await type('/task done db');
  await type('/task done CALL bank');
  expect(await open()).toEqual(['look at the owner list']);
});

const room = shareVerbs();

test.each([
  ['SEV1', 'critical'],
  ['sev-1', 'critical'],
  ['P1', 'critical'],
  ['p0', 'critical'],
  ['Sev 2', 'major'],
  ['S2', 'major'],
  ['priority-3', 'minor'],
  ['s3', 'minor'],
])('the severity %s is %s by its rank', async (typed, meant) => {
  await room().type(`/incident severity ${typed}`);
  expect((await room().incident()).severity).toBe(meant);
  await room().type('/incident severity pending');
});

test('a rank that the team does not have is refused, with those that it has', async () => {
  const { type, incident, alice, general } = await openVerbs();
  expect(await type('/incident severity SEV5')).toContain('There is no severity “SEV5”');
  expect((await incident()).severity).toBe('pending');
  await type('/incident declare Disk is full --severity: major --now', alice, general);
  expect(await incident('2')).toMatchObject({ title: 'Disk is full', severity: 'major' });
});
