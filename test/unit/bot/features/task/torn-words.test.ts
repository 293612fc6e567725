import { expect, test } from 'vitest';
import { shareVerbs } from '../../../../support/verbs.ts';

const room = shareVerbs();

test.each([
  ['@bob’s laptop needs a new key', '@bob’s laptop needs a new key', ''],
  ["@bob's laptop needs a new key", "@bob's laptop needs a new key", ''],
  ['talk to @bob', 'talk to @bob', ''],
  ['check with @bob', 'check with @bob', ''],
  ['get the password from @bob', 'get the password from @bob', ''],
  ['ask @bob', 'ask @bob', ''],
  ['wait for the key of @bob', 'wait for the key of @bob', ''],
  ['tell the vendor that it is @bob', 'tell the vendor that it is @bob', ''],
  ['ask @bob about DNS', 'ask @bob about DNS', ''],
  ['call the vendor @bob', 'call the vendor', 'bob'],
  ['call the vendor for @bob', 'call the vendor', 'bob'],
  ['put it on the status page @bob', 'put it on the status page', 'bob'],
  ['turn the alerts on @bob', 'turn the alerts on', 'bob'],
  ['join the call @bob', 'join the call', 'bob'],
  ['call @bob', 'call @bob', ''],
  ['@bob call the vendor', 'call the vendor', 'bob'],
  ['@bob, call the vendor', 'call the vendor', 'bob'],
  ['@bob talk to @wendy', 'talk to @wendy', 'bob'],
  ['check (with @wendy) the logs @bob', 'check (with @wendy) the logs', 'bob'],
])('/task add %s', async (typed, text, name) => {
  await room().type(`/task add ${typed}`);
  const task = (await room().incident()).taskList.tasks.at(-1);
  expect([task?.text, task?.assignedUser?.name ?? '']).toEqual([text, name]);
});

test.each(['call the vendor for @bob and @wendy', '@bob and @wendy call the vendor', 'call the vendor @bob, @wendy'])(
  'two people are asked about: /task add %s',
  async typed => {
    const { type, incident } = room();
    const known = (await incident()).taskList.tasks.length;
    expect(await type(`/task add ${typed}`)).toContain('one assignee');
    for (const { text, assignedUser } of (await incident()).taskList.tasks.slice(known)) {
      expect(assignedUser?.name ?? '').toBe('');
      expect(text).not.toMatch(/(for|and)$/);
    }
  },
);
