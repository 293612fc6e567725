import type { ActionsBlockElement, Button as ButtonElement, UsersSelect } from '@slack/types';
import type { z } from 'zod';
import type { Incident } from '../../../contract/incidents.ts';
import type { AlertActs } from '../../alerts/pending-acts.ts';
import type { Args } from '../../grammar/grammar.ts';
import { rootNoun, type VerbShape, type WordShape } from '../../grammar/verb.ts';
import type { ReminderTarget } from '../../incident/acts/duties.ts';
import type { IntentKind } from '../../incident/acts/intent-kind.ts';
import type { Over } from '../../incident/board/next-steps/words.ts';
import { hasContent } from '../../incident/notes/message-note.ts';
import type { AlertOfferTable } from '../../schema/alerts.ts';
import type { LineOffer } from '../../schema/lines.ts';
import { slackLimits } from '../../slack/limits.ts';
import type { MessageAddress, SourceMessage } from '../../slack/source-message.ts';
import { plain, sentence } from '../../text/blocks.ts';
import { cap, toOneLine } from '../../text/words.ts';
import type { Context, Modal, SubmitOptions } from './context.ts';
import type { OpenForm } from './delivery.ts';
import type { Deps } from './deps.ts';
import type { HomeInput, HomePart } from './home-part.ts';
import type { ReactionHandler } from './reaction.ts';

/** A message whose author edited it, or that was deleted. */
export interface MessageChange {
  readonly message: MessageAddress;
  readonly how: 'edited' | 'deleted';
  /** Slack's id of the author who edited it; `""` for a deletion: Slack does not name the person. */
  readonly userId: string;
  /** Names this change: a repeated delivery has the same key. */
  readonly key: string;
}

/** One thing a person does: its verbs, forms, buttons, shortcuts and intents, in one folder or file. */
export interface Feature {
  readonly verbs: readonly Verb[];
  readonly modals?: readonly Modal[];
  readonly buttons?: readonly Button[];
  readonly shortcuts?: readonly Shortcut[];
  readonly intents?: readonly IntentKind[];
  /** The effects of reactions in incidents' rooms (the setting TIMELINE_EMOJI). */
  readonly reactions?: readonly ReactionHandler[];
  /** Follows a message that its author edited, or that was deleted. It answers no one, since people did not ask for it. */
  onChange?(deps: Deps, change: MessageChange): Promise<void>;
  /**
   * The buttons of this feature on an incident's card. `commander` is the name of the role that leads it, or `""`; `isLed`: a person has it who can
   * act; `opensByLink`: people need a link of their own for its page.
   */
  onCard?(
    incident: Incident,
    facts: { readonly commander: string; readonly isLed: boolean; readonly opensByLink: boolean },
  ): readonly CardButton[];
  /** The buttons of this feature under the card of an incident that is not registered yet. */
  onDeclared?(incidentID: string): readonly ActionsBlockElement[];
  /** The buttons of this feature under the message that says what comes next, once an incident is over. */
  onOver?(over: Over): readonly ActionsBlockElement[];
  /** The buttons of this feature under that message for an incident that was declared by mistake. */
  onMistake?(over: Over): readonly ActionsBlockElement[];
  /** The parts of this feature on the home tab of the person who opens it. */
  onHome?(ctx: Context, facts: HomeInput): Promise<readonly HomePart[]>;
  /** The buttons of this feature under the message that offers alerts; `after` is the incident before that may be reopened, `""` for none. */
  onAlert?(offer: AlertOfferTable): readonly ActionsBlockElement[];
  /** The acts of this feature that alerts ask for, where a setting wants them. */
  readonly alertActs?: Partial<AlertActs>;
  /** Does what is due; happens once a second. Never throws. */
  onTick?(deps: Deps, now: Date): Promise<void>;
  /** The buttons of this feature under a line that offers an act. */
  onLine?(offers: LineOffer, incidentID: string): readonly ActionsBlockElement[];
  /** The buttons of this feature under a reminder; `commander` is the name of the role that leads the incident, or `""`. */
  onReminder?(reminded: ReminderTarget & { readonly commander: string }): readonly ActionsBlockElement[];
  /** The buttons of this feature under the announcement of an incident that has no room. */
  onOffer?(incidentID: string): readonly ActionsBlockElement[];
}

