import { type Chapter, declare } from './chapter.ts';

/** What is owed: an update is promised and comes late, nobody leads, nothing is said, a task does not move; and a look back. */
export const owed: Chapter = async stage => {
  const { alice, bob } = stage.people;
  const { words, slack } = stage;
  stage.begin('What is owed');
  const room = await declare(stage, words.title, '--severity major');
  stage.go(room);
  const pass = (minutes: number) =>
    stage.act(`${minutes} minutes pass`, async () => {
      stage.wait(minutes);
      for (let times = 0; times < 2; times += 1) {
        await stage.muster.bot.journal.tick();
        await stage.quiet();
      }
    });
  const direct = () => slack.channels.find(each => each.isIm && each.members.has(alice.id)) ?? room;
  await stage.type(alice, '/incident reminders', '/incident reminders sometimes', '/incident reminders on');
  await pass(11);
  await stage.press(bob, 'Snooze 15 min');
  await pass(16);
  await stage.press(bob, 'Stop');
  await stage.type(alice, '/role assign me commander', `/task add ${words.task} @alice`);
  await pass(61);
  await stage.press(alice, 'Snooze 30 min', { channel: direct() });
  await stage.type(alice, `/incident update ${words.update} --next 30m`, '/incident reminders');
  await pass(26);
  await stage.press(alice, 'Snooze 60 min', { channel: direct() });
  await pass(5);
  await pass(16);
  await stage.press(bob, 'Stop');
  await stage.press(alice, 'Stop', { channel: direct() });
  await stage.type(bob, `/incident update ${words.otherTitle}`);
  await pass(200);
  await stage.type(alice, '/incident reminders', `/incident resolve ${words.said} --now`);
  await pass(24 * 60 + 1);
  await stage.type(alice, '/incident reminders owner', '/incident reminders off');
};
