import { type Chapter, declare, numberOf } from './chapter.ts';

/** The end of an incident. */
export const ending: Chapter = async stage => {
  const { alice, bob } = stage.people;
  const { words } = stage;
  stage.begin('The end');
  const room = await declare(stage, words.title, '--severity critical');
  stage.go(room);
  stage.wait(200);
  await stage.type(bob, `/task add ${words.task} @bob`, '/incident resolve');
  await stage.submit(bob, { summary: words.summary });
  await stage.type(bob, '/incident archive');
  await stage.submit(bob, { when: '7' });
  await stage.type(
    alice,
    '/incident resolve again --now',
    '/incident resolve',
    '/incident status',
    '/incident reopen',
    '/incident reopen',
    `/incident resolve ${words.summary} --now --at 20m ago`,
    '/incident resolve x --at tomorrow',
  );
  await stage.press(alice, 'incident.reopen');
  await stage.type(alice, `/incident cancel ${words.summary}`);
  await stage.press(alice, 'By mistake');
  await stage.press(alice, 'Undo');
  await stage.type(alice, '/incident false alarm');
  await stage.press(alice, 'By mistake');
  await stage.type(alice, '/incident cancel', '/incident status', '/incident reopen');
  await stage.type(alice, '/incident ended 5m ago');
  await stage.pressAll(alice, room);
  await stage.type(alice, `/incident resolve ${words.summary} --now`, '/incident archive');
  await stage.submit(alice, { when: '7' });
  await stage.type(alice, '/incident record', '/incident archive off');
  await stage.act('the room is archived', () => alice.archive(room));
  stage.begin('What people pressed once more');
  for (const channel of [stage.general, stage.slack.openDm(bob), stage.slack.openDm(alice), stage.incidents])
    for (const person of [bob, alice]) if (channel.members.has(person.id)) await stage.pressAll(person, channel);
};

/** What was left is used when it is no longer kept. */
export const later: Chapter = async stage => {
  const { alice, bob, dora } = stage.people;
  stage.begin('Forty days later');
  await stage.menu(alice, 'add_worded', dora.say(stage.general, stage.words.said));
  stage.wait(40 * 24 * 60);
  const { incidentID } = await numberOf(stage, 'All goes wrong');
  await stage.act('the form is sent', () => alice.submit({ incident: incidentID }));
  await stage.close(alice);
  for (const channel of [stage.general, ...stage.slack.channels.filter(each => each.name.includes('-notes-are'))])
    for (const person of [alice, bob]) await stage.pressAll(person, channel);
  for (const channel of stage.slack.channels.filter(each => each.name.includes('dashboards')))
    await stage.pressAll(alice, channel);
};
