import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isLong } from '../../support/length.ts';
import type { Lived, PublicWrite } from './busy-minute.ts';

const seeds = isLong ? [1, 2, 3, 4, 5, 6, 7, 8] : [1];
const minute = 60;

/** What each seed's busy minute and the one after brought. A process of its own, since it takes the clock over. */
function live(...args: string[]): Promise<readonly Lived[]> {
  const script = fileURLToPath(new URL('./busy-minute.ts', import.meta.url));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, '--seeds', seeds.join(), ...args], { maxBuffer: 1e8 }, (error, stdout) => {
      if (error) reject(error);
      else
        resolve(
          stdout
            .trimEnd()
            .split('\n')
            .map(line => JSON.parse(line)),
        );
    });
  });
}

async function writesOf(...args: string[]): Promise<readonly (readonly PublicWrite[])[]> {
  return (await live(...args)).map(each => each.writes);
}

const told = (writes: readonly PublicWrite[]) =>
  writes.map(each => `${each.at} ${each.isInRoom ? 'room' : 'elsewhere'} ${each.method} ${each.text}`).join('\n');

/** The most writes within any minute. */
function mostPerMinute(writes: readonly PublicWrite[]): number {
  return Math.max(...writes.map(({ at: from }) => writes.filter(({ at }) => at >= from && at < from + minute).length));
}

/** The messages of the room's lines as they stand at the end, in the order in which they were begun. */
function roomLines(writes: readonly PublicWrite[]): readonly string[] {
  const messages: string[] = [];
  for (const { text } of writes.filter(each => each.isInRoom && !isCard(each))) {
    const begun = messages.findIndex(each => each.split('\n', 1)[0] === text.split('\n', 1)[0]);
    if (begun < 0) messages.push(text);
    else messages[begun] = text;
  }
  return messages.flatMap(each => each.split('\n'));
}

const isCard = ({ text }: PublicWrite) => text.startsWith('Incident 1 (');

/** The numbers of the notes in these lines. */
const notesIn = (lines: readonly string[]) =>
  lines.flatMap(line => (/ noted: “\D*?(?: 1140)? (\d+)”/.exec(line)?.[1] ?? []) as string | []).map(Number);

const inOrder = (numbers: readonly number[]) => [...new Set(numbers)].toSorted((one, other) => one - other);

test.each(['1', '3'])(
  'forty acts in one minute are at most six writes beside the private receipts, processes: %s',
  async processes => {
    for (const writes of await writesOf('--processes', processes)) {
      expect(mostPerMinute(writes), told(writes)).toBeLessThanOrEqual(6);
      const notes = notesIn(roomLines(writes));
      expect(notes.length, told(writes)).toBe(16);
      expect(notes).toEqual(inOrder(notes));
    }
  },
);

test.each(['1', '3'])(
  'forty acts in one minute, with a rise and an update among them, are at most twelve writes, processes: %s',
  async processes => {
    for (const writes of await writesOf('--noticed', '--processes', processes)) {
      expect(mostPerMinute(writes), told(writes)).toBeLessThanOrEqual(12);
      const notes = notesIn(roomLines(writes));
      expect(notes, told(writes)).toEqual(inOrder(notes));
      for (const [line, news, shown] of [
        ['Severity raised: minor', 'went from minor to critical', '(active, critical)'],
        ['Update ·', 'Checkout is down: We roll back', ': We roll back'],
      ] as const) {
        const posts = writes.filter(each => each.method === 'chat.postMessage');
        const [inRoom, ...others] = posts.filter(each => each.isInRoom && each.text.includes(line));
        expect(inRoom?.text.replace('\n> ', ''), told(writes)).not.toContain('\n');
        const read = posts.filter(each => !each.isInRoom && each.text.includes(news));
        expect({ others: others.length, read: read.length }, told(writes)).toEqual({ others: 0, read: 1 });
        const at = inRoom?.at ?? 0;
        const card = writes.find(each => each.isInRoom && isCard(each) && each.text.includes(shown));
        for (const each of [card, read[0]]) expect(Math.abs((each?.at ?? 0) - at), told(writes)).toBeLessThan(3);
      }
      const announcement = writes.findLast(each => !each.isInRoom && isCard(each));
      expect(announcement?.text).toContain('(active, critical)');
      expect(announcement?.text).toContain('We roll back');
    }
  },
);

/** The floors of Slack's tiers (docs/slack.md 6): calls within a minute. */
const rates = { 'chat.update': 50, 'conversations.history': 50, 'conversations.setTopic': 20 } as const;

test.each(['1', '3'])(
  'at one act every five seconds for ten minutes, 95 of 100 lines stand within three seconds, processes: %s',
  async processes => {
    const delays: number[] = [];
    for (const { acts, writes, perMinute, postsPerSecond } of await live(
      '--steady',
      '--processes',
      processes,
      '--seeds',
      seeds.slice(0, 2).join(),
    )) {
      const inRoom = writes.filter(each => each.isInRoom && !isCard(each));
      for (const { at, line } of acts) {
        const words = `“${line.replace('/note add ', '')}”`;
        const stands = inRoom.find(each => each.text.split('\n').some(one => one.endsWith(words)));
        delays.push((stands?.at ?? Number.POSITIVE_INFINITY) - at);
      }
      for (const [method, most] of Object.entries(rates))
        expect(perMinute[method] ?? 0, method).toBeLessThanOrEqual(most);
      expect(postsPerSecond).toBeLessThanOrEqual(1);
      const cards = writes.filter(each => each.isInRoom && isCard(each)).map(each => each.at);
      expect(
        Math.max(...cards.slice(1).map((at, index) => at - (cards[index] ?? 0))),
        'the card is not forgotten',
      ).toBeLessThan(45);
    }
    const late = delays.filter(each => each > 3);
    expect(
      late.length / delays.length,
      delays
        .toSorted((one, other) => other - one)
        .slice(0, 30)
        .join(),
    ).toBeLessThanOrEqual(0.05);
  },
);