/**
 * A command. It is about an incident, whose id comes from `--incident`, from the channel, or from a picker. A verb that only `reads` is open
 * to guests. A verb that `needsRegistered` does not work before the API has registered the incident.
 */
export interface Verb extends VerbShape {
  /** Older words for it. Its function does them too, and reads in `args.verb` which of them was typed. */
  readonly words?: readonly WordShape[];
  /** Its line in the short help: an example that people can copy, and what that does. A dozen verbs have one. */
  readonly example?: string;
  readonly needsRegistered?: boolean;
  /** It is about an incident that is over: no other is offered for it. */
  readonly meansResolved?: boolean;
  /**
   * The message that typed this verb was edited: corrects the effect that it had. `first` is the key of its first delivery. Answers
   * the person and returns true, or returns false when there is nothing that can be corrected.
   */
  correct?(ctx: Context, args: Args, first: string): Promise<boolean>;
  /**
   * The people whom it wakes with these arguments, in mrkdwn, which a question that offers it says; `""` for none. A verb that has it goes
   * before other acts, and waits for none of them.
   */
  wakes?(ctx: Context, args: Args): Promise<string>;
  /** It is about no incident: `incidentID` is `""` then. */
  readonly about?: 'anything';
  run(ctx: Context, args: Args, incidentID: string): Promise<void>;
}

/** A press. `picked` is the chosen user or option of a menu, and `""` for a button. */
interface Press<V> {
  readonly value: V;
  readonly picked: string;
  /** The form in which it was pressed; undefined for a message or the home tab. */
  readonly form?: OpenForm | undefined;
}

/** How a button looks: `label` at most 75 characters; of a menu it is the placeholder. */
export interface ButtonFace {
  readonly label: string;
  readonly style?: 'primary' | 'danger';
  /** The words of a screen reader where the label alone does not tell its row (plain text). */
  readonly spoken?: string;
}

/** A button or menu as it looks, by its action id. */
export interface Face extends ButtonFace {
  readonly id: string;
}

/**
 * A button or menu: its face and its effect. `value` travels with it: JSON of at most 2,000 characters, 255
 * for menus.
 */
export interface Button<V = unknown> extends Face {
  readonly value: z.ZodType<V>;
  /** It only shows something, so that guests may press it too. */
  readonly reads?: boolean;
  /** It wakes people, or opens the form that does: it goes before other acts, and waits for none of them. */
  readonly isUrgent?: true;
  /** Only messages of earlier versions have it, and it does what it did. */
  readonly isGone?: true;
  run(ctx: Context, press: Press<V>): Promise<void>;
}

/** The places of a card's buttons, in their order. */
export const cardPlaces = ['lead', 'end', 'update', 'note', 'tasks', 'edit', 'call', 'resolve', 'last'] as const;
/** One of {@link cardPlaces}. */
export type CardPlace = (typeof cardPlaces)[number];

/** The button of a feature on the card of an incident. */
export interface CardButton {
  readonly place: CardPlace;
  readonly button: Button;
  readonly value: unknown;
  readonly face: Partial<ButtonFace>;
}

/** An entry of Slack's shortcut menus. `name` at most 24 characters, `description` at most 150. */
export type Shortcut =
  | (MessageShortcut & { readonly kind: 'message' })
  | (ShortcutFace & { readonly kind: 'global'; run(ctx: Context): Promise<void> });

interface ShortcutFace {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The manifest has it no more. A workspace with an earlier manifest still shows it, and it does what it did. */
  readonly isGone?: true;
}

/** An entry of the menu of a message. */
interface MessageShortcut extends ShortcutFace {
  run(ctx: Context, message: SourceMessage): Promise<void>;
}

/** An entry of the menu of a message. It answers a person who uses it on a message without words and files. */
export function onMessage(shortcut: MessageShortcut & { readonly instead: string }): Shortcut {
  const { instead, ...entry } = shortcut;
  return {
    ...entry,
    kind: 'message',
    run: async (ctx, message) => {
      if (hasContent(message)) return shortcut.run(ctx, message);
      await ctx.answer(sentence(`There is nothing to add: that message has no words and no files. ${instead}`));
    },
  };
}

/** Describes a button or menu, keeping the exact type of its value. */
export function defineButton<V>(button: Button<V>): Button<V> {
  return button;
}

