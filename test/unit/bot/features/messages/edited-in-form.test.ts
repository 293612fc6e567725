import { expect, test } from 'vitest';
import { patient } from '../../../../support/deadlines.ts';
import { phrases } from '../../../../support/phrases.ts';
import { openVerbs, type VerbOptions } from '../../../../support/verbs.ts';

/** Bob says something, alice opens a form about it, and bob edits it before she sends the form. */
async function openEdited(shortcut: string, options: VerbOptions & { isOutside?: boolean } = {}) {
  const incident = await openVerbs(options);
  const { place, slack, alice, bob, general, home, act, bodies, submit } = incident;
  if (!options.isOutside) alice.invite(general, slack.botUserId);
  return {
    ...incident,
    /** Yields the note on the timeline. */
    add: async ({ values = {}, where = home, author = bob, to = 'rolled back to v42' } = {}) => {
      const message = author.say(where, 'rolled bakc to v41');
      await alice.shortcut(shortcut, message);
      await place.quiet();
      await act(() => author.editMessage(message, to));
      await submit(values);
      const [body = ''] = await bodies();
      return { body, message };
    },
  };
}

test('a message of another channel that is edited while its form is open is added with its newest words', async () => {
  const { add, general, alice, bob, place, act, bodies } = await openEdited('add_timeline');
  const { body, message } = await add({ where: general, values: { incident: '1' } });
  const foot = `${phrases.saidByBob}: ${message.permalink}`;
  expect(body).toBe(`rolled back to v42\n\n${foot}`);
  expect(place.lastRead(alice, 'general')).toContain(`${phrases.added}: “rolled back to v42”`);
  // From then on the note follows its message.
  await act(() => bob.editMessage(message, 'rolled back to v43'));
  expect(await bodies()).toEqual([`rolled back to v43\n\n${phrases.saidByBob}, edited by bob: ${message.permalink}`]);
});

test('words that the person leaves in the form are the newest ones', async () => {
  const { add } = await openEdited('add_worded');
  const { body, message } = await add();
  expect(body).toBe(`rolled back to v42\n\n${phrases.saidByBob}: ${message.permalink}`);
});

test('words that the person changes in the form stay, and the note says that the message was edited since', async () => {
  const { add } = await openEdited('add_worded');
  const { body, message } = await add({ values: { text: 'They rolled back' } });
  expect(body).toBe(
    `They rolled back\n\n${phrases.saidByBob}, edited by alice, since edited in Slack: ${message.permalink}`,
  );
});

test('a guest who edits while the form is open is quoted as before, and the note says so', async () => {
  const { add, gus } = await openEdited('add_worded');
  const { body, message } = await add({ author: gus });
  expect(body).toMatch(/^rolled bakc to v41\n\n— said by gus .*in Slack, added by alice, since edited in Slack: /);
  expect(body).toContain(message.permalink);
});

test.each([
  ['the bot is not in its channel', { isOutside: true }, undefined],
  ['Slack does not answer', { deadlines: patient({ slack: { quick: { call: 100 } } }) }, { stall: true } as const],
  ['Slack refuses to show it', {}, { error: 'missing_scope' } as const],
])('while %s, a message is added with the words that the form was opened with', async (_why, options, fault) => {
  const { add, general, slack, alice, place } = await openEdited('add_timeline', options);
  if (fault) slack.fail('conversations.replies', fault, { times: 5 });
  const { body } = await add({ where: general, values: { incident: '1' } });
  expect(body).toMatch(/^rolled bakc to v41\n\n/);
  expect(place.lastRead(alice, 'general')).toContain(phrases.added);
});

test('an incident that is declared from a message has its newest words as the first note', async () => {
  const { add, general, bodies } = await openEdited('declare_message');
  await add({ where: general, values: { title: 'Rollback' } });
  expect((await bodies('2'))[0]).toMatch(/^rolled back to v42\n\n/);
});
