import type { Deadlines } from '../../src/deadlines.ts';
import type { Channel, Person } from '../fake-slack/fake-slack.ts';
import { Feed, type FeedOptions } from './feed.ts';

interface Held {
  readonly feed: Feed;
  pages: number;
  ending: NodeJS.Timeout | undefined;
}

/** What feeds tell of, and how long. */
type FeedsOptions = Omit<FeedOptions, 'person'> & { readonly deadlines: Deadlines };

/** The feeds of all people: each runs while a page of theirs listens, and a while longer. Disposing ends them. */
export class Feeds implements Disposable {
  readonly #options: FeedsOptions;
  readonly #held = new Map<string, Held>();
  #isEnded = false;

  constructor(options: FeedsOptions) {
    this.#options = options;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The feed of a person, for one more page. */
  open(person: Person): Feed {
    const held = this.#held.get(person.id) ?? {
      feed: new Feed({ ...this.#options, person }),
      pages: 0,
      ending: undefined,
    };
    this.#held.set(person.id, held);
    clearTimeout(held.ending);
    held.pages += 1;
    return held.feed;
  }

  /** One page less listens to the feed of a person. */
  leave(person: Person): void {
    const held = this.#held.get(person.id);
    if (held === undefined) return;
    held.pages -= 1;
    if (held.pages > 0) return;
    held.ending = setTimeout(() => {
      this.#held.delete(person.id);
      held.feed[Symbol.dispose]();
    }, this.#options.deadlines.playground.window).unref();
  }

  /** A person has read a channel. */
  touch(person: Person, channel: Channel): void {
    this.#held.get(person.id)?.feed.touch(channel);
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    for (const { feed, ending } of this.#held.values()) {
      clearTimeout(ending);
      feed[Symbol.dispose]();
    }
    this.#held.clear();
  }
}
