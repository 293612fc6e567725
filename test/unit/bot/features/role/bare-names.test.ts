import { expect, test } from 'vitest';
import { openVerbs } from '../../../../support/verbs.ts';

/** A name without an @, where a person is meant. */
const lines = [
  ['/role assign carol commander', 'carol'],
  ['/role assign commander carol', 'carol'],
  ['/role carol commander', 'carol'],
  ['/role assign commander to carol jones', 'carol jones'],
  ['/role assign carol is investigator', 'carol'],
  ['/incident lead carol', 'carol'],
  ['/incident ic carol', 'carol'],
  ['/role handover carol commander', 'carol'],
  ['/task assign 1 carol', 'carol'],
  ['/task assign 1 to carol', 'carol'],
  ['/task assign #1 for carol', 'carol'],
] as const;

test('a name without an @ is asked for, and nobody is guessed', async () => {
  const { type, incident, wait } = await openVerbs();
  await type('/task add call the bank');
  for (const [line, name] of lines) {
    wait(1);
    const read = await type(line);
    expect(read, line).toContain(`I do not know ${name}: pick the name`);
    expect(read, line).not.toMatch(/There is no (role|task)/);
  }
  const { incidentMembership, taskList } = await incident();
  expect(incidentMembership.assignments).toEqual([]);
  expect(taskList.tasks.map(each => each.assignedUser)).toEqual([null]);
});

test('words that are neither role nor name are said as before', async () => {
  const { type } = await openVerbs();
  await type('/task add call the bank');
  expect(await type('/role assign scribe @bob')).toContain('There is no role “scribe”');
  expect(await type('/role assign carol')).toContain('There is no role “carol”');
  expect(await type('/task assign 9 carol')).toContain('There is no task “9”');
});
