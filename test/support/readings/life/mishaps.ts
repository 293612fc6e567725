import { forgePress } from '../../forged-press.ts';
import { type Chapter, declare, newest, numberOf, privateRoom } from './chapter.ts';

/** What goes wrong, with people, with Slack and with the API. */
export const mishaps: Chapter = async stage => {
  const { alice, bob, dora, gus, watchdog } = stage.people;
  const { words, slack } = stage;
  stage.begin('What goes wrong');
  const room = await declare(stage, 'All goes wrong');
  stage.go(room);
  gus.join(room);
  await stage.menu(alice, 'add_timeline', watchdog.say(stage.general, ' '));
  const said = dora.say(room, words.said);
  await stage.act('a guest reacts', () => gus.react(said, 'memo'));
  await stage.act('a reaction to a message of Muster', () =>
    bob.react(room.messages.find(message => message.botId === slack.botId) ?? said, 'pushpin'),
  );
  await stage.act('a reaction to a message that Slack does not show', async () => {
    slack.fail('conversations.history', { error: 'missing_scope' }, { times: 3 });
    slack.fail('conversations.replies', { error: 'missing_scope' }, { times: 3 });
    bob.react(said, 'pushpin');
    await stage.quiet();
    slack.heal();
  });
  await stage.type(alice, `/task add ${words.task}`, `/task delete ${words.task.split(' ')[0]}`);
  await stage.press(alice, 'task.delete');
  await stage.type(alice, `/note ${words.note}`, '/note list');
  await stage.type(bob, '/note list');
  await stage.press(bob, 'Remove');
  await stage.press(alice, 'Remove');
  await stage.press(alice, 'Edit');
  await stage.close(alice);
  stage.goAway();
  await stage.type(alice, `/note ${words.note} again`);
  const waiting = room.messages.findLast(message => message.ephemeralTo === alice.id);
  await stage.act('[Discard], twice', async () => {
    if (waiting) await Promise.all([alice.press(waiting, 'Discard'), alice.press(waiting, 'Discard')]);
  });
  await stage.act('a button of another version', () =>
    forgePress(slack, alice, room.id, { id: 'no.such.button', value: '{}' }),
  );
  await stage.act('a button whose value is another version’s', () =>
    forgePress(slack, alice, room.id, { id: 'task.done', value: '{}' }),
  );
  for (const id of ['muster.again', 'muster.discard', 'muster.undo', 'dash.another'])
    await stage.act('the button of somebody else', () =>
      forgePress(slack, bob, room.id, { id, value: JSON.stringify({ intent: 'x' }) }),
    );
  await stage.act('', stage.comeBack);
  await shutOut(stage);
  stage.begin('What goes wrong with a private incident');
  stage.go(stage.general);
  await stage.type(alice, `/incident declare ${words.otherTitle} --now`);
  const hidden = stage.room();
  for (const person of [bob, dora]) person.join(hidden);
  await stage.act('the room is made private', () => alice.makePrivate(hidden));
  const { incidentID } = await newest(stage);
  stage.goAway();
  await stage.type(dora, `/incident severity major --incident ${incidentID}`);
  dora.leave(hidden);
  await stage.act('somebody left before their change was made', stage.comeBack);
  await stage.type(alice, `/incident declare ${words.title} --now`);
  slack.fail('chat.delete', { error: 'cant_delete_message' }, { times: 20 });
  await stage.act('an announcement that Slack does not delete', () => alice.makePrivate(stage.room()));
  slack.heal();
  const talk = alice.say(hidden, words.said);
  bob.say(hidden, words.note, { threadTs: talk.ts });
  stage.go(hidden);
  await stage.menu(alice, 'add_timeline', talk);
  const elsewhereTalk = await privateRoom(stage, alice, bob);
  stage.go(elsewhereTalk);
  const thread = alice.say(elsewhereTalk, words.said);
  bob.say(elsewhereTalk, words.otherTask, { threadTs: thread.ts });
  await stage.menu(alice, 'add_timeline', thread);
  await stage.submit(alice, { incident: (await numberOf(stage, 'All goes wrong')).incidentID });
  stage.begin('What goes wrong with a declaration');
  stage.go(stage.general);
  stage.goAway();
  await stage.type(alice, '/incident declare It is refused later --now');
  stage.goAway({ when: /CreateIncident$/, status: 400, body: JSON.stringify({ error: words.roleText }) });
  await stage.act('it is refused', async () => {
    await stage.muster.bot.journal.wake();
  });
  await stage.act('', stage.comeBack);
};

/** Slack lets nobody into the channels that Muster makes: a public one, a private one, and a private one whose declaration waited. */
const shutOut: Chapter = async stage => {
  const { alice } = stage.people;
  const { words, slack } = stage;
  const dm = slack.openDm(alice);
  stage.begin('What goes wrong with an invitation');
  stage.go(stage.general);
  slack.fail('conversations.invite', { error: 'cant_invite' }, { times: 3 });
  await stage.type(alice, `/incident declare ${words.title} --now`, `/incident declare ${words.title} --private --now`);
  stage.goAway();
  await stage.type(alice, `/incident declare Shut out, ${words.otherTitle} --private --now`);
  await stage.act('it is registered, and Slack does not let its declarer in', stage.comeBack);
  slack.heal();
  await stage.press(alice, 'Join', { channel: dm });
};