/** A button that carries out an intent, whose payload is the button's value. `toOptions` makes the options of the submission. */
export function intentButton<P, R>(
  intent: IntentKind<P, R>,
  face: Face,
  toOptions: (payload: P) => SubmitOptions = () => ({}),
): Button<P> {
  return {
    ...face,
    value: intent.payload,
    run: async (ctx, { value }) => {
      await ctx.carryOut(intent, value, toOptions(value));
    },
  };
}

/**
 * The button as Slack shows it. `face` changes its look where its own does not fit. Without a value it takes the one of its row's
 * block id, as menus do.
 */
export function pressable<V>(
  button: Face & { readonly value?: z.ZodType<V> },
  value: V | undefined,
  face: Partial<ButtonFace> = {},
): ButtonElement & ActionsBlockElement {
  const { label, style, spoken } = { label: button.label, style: button.style, ...face };
  return {
    type: 'button',
    action_id: button.id,
    text: plain(label, slackLimits.buttonText),
    ...(value === undefined ? {} : { value: JSON.stringify(value) }),
    ...(style ? { style } : {}),
    ...(spoken ? { accessibility_label: cap(toOneLine(spoken), slackLimits.spokenText) } : {}),
  };
}

/** A menu of people. Menus carry no value, so it rides in the block id that {@link menuBlockId} makes. */
export function userMenu(button: Face, initialUser?: string): UsersSelect {
  return {
    type: 'users_select',
    action_id: button.id,
    placeholder: plain(button.label, slackLimits.placeholder),
    ...(initialUser ? { initial_user: initialUser } : {}),
  };
}

/** The block id of a row with a menu: at most 255 characters, and unique in its message. */
export function menuBlockId<V>(button: Face & { readonly value?: z.ZodType<V> }, value: V): string {
  return `${button.id}|${JSON.stringify(value)}`;
}

/** The value that {@link menuBlockId} put into a block id. */
export function menuValueOf(blockId: string): string {
  return blockId.slice(blockId.indexOf('|') + 1);
}

/** Every other word for a verb, as help shows it: aliases, `check 3` for one that means it before a number, older words with theirs. */
export function otherWords({ aliases = [], beforeNumber = [], words = [] }: Verb): readonly string[] {
  const older = words.flatMap(each => [`${each.verb} ${each.usage ?? ''}`.trimEnd(), ...otherWords(each as Verb)]);
  return [...aliases, ...beforeNumber.map(word => `${word} 3`), ...older];
}

/** A verb, and behind it its older words, each as a verb with the function of the first. */
function withWords(verb: Verb): readonly Verb[] {
  const { noun, summary, about, needsRegistered = false, run } = verb;
  const common = { noun, summary, ...(about ? { about } : {}), needsRegistered, run, synonymOf: verb.verb };
  return [verb, ...(verb.words ?? []).map(word => ({ ...common, ...word }))];
}

/** All verbs with their older words; those about an incident take `--incident` from anywhere. */
export function allVerbs(list: readonly Feature[]): readonly Verb[] {
  return list
    .flatMap(feature => feature.verbs.flatMap(withWords))
    .map(verb =>
      verb.about === undefined
        ? {
            ...verb,
            flags: {
              ...verb.flags,
              incident: {
                kind: 'text',
                hint: 'number of the incident, when this channel belongs to another one or to none',
              },
            },
          }
        : verb,
    );
}

/** All entries of Slack's shortcut menus, with those that the manifest has no more. */
export function allShortcuts(list: readonly Feature[]): readonly Shortcut[] {
  return list.flatMap(feature => feature.shortcuts ?? []);
}

/** The entries of Slack's shortcut menus that the manifest has. */
export function menuEntries(list: readonly Feature[]): readonly Shortcut[] {
  return allShortcuts(list).filter(each => !each.isGone);
}

/** The slash command that people type a verb with, without its slash. */
export function rootOf({ noun }: Verb, commandRoot: string): string {
  return noun === rootNoun ? commandRoot : noun;
}

/** The slash commands: one per noun, and the root that carries every verb. */
export function slashCommands(list: readonly Feature[], commandRoot: string): readonly string[] {
  const nouns = list.flatMap(feature => feature.verbs).map(verb => verb.noun);
  return [...new Set([commandRoot, ...nouns.filter(noun => noun !== rootNoun)])];
}
