import { blocksOf } from '../../../playground/fake-slack/block-kit/message-blocks.ts';
import type { Change, FakeSlack, Message } from '../../../playground/fake-slack/fake-slack.ts';
import type { JsonObject } from '../../../playground/fake-slack/protocol/json.ts';

/** Something that Muster showed. `chapter` is the part of the life in which it did. */
export interface Reading {
  readonly chapter: string;
  /** The number of the act, and the thing that was shown: a message or view keeps its own while it changes. */
  readonly at: number;
  readonly thing: string;
  /** The act that led to it, as a person would tell it. */
  readonly act: string;
  /** Who reads it: `the room`, `the announcement`, `one person`, `a form`, and so on. */
  readonly reader: string;
  /** Of a message; of a form, its title. */
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  /** As it looks to a person. */
  readonly look: string;
}

/** Whom a message speaks to. */
function readerOf(slack: FakeSlack, message: Message, announcement: string): string {
  if (message.ephemeralTo !== undefined) return 'one person';
  if (message.channel === announcement) return message.threadTs ? 'thread of the announcement' : 'announcement';
  const channel = slack.channel(message.channel);
  if (channel.isIm) return 'direct message';
  const where = channel.name.startsWith('inc-') ? 'room' : 'channel';
  return message.threadTs === undefined || message.threadTs === message.ts ? where : `thread in the ${where}`;
}

/** Records all that Muster shows, in order, from now on: each message at each change, forms with their problems, home tabs, topics. */
export function record(slack: FakeSlack, announcement: string, look: Look) {
  const readings: Reading[] = [];
  const seen = new Set<string>();
  let chapter = '';
  let act = '';
  let at = 0;
  const add = (reading: Omit<Reading, 'chapter' | 'act' | 'at'>) => {
    const key = JSON.stringify([at, reading.thing, reading.look]);
    if (!seen.has(key)) readings.push({ chapter, act, at, ...reading });
    seen.add(key);
  };
  const watch = (change: Change) => {
    if (change.kind === 'message') {
      const { message } = change;
      if (message.botId !== slack.botId || message.deleted) return;
      const { text } = message;
      const blocks = blocksOf(message);
      const thing = `${message.channel} ${message.ts}`;
      add({ thing, reader: readerOf(slack, message, announcement), text, blocks, look: look.message(message) });
    } else if (change.kind === 'channel') {
      const { topic } = change.channel;
      if (topic !== '')
        add({ thing: `topic ${change.channel.id}`, reader: 'topic', text: topic, blocks: [], look: topic });
    } else if (change.kind === 'views') {
      const person = slack.person(change.userId);
      for (const view of [person.view, person.home]) {
        if (!view) continue;
        const reader = view.type === 'home' ? 'home tab' : 'form';
        add({ thing: view.id, reader, text: view.title, blocks: view.blocks, look: look.view(view) });
      }
    }
  };
  slack.watch(watch);
  return {
    readings,
    /** What follows belongs to this part of the life. */
    begin: (next: string) => {
      chapter = next;
    },
    /** What follows comes of this act. */
    acts: (next: string) => {
      act = next;
      at += 1;
    },
  };
}

/** How messages and views look to a person. */
export interface Look {
  message(message: Message): string;
  view(view: NonNullable<FakeSlack['people'][number]['view']>): string;
}
