import { type Message, renderMessage } from '../../fake-slack/fake-slack.ts';
import { columns, withEmoji, wrap } from '../layout.ts';
import { foldLabels } from '../observer.ts';
import type { Scene, Story } from '../story.ts';
import { findRoom } from './incident.ts';

/** Lines of a screen. */
const screen = 25;
const gutter = 7;

/** The whole incident as somebody reads it who only looks on. */
export const bystander: Scene = async story => {
  const { check, transcript } = story;
  transcript.scene(
    'What a bystander saw',
    'Dave typed nothing. This is the incident’s channel as he reads it afterwards, below the pinned card.',
  );
  await check('A bystander reads the whole incident on one screen.', async expect => {
    await story.system.shown();
    const lines = readRoom(story);
    transcript.lines(lines);
    expect(lines.length <= screen, `at most ${screen} lines, and there were ${lines.length}`);
    const text = lines.join('\n');
    for (const words of [
      'commander',
      'Roll back release 1141',
      'finished',
      'raised',
      'Resolved after',
      'Rolling back',
    ]) {
      expect(text.includes(words), `“${words}”`);
    }
  });
};

/** What everybody in the room reads, without the card and the replies in threads. */
function readRoom(story: Story): readonly string[] {
  const { slack } = story.system;
  const isSeen = ({ subtype, ephemeralTo, pinned, threadTs, ts }: Message) =>
    subtype === undefined && ephemeralTo === undefined && !pinned && (threadTs === undefined || threadTs === ts);
  return findRoom(story)
    .messages.filter(isSeen)
    .flatMap(message => {
      const time = new Date(Number(message.ts) * 1000).toISOString().slice(11, 16);
      const author = message.botId === slack.botId ? '' : `${slack.directory.personName(message.userId ?? '') ?? ''}: `;
      const text = withEmoji(`${author}${foldLabels(message, renderMessage(slack, message)).join('\n')}`);
      const rows = wrap(text, columns - gutter);
      return rows.map((row, index) => `${(index === 0 ? time : '').padEnd(gutter)}${row}`);
    });
}
