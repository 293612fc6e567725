import { setTimeout as pause } from 'node:timers/promises';
import type { Channel, FakeSlack, Person } from '../../src/playground/fake-slack.ts';
import type { Random } from '../simulate/random.ts';

/** Something that somebody did. Times are milliseconds since the epoch. */
export interface Action {
  readonly mark: string;
  readonly incident: string;
  readonly kind: 'note' | 'mention' | 'task';
  readonly at: number;
  /** When the bot said what became of it; undefined when it did not. */
  answeredAt?: number;
  answer?: string;
}

/** How long somebody waits for an answer before doing the next thing, in milliseconds. */
const patience = 8000;

/** Keeps what each person was told, by the marks in it. */
export function createListener(slack: FakeSlack) {
  let read = 0;
  const told = new Map<string, { at: number; text: string }>();
  return (mark: string) => {
    for (; read < slack.calls.length; read += 1) {
      const call = slack.calls[read];
      if (!call || call.response?.ok !== true) continue;
      if (call.method !== 'response_url' && call.method !== 'chat.postEphemeral' && call.method !== 'chat.postMessage')
        continue;
      const text = String(call.args.text ?? '');
      for (const [word] of text.matchAll(/\bm\d+\b/g)) if (!told.has(word)) told.set(word, { at: Date.now(), text });
    }
    return told.get(mark);
  };
}

/** One person in one incident: does one thing after the other, each when the one before was answered or took too long. */
export async function work(parts: {
  slack: FakeSlack;
  person: Person;
  channel: Channel;
  incident: string;
  random: Random;
  listen: ReturnType<typeof createListener>;
  /** The next mark; undefined when enough was done. */
  next: () => string | undefined;
  /** Milliseconds between two actions at most. */
  pace: number;
}): Promise<readonly Action[]> {
  const { person, channel, random, listen } = parts;
  const actions: Action[] = [];
  for (let mark = parts.next(); mark; mark = parts.next()) {
    const kind = random.pick(['note', 'mention', 'mention', 'task'] as const);
    const action: Action = { mark, incident: parts.incident, kind, at: Date.now() };
    actions.push(action);
    if (kind === 'mention') person.mention(channel, `note add ${mark} seen under load`);
    else await person.command(channel, kind === 'note' ? `/note add ${mark} seen` : `/task add ${mark} look at it`);
    const until = Date.now() + patience;
    while (!listen(mark) && Date.now() < until) await pause(20);
    await pause(random.whole(0, parts.pace));
  }
  return actions;
}
