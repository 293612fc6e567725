import type { ApiClient } from '../client/client.ts';
import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import type { StoryClock } from './story-clock.ts';

/** The running system as a story sees it. */
export interface StorySystem {
  readonly slack: FakeSlack;
  /** The API as an operator calls it: over HTTP, with a token. */
  readonly operator: ApiClient;
  /** Where the pages of the service are. */
  readonly pagesUrl: string;
  /** The address under which people know the pages: that of links. */
  readonly publicUrl: string;
  readonly clock: StoryClock;
  /** Resolves when Slack has delivered every event and Muster has finished its work. */
  quiet(): Promise<void>;
  /** Resolves when cards and announcements show it too: in a busy minute they follow a little later. */
  shown(): Promise<void>;
}
