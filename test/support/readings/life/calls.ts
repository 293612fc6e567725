import type { Chapter } from './chapter.ts';

/** Calls: a group and people are called, some answer, one is taken back, and what cannot be called is said. */
export const calls: Chapter = async stage => {
  const { alice, bob, dora, root, gus } = stage.people;
  const { words, slack } = stage;
  const sre = slack.addUserGroup({ handle: 'sre', members: [dora, root, gus] });
  slack.addUserGroup({ handle: 'empty' });
  stage.begin('Calls');
  await stage.type(bob, '/incident oncall', `/incident declare ${words.many('Calls', 1, 60)} --now`);
  const room = stage.room();
  alice.join(room);
  stage.go(room);
  await stage.type(
    bob,
    '/incident call @nobody',
    '/incident call @empty',
    `/incident call @sre ${words.said.slice(0, 200)}`,
  );
  await stage.type(bob, '/incident call @dora', '/incident call @alice');
  await stage.press(root, 'Coming in 5 min', { channel: slack.openDm(root) });
  await stage.press(root, 'Cannot', { channel: slack.openDm(root) });
  await stage.press(dora, 'In 30 min', { channel: slack.openDm(dora) });
  await stage.type(bob, '/incident call @dora');
  stage.wait(10);
  await stage.type(alice, '/incident call @root please');
  await stage.press(alice, 'Undo');
  await stage.press(root, 'Cannot', { channel: slack.openDm(root) });
  await stage.press(bob, 'Call');
  await stage.submit(bob, { group: sre.id, why: words.said.slice(0, 200) });
  const many = Array.from({ length: 31 }, (_, at) => slack.addPerson({ name: `many${at}` }));
  slack.setGroupMembers(sre.id, many);
  await stage.type(bob, '/incident call @sre');
  slack.setGroupMembers(sre.id, [dora, ...many.slice(0, 2)]);
  await stage.type(bob, '/incident label chain');
  await stage.press(dora, 'Cannot', { channel: slack.openDm(dora) });
  await stage.type(bob, '/incident resolve --now');
};
