import { type Chapter, declare } from './chapter.ts';

/** What an incident says of itself. */
export const changing: Chapter = async stage => {
  const { alice, bob } = stage.people;
  const { words } = stage;
  stage.begin('The incident itself');
  const room = await declare(stage, words.title, '--severity major --commander');
  stage.go(room);
  await stage.type(
    alice,
    '/incident severity critical',
    '/incident severity critical',
    '/incident severity 9',
    '/incident severity',
  );
  await stage.press(alice, 'Undo');
  await stage.submit(alice, { severity: 'minor' });
  await stage.type(
    alice,
    `/incident severity major because ${words.update}`,
    `/incident severity major because ${words.update}`,
  );
  await stage.type(alice, '/incident severity minor');
  await stage.type(
    alice,
    `/incident summary ${words.update}`,
    `/incident summary ${'x'.repeat(3001)}`,
    '/incident summary',
  );
  await stage.submit(alice, { summary: words.doing });
  await stage.type(
    alice,
    `/incident title ${words.otherTitle}`,
    `/incident title ${words.otherTitle}`,
    '/incident title',
  );
  await stage.submit(alice, { title: words.title });
  await stage.type(
    alice,
    `/incident label ${words.label}, ${words.otherLabel}`,
    `/incident label ${words.label}`,
    '/incident label',
  );
  await stage.type(
    alice,
    `/incident unlabel ${words.label}`,
    `/incident unlabel ${words.nonsense}`,
    '/incident unlabel',
  );
  await stage.type(alice, '/incident drill on', '/incident drill on', '/incident drill off', '/incident drill maybe');
  await stage.type(
    alice,
    '/incident started 20m ago',
    '/incident started 20m ago',
    '/incident started tomorrow',
    '/incident started',
  );
  await stage.submit(alice, {});
  await stage.type(
    alice,
    '/incident ended 5m ago',
    '/incident started banana',
    '/incident receipts',
    '/incident receipts thread',
  );
  await stage.type(
    alice,
    '/incident severity major',
    '/incident receipts quiet',
    '/incident receipts channel',
    '/incident receipts loud',
  );
  await stage.type(
    alice,
    `/incident update ${words.update} --next 30m`,
    '/incident update --next soon x',
    '/incident update',
  );
  await stage.submit(alice, { happened: words.update, doing: words.doing });
  await stage.type(alice, `/incident update ${words.update} --severity critical`);
  await stage.press(alice, 'Undo');
  stage.wait(45);
  await stage.type(
    bob,
    '/incident status',
    `/incident timeline`,
    '/incident timeline notes',
    '/incident timeline @alice since 5m ago',
    '/incident timeline important',
  );
  await stage.press(bob, 'Post to channel');
  await stage.type(
    bob,
    '/incident list',
    '/incident list me',
    `/incident list ${words.nonsense}`,
    `/role list ${words.nonsense}`,
    `/incident status ${words.nonsense} and more`,
    '/incident list status:nonsense(',
    '/incident list status:active',
  );
  await stage.press(bob, 'Open');
  await stage.press(bob, 'incident.list.post');
  await stage.act('a mention', () => bob.mention(room, 'status'));
  await stage.act('a mention in #general', () => bob.mention(stage.general, 'status 1'));
  for (const line of ['list', 'task list 1', 'role list 1', 'list status:nonsense('])
    await stage.act(`${line}, by mention in #general`, () => bob.mention(stage.general, line));
  await stage.act('a mention that is edited', async () => {
    const said = bob.mention(room, `note ${words.nonsense}`);
    await stage.quiet();
    bob.editMention(said, `note ${words.note}`);
    await stage.quiet();
    const other = bob.mention(room, 'task add something');
    await stage.quiet();
    bob.editMention(other, `incident severity minor`);
  });
};
