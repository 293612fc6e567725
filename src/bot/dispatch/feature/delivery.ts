import { z } from 'zod';
import { SourceMessage } from '../../slack/source-message.ts';
import type { Words } from '../../text/blocks.ts';
import { CommandLine, type Draft, Filled, FilledForm, Offered } from './drafts.ts';

/** The content of a home tab: the digest of its content, and Slack's name of that version. `""` for what is not known. */
export const ShownHome = z.object({ shown: z.string(), hash: z.string() });
export type ShownHome = z.output<typeof ShownHome>;

/** An open form, with what its fields hold: Slack's id and name of this version, and the act that sending it would be. */
export const OpenForm = z.object({
  ...{ viewId: z.string(), hash: z.string(), modal: z.string(), state: z.unknown() },
  ...{ filled: Filled, offered: Offered.optional() },
});
export type OpenForm = z.output<typeof OpenForm>;

/** A person's act in Slack. */
export const Act = z.discriminatedUnion('kind', [
  CommandLine,
  // `first` is the key of the delivery that brought the message as it was before.
  z.object({ kind: z.literal('edit'), text: z.string(), first: z.string() }),
  z.object({
    kind: z.literal('press'),
    actionId: z.string(),
    value: z.string(),
    picked: z.string(),
    home: ShownHome.optional(),
    // The form in which it was pressed.
    form: OpenForm.optional(),
  }),
  FilledForm,
  z.object({ kind: z.literal('reaction'), emoji: z.string(), isAdded: z.boolean(), ts: z.string() }),
  // Its author edited the message of that time, or a person deleted it.
  z.object({ kind: z.literal('change'), how: z.enum(['edited', 'deleted']), ts: z.string() }),
  z.object({ kind: z.literal('shortcut'), id: z.string(), message: SourceMessage.optional() }),
  // The home tab was opened.
  z.object({ kind: z.literal('home'), home: ShownHome }),
]);
export type Act = z.output<typeof Act>;

/** A delivery as it is stored, without its key. */
const Stored = z.object({
  actor: z.object({ teamId: z.string(), userId: z.string(), isOutside: z.literal(true).optional() }),
  location: z.object({
    channelId: z.string(),
    threadTs: z.string(),
    workspaceId: z.string().optional(),
    tab: z.literal('home').optional(),
  }),
  act: Act,
});

/**
 * A delivery of Slack's: who did what, where. It is stored, so it holds no trigger id, response address or token, which are secrets for as long
 * as they are good for anything ({@link Reply}).
 */
export type Delivery = z.output<typeof Stored> & {
  /** Names the act: a second delivery of the same act has the same key. */
  readonly key: string;
};

/** How a delivery can be answered. It came with the delivery, is good for a short time, and is never stored. */
export interface Reply {
  /** Opens one form within three seconds; `""` when the delivery brought none. */
  readonly triggerId: string;
  /** Answers through the delivery's own address; undefined when it brought none. */
  readonly respond: ((words: Words, how: 'add' | 'replace') => Promise<void>) | undefined;
  /** Whether the message that was pressed is one that may be replaced. */
  readonly replaceable: boolean;
  /** Takes the words that would replace a message, where the home tab was pressed. */
  readonly replaceOnHome?: (words: Words) => void;
}

/** The answer goes where the delivery came from, or to the person directly. */
export const noReply: Reply = { triggerId: '', respond: undefined, replaceable: false };

/** A stored delivery; undefined when another version of Muster stored it and this one cannot read it. */
export function readDelivery(key: string, json: string): Delivery | undefined {
  try {
    return { ...Stored.parse(JSON.parse(json)), key };
  } catch {
    return undefined;
  }
}

/** What the person typed or filled in. They get it back when the act fails; undefined for a press. */
export function toDraft(act: Act): Draft | undefined {
  switch (act.kind) {
    case 'command':
      return act;
    case 'edit':
      return { kind: 'command', root: 'mention', text: act.text };
    case 'form':
      return act;
    case 'shortcut':
      return act.message && { kind: 'message', shortcut: act.id, message: act.message };
    case 'press':
    case 'reaction':
    case 'change':
    case 'home':
      return undefined;
  }
}
