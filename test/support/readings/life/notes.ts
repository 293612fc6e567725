import { type Chapter, declare, privateRoom } from './chapter.ts';

/** Notes, typed and from messages, and the timeline. */
export const notes: Chapter = async stage => {
  const { alice, bob, dora } = stage.people;
  const { words } = stage;
  stage.begin('Notes and the timeline');
  const room = await declare(stage, 'Notes are written');
  stage.go(room);
  await stage.type(
    alice,
    '/note list',
    `/note ${words.note}`,
    `/note add ${words.note} --at 10m ago`,
    '/note at 12:20 alerts fired',
    '/note add x --at banana',
    '/note add x --at tomorrow',
    '/note add backup --at 23:05',
  );
  await stage.press(alice, 'Undo');
  await stage.press(alice, 'note.add');
  await stage.submit(alice, { text: words.note });
  await stage.type(alice, '/note AKIAIOSFODNN7EXAMPLE is the key', '/note list');
  await stage.press(alice, 'Redact');
  await stage.type(alice, '/note again: AKIAIOSFODNN7EXAMPLF');
  await stage.press(alice, 'Drop');
  await stage.type(alice, '/note and again: AKIAIOSFODNN7EXAMPLG');
  await stage.press(alice, 'Keep');
  await stage.type(alice, `/note ${words.otherTask}`);
  await stage.type(alice, '/note list');
  await stage.press(alice, 'Edit', { near: 'key' });
  await stage.submit(alice, { text: words.note });
  await stage.press(alice, 'Edit');
  await stage.submit(alice, {});
  await stage.press(alice, 'Edit');
  await stage.submit(alice, { at: stage.now() });
  await stage.press(alice, 'Important');
  await stage.type(bob, '/note list');
  await stage.press(bob, 'Edit');
  await stage.submit(bob, { at: '' });
  await stage.press(bob, 'Remove');
  const question = alice.say(room, words.said);
  dora.say(room, 'Yes, since a minute ago.', { threadTs: question.ts });
  await stage.menu(bob, 'add_timeline', question);
  await stage.press(bob, 'Add the whole thread');
  await stage.menu(bob, 'add_timeline', question);
  await stage.menu(bob, 'add_thread', question);
  await stage.menu(bob, 'add_worded', dora.say(room, 'PayPal never failed.'));
  await stage.submit(bob, { text: words.note, at: stage.now() });
  await stage.menu(bob, 'add_timeline', alice.say(stage.general, 'The bank confirms it.'));
  await stage.submit(bob, {});
  await stage.menu(
    bob,
    'add_timeline',
    room.messages.find(message => message.botId === stage.slack.botId),
  );
  await stage.menu(
    bob,
    'add_timeline',
    alice.upload(room, { name: 'log.txt', content: words.note, mimetype: 'text/plain' }),
  );
  await stage.act('a reaction', () => bob.react(question, 'memo'));
  const reacted = dora.say(room, words.said);
  await stage.act('another reaction', () => bob.react(reacted, 'pushpin'));
  await stage.act('the reaction is taken back', () => bob.unreact(reacted, 'pushpin'));
  await stage.act('the reaction once more', () => bob.react(reacted, 'pushpin'));
  await stage.act('a message that is changed', async () => {
    const said = dora.say(room, 'It is slow');
    await stage.quiet();
    bob.react(said, 'pushpin');
    await stage.quiet();
    dora.editMessage(said, words.said);
    await stage.quiet();
    dora.deleteMessage(said);
  });
  const secret = await privateRoom(stage, alice);
  await stage.menu(alice, 'add_timeline', alice.say(secret, words.said));
  await stage.submit(alice, {});
  for (let each = 1; each <= 14; each += 1) await stage.type(alice, `/note ${words.many('Note', each, 400)}`);
  await stage.type(alice, '/note list', '/incident timeline');
  await stage.press(alice, 'Older ›');
  await stage.type(bob, '/incident catchup', '/incident catchup since 20m ago', '/incident catchup since banana');
  await stage.press(bob, 'From the start');
  await stage.press(bob, 'Post to channel');
  await stage.type(bob, `/incident recap ${words.note}`, '/incident catchup --post');
  await stage.pressAll(alice, room);
};
