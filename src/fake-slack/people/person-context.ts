import type { JsonObject } from '../json.ts';
import type { Deliveries, Reply } from '../to-app/deliveries.ts';
import type { ResponseUrls } from '../to-app/response-urls.ts';
import type { TriggerIds } from '../to-app/trigger-ids.ts';
import type { Modals, OpenView } from '../web-api/modals.ts';
import type { Message, StoredChannel, Workspace } from '../workspace.ts';
import { type Field, fieldsOf } from './form.ts';

/** What came back from the app after a person did something. */
export interface Answer extends Reply {
  /** What the person reads of a command's own answer, rendered; absent when it showed nothing. */
  readonly text?: string;
  /** The message that answer made. */
  readonly message?: Message;
}

/** What a person fills a field with: text, an option's value or text, a person, a channel, a time, or a list. */
export type FormValue =
  | string
  | number
  | boolean
  | Date
  | { readonly id: string }
  | readonly (string | { readonly id: string })[];

/** Fields by block id, action id or label, and what to put in. */
export type FormValues = Readonly<Record<string, FormValue>>;

/** Where a person clicks: in a message, on the app's home tab, or in the modal before them. */
export type Place = Message | 'home' | 'view';

/** Everything a person's hands reach. */
export interface Surroundings {
  readonly workspace: Workspace;
  readonly modals: Modals;
  readonly triggers: TriggerIds;
  readonly responseUrls: ResponseUrls;
  readonly deliveries: Deliveries;
  /** A channel by id or name; throws when there is none. */
  readonly findChannel: (nameOrId: string) => StoredChannel;
  /** Lets those who wait look again. */
  readonly onChange: () => void;
}

/** The answer when nothing had to be sent, or Slack's client refused to send it (`incomplete`). */
export function unsent(failed?: 'incomplete'): Answer {
  return { status: 0, body: undefined, headers: {}, failed };
}

/** A field by its block id, action id or label; throws and says which there are when it is none of them. */
export function findField(blocks: readonly JsonObject[], name: string): Field {
  const fields = fieldsOf(blocks);
  const wanted = name.toLowerCase();
  const found =
    fields.find(field => field.blockId === name) ??
    fields.find(field => field.actionId === name) ??
    fields.find(field => field.label.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const known = fields.map(field => `${field.blockId} (${field.label || field.actionId})`).join(', ');
  throw new Error(`There is no field "${name}". There are: ${known || 'none'}.`);
}

/** Puts a field's new value into a view or message state. */
export function setValue(values: OpenView['values'], field: Field, state: JsonObject): void {
  values[field.blockId] = { ...values[field.blockId], [field.actionId]: state };
}
