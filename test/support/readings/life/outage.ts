import { type Chapter, declare } from './chapter.ts';

/** The API goes away, comes back, and refuses. */
export const outage: Chapter = async stage => {
  const { alice, bob, dora } = stage.people;
  const { words } = stage;
  stage.begin('The incident API is away');
  const before = await declare(stage, words.title);
  stage.go(before);
  await stage.type(alice, '/incident status', '/incident list', '/task add something');
  stage.goAway();
  await stage.type(
    alice,
    '/incident status',
    '/incident list',
    `/task add ${words.task}`,
    `/note ${words.note}`,
    '/task list',
    '/role list',
    `/incident title ${words.otherTitle}`,
    '/incident severity critical',
    '/incident timeline',
    '/note list',
    '/dash recent',
    '/dash show shop',
    '/muster whoami',
  );
  await stage.press(alice, 'Discard');
  await stage.press(alice, 'Try now');
  await stage.type(bob, `/incident resolve ${words.summary} --now`, '/incident status');
  stage.go(stage.general);
  await stage.type(
    alice,
    `/incident declare ${words.title} --label ${words.label} --commander --now`,
    '/incident list',
  );
  const room = stage.room();
  stage.go(room);
  for (const person of [bob, dora]) person.join(room);
  await stage.type(
    alice,
    `/note ${words.note}`,
    `/task add ${words.task} @bob`,
    '/incident status',
    '/incident list',
    '/incident resolve',
    '/task list',
    `/incident update ${words.update}`,
    '/role assign @bob investigator',
  );
  await stage.act('a message shortcut', async () => stage.menu(bob, 'add_timeline', dora.say(room, words.said)));
  stage.go(stage.general);
  await stage.type(bob, `/incident declare ${words.otherTitle} --now`);
  stage.go(stage.room());
  await stage.type(bob, `/note ${words.note}`);
  await stage.press(bob, 'Discard', { channel: stage.general });
  await stage.type(bob, '/incident status', `/note ${words.note}`);
  await stage.home(alice);
  stage.begin('The incident API is back');
  await stage.act('', stage.comeBack);
  stage.begin('The incident API refuses', before);
  stage.goAway({ when: /./, status: 400, body: JSON.stringify({ error: words.roleText }) });
  await stage.type(
    alice,
    `/task add ${words.task}`,
    '/incident status',
    '/incident severity minor',
    '/task list',
    `/incident title ${words.title}`,
  );
  await stage.press(alice, 'Try again');
  stage.go(stage.general);
  await stage.type(alice, `/incident declare ${words.title} --now`);
  for (const status of [401, 403, 404, 429, 500]) {
    stage.goAway({ when: /./, status, body: JSON.stringify({ error: words.roleText }) });
    stage.go(before);
    await stage.type(bob, '/incident status', `/note ${words.note} ${status}`, '/task list', '/incident list');
  }
  await stage.act('', stage.comeBack);
};
