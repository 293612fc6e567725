import { type Chapter, declare } from './chapter.ts';

/** Help, and the first things that people try. */
export const help: Chapter = async stage => {
  stage.begin('Help');
  const { alice, gus, root } = stage.people;
  await stage.act('a first direct message', () => alice.say(stage.slack.openDm(alice), 'hello'));
  await stage.act('another one', () => alice.say(stage.slack.openDm(alice), `${stage.words.nonsense} now`));
  await stage.act('the home tab', () => alice.openHome());
  await stage.type(alice, '/muster help');
  await stage.press(alice, 'muster.help.all');
  await stage.type(
    alice,
    '/muster help all',
    '/incident help',
    '/incident help declare',
    '/task add help',
    '/note help',
  );
  await stage.type(alice, `/incident ${stage.words.nonsense}`, `/muster ${stage.words.nonsense}`, '/task', '/note');
  await stage.type(alice, '/incident', '/incident status', '/task done 1', '/note something');
  await stage.type(alice, '/incident statsu', '/incident delete 1', '/incident declare --severty major x');
  await stage.type(gus, '/incident declare a guest', '/incident list', '/muster doctor');
  // Nothing of an incident is shown where a guest reads.
  gus.leave(stage.general);
  await stage.menu(alice, 'add_worded', alice.say(stage.general, stage.words.said));
  await stage.menu(alice, 'no_such_entry', alice.say(stage.general, stage.words.said));
  await stage.type(alice, '/muster whoami', '/muster doctor', '/role create x', '/role edit');
  await stage.press(alice, 'doctor.again');
  await stage.type(root, '/muster doctor', `/muster whoami ${stage.words.nonsense}`, '/muster whoami');
  await stage.press(root, 'This is me');
  await stage.submit(root, { user: 'grafana-user:7' });
  await stage.type(root, '/muster whoami');
  await stage.press(root, 'whoami.unlink');
};

/** Declaring, in each way. */
export const declaring: Chapter = async stage => {
  const { alice, bob, dora, watchdog } = stage.people;
  const { words } = stage;
  stage.begin('Declaring');
  await stage.type(alice, '/incident declare');
  await stage.submit(alice, { title: ' ' });
  await stage.type(alice, `/incident declare ${words.title} --severity nonsense --label ${words.label}`);
  await stage.submit(alice, {
    title: words.title,
    details: words.note,
    labels: `${words.label}, ${words.otherLabel}`,
    link: 'https://example.com/alert',
    caption: words.caption,
  });
  await stage.type(
    bob,
    '/incident declare',
    '/incident declare again --started 2027-01-01',
    '/incident declare x --now --severity 9',
  );
  await stage.close(bob);
  await stage.type(bob, `/incident declare ${words.otherTitle} --resolved --started 2h ago --ended 1h ago --now`);
  await stage.type(bob, `/incident declare a drill --drill --commander --severity minor --now`);
  const alert = watchdog.say(stage.general, words.said);
  await stage.quiet();
  await stage.menu(dora, 'declare_message', alert);
  await stage.submit(dora, {});
  const older = watchdog.say(stage.general, words.said);
  await stage.quiet();
  await stage.menu(dora, 'declare_message', older);
  await stage.pressInForm(dora, 'More options');
  await stage.submit(dora, { options: ['resolved'], where: 'here' });
  await stage.menu(bob, 'declare', undefined);
  await stage.submit(bob, { title: 'From the menu' });
  await stage.press(bob, 'Join');
  await declare(stage, 'A private one', '--private');
  await stage.type(bob, `/incident declare ${words.title} --now`);
  await stage.press(bob, 'muster.undo');
  await stage.quiet();
};
