import type { Expect } from '../checks.ts';
import { blocksOf } from '../fake-slack/block-kit/message-blocks.ts';
import { type Message, renderMessage } from '../fake-slack/fake-slack.ts';
import { columns, styled, withEmoji, wrap } from '../layout.ts';
import { foldLabels } from '../observer.ts';
import type { Scene, Story } from '../story.ts';
import { findRoom } from './incident.ts';

/** Lines of a screen. */
const screen = 25;
const gutter = 8;
/** Stands before what has bold words in Slack: a person who scrolls reads little else. */
const boldMark = '▌';

/** The whole incident as somebody reads it who only looks on. */
export const bystander: Scene = async story => {
  const { check, transcript } = story;
  transcript.scene(
    'What a bystander saw',
    `Dave typed nothing. This is the incident’s channel as he reads it afterwards, the pinned card first. ${boldMark} marks what stands out in bold.`,
  );
  await check('A bystander reads the whole incident on one screen.', {
    act: async () =>
      transcript.lines(readRoom(story).map(({ text, isBold }) => (isBold ? styled('bold', text) : text))),
    look: expect => {
      const rows = readRoom(story);
      expect(rows.length <= screen, `at most ${screen} lines, and there were ${rows.length}`);
      expectWords(rows, ['took command', 'Roll back release 1141', 'finished', 'raised', 'Resolved after'], expect);
    },
  });
  await check('What stands out alone says what happened, how bad it was, who led, and how it ended.', {
    look: expect => {
      const bold = readRoom(story).filter(({ isBold }) => isBold);
      const facts = [
        'Checkout answers 500',
        'minor → major',
        '@bob took command',
        'Resolved after',
        'Rolling back cured it',
      ];
      expectWords(bold, facts, expect);
    },
  });
};

interface Row {
  readonly text: string;
  readonly isBold: boolean;
}

function expectWords(rows: readonly Row[], all: readonly string[], expect: Expect): void {
  const text = rows.map(row => row.text.slice(gutter)).join(' ');
  for (const words of all) expect(text.includes(words), `“${words}”`);
}

/** What everybody in the room reads, without the replies in threads. */
function readRoom(story: Story): readonly Row[] {
  const { slack } = story.system;
  const isSeen = ({ subtype, ephemeralTo, threadTs, ts }: Message) =>
    subtype === undefined && ephemeralTo === undefined && (threadTs === undefined || threadTs === ts);
  return findRoom(story)
    .messages.filter(isSeen)
    .flatMap(message => {
      const time = new Date(Number(message.ts) * 1000).toISOString().slice(11, 16);
      const author = message.botId === slack.botId ? '' : `${slack.directory.personName(message.userId ?? '') ?? ''}: `;
      return blocksOf(message)
        .filter(({ type }) => type !== 'actions')
        .flatMap(block => {
          const alone = { ...message, blocks: [block], attachments: [] };
          const isBold = message.botId === slack.botId && hasBold(block);
          const lines = foldLabels(alone, renderMessage(slack, alone));
          return lines.flatMap(line => wrap(asSeen(line), columns - gutter).map(text => ({ text, isBold })));
        })
        .map(({ text, isBold }, at) => {
          const head = `${at === 0 ? time : ''}`.padEnd(gutter - 2);
          return { text: `${head}${isBold ? boldMark : ' '} ${at === 0 ? author : ''}${text}`, isBold };
        });
    });
}

/** A line as Slack shows it: emoji as pictures, and of links their words alone. */
function asSeen(line: string): string {
  return withEmoji(line).replace(/ \(https?:\/\/[^\s)]+\)/g, '');
}

/** Whether a block has bold words. */
function hasBold(block: Message['blocks'][number]): boolean {
  if (block.type === 'header') return true;
  return /(?<![\p{L}\p{N}*])\*[^\s*][^*\n]*\*/u.test(JSON.stringify(block));
}
