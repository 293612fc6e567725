import type { Deliveries, Reply } from '../to-app/deliveries.ts';
import type { ResponseUrls } from '../to-app/response-urls.ts';
import type { TriggerIds } from '../to-app/trigger-ids.ts';
import type { Modals, OpenView } from '../workspace/modals.ts';
import type { Message, StoredChannel } from '../workspace/records.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The app's reply to what a person did. */
export interface AppAnswer extends Reply {
  /** The text the person reads when the reply itself shows a message; absent when it shows none. */
  readonly text?: string;
  /** The message that the reply made. */
  readonly message?: Message;
}

/** Where a person clicks: in a message, in a view of theirs, on the app's home tab, or in the modal in front of them. */
export type ClickTarget = Message | OpenView | 'home' | 'view';

/** Where an element is among the blocks of a message or view. */
export interface ElementPlace {
  readonly blockId: string;
  readonly actionId: string;
}

/** The parts of the fake Slack that a person's actions use. */
export interface PersonContext {
  readonly workspace: Workspace;
  readonly modals: Modals;
  readonly triggers: TriggerIds;
  readonly responseUrls: ResponseUrls;
  readonly deliveries: Deliveries;
  /** A channel by id or name. Throws when there is none. */
  readonly findChannel: (nameOrId: string) => StoredChannel;
  /** Makes pending `until` calls look again. */
  readonly onChange: () => void;
}

/** The answer when nothing had to be sent, or when Slack's client refused to send it (`incomplete`). */
export function notSent(failed?: 'incomplete'): AppAnswer {
  return { status: 0, body: undefined, headers: {}, failed };
}
