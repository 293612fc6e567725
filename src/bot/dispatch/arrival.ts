import type { Logger } from 'pino';
import type { Actor, Place } from '../people/person.ts';
import type { Words } from '../text/blocks.ts';
import type { Draft } from './drafts.ts';

/** Something that came from Slack: verified, acknowledged, not yet checked for who acts. */
export interface Arrival {
  readonly actor: Actor;
  readonly place: Place;
  /** Names this delivery for ever: a second delivery of the same act has the same key. */
  readonly key: string;
  /** Opens one form within three seconds; `""` when the delivery brought none. */
  readonly triggerId: string;
  /** What Slack delivered: the key and the place under which it is stored; place 0 when it could not be stored in time. */
  readonly asked: { readonly delivery: string; readonly place: number };
  /** Answers through the delivery's own address; undefined when it brought none. */
  readonly respond: ((words: Words, how: 'add' | 'replace') => Promise<void>) | undefined;
  /** Whether the message that was pressed is one that may be replaced. */
  readonly replaceable: boolean;
  readonly draft: Draft | undefined;
  readonly log: Logger;
  readonly now: Date;
  /** What is asked for later need not wait for it any more: no intent comes of it. */
  letPass(): void;
}
