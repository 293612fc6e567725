import type { InputBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import { type Settings, severityOptions } from '../../incident/state/settings.ts';
import type { Location } from '../../people/person.ts';
import { slackReason } from '../../slack/clients.ts';
import { slackLimits } from '../../slack/limits.ts';
import { callout, plain, section, type Words } from '../../text/blocks.ts';
import type { Context, FormInput, Modal } from '../feature/context.ts';
import type { OpenForm } from '../feature/delivery.ts';
import type { Filled, Offered } from '../feature/drafts.ts';

/** Describes a form, keeping its exact types. */
export function defineModal<S, V>(modal: Modal<S, V>): Modal<S, V> {
  return modal;
}

/** The private metadata of an open form: its state, and where its answer goes. */
interface FormMetadata extends Location {
  readonly state: unknown;
}

const FormMetadata = z.object({
  state: z.unknown(),
  channelId: z.string(),
  threadTs: z.string(),
  workspaceId: z.string().optional(),
  tab: z.literal('home').optional(),
});

/** Reads a form's private metadata. That of another version may be unreadable, and is empty then. */
export function toFormMetadata(metadata: string): FormMetadata {
  try {
    return FormMetadata.parse(JSON.parse(metadata));
  } catch {
    return { state: undefined, channelId: '', threadTs: '' };
  }
}

/** The private metadata of a view, as {@link toFormMetadata} reads it. */
function toMetadata(state: unknown, { channelId, threadTs, workspaceId, tab }: Location): string {
  const carried: FormMetadata = { state, channelId, threadTs, workspaceId, ...(tab ? { tab } : {}) };
  return JSON.stringify(carried);
}

/** The line above a form that is opened again with its fields as they were. */
const kept = 'I kept what you typed. Look through it, then send the form again.';

/** The form as Slack takes it. Throws when its private metadata is longer than Slack allows. */
export function toView<S, V>(
  modal: Modal<S, V>,
  state: S,
  filled: Filled,
  facts: FormInput & { readonly isAgain?: boolean },
  location: Location,
): ModalView {
  const face = modal.view(state, filled, facts);
  const metadata = toMetadata(state, location);
  if (metadata.length > 3000) throw new Error(`The form ${modal.id} carries ${metadata.length} characters of state`);
  return {
    type: 'modal',
    callback_id: modal.id,
    private_metadata: metadata,
    title: plain(face.title, slackLimits.viewTitle),
    submit: plain(face.submit, slackLimits.viewTitle),
    close: plain('Cancel', slackLimits.viewTitle),
    blocks: [...(facts.isAgain ? [callout('info', kept)] : []), ...face.blocks],
  };
}

/** Words to read in a window, without fields. What is pressed in it is answered where it was opened. */
export function toWindow(title: string, { text, blocks = [section(text)] }: Words, location: Location) {
  return {
    type: 'modal',
    callback_id: 'window',
    private_metadata: toMetadata({}, location),
    title: plain(title, slackLimits.viewTitle),
    close: plain('Close', slackLimits.viewTitle),
    blocks: [...blocks],
  } satisfies ModalView;
}

/** Common to all fields: `id` names the field in {@link Filled} and in problems. */
interface FieldBase {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly optional?: boolean;
}

/** An option of a field, in plain text; the description is below it. */
export interface FieldOption {
  readonly value: string;
  readonly label: string;
  readonly description?: string | undefined;
}

function input(field: FieldBase, element: InputBlock['element']): InputBlock {
  return {
    type: 'input',
    block_id: field.id,
    label: plain(field.label, 2000),
    optional: field.optional ?? false,
    element,
    ...(field.hint ? { hint: plain(field.hint, 2000) } : {}),
  };
}

/** The single value of a field, `""` when empty. */
export function fieldValue(filled: Filled, id: string): string {
  const value = filled[id];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** The values of a list or of check boxes. */
export function fieldValues(filled: Filled, id: string): readonly string[] {
  const value = filled[id];
  return value === undefined || value === '' ? [] : typeof value === 'string' ? [value] : value;
}

/** A line or paragraph of text. Slack takes at most 3,000 characters; a check with words is ours. */
export function textField(
  field: FieldBase & { multiline?: boolean; placeholder?: string },
  filled: Filled,
): InputBlock {
  const initial = fieldValue(filled, field.id).slice(0, 3000).toWellFormed();
  return input(field, {
    type: 'plain_text_input',
    action_id: field.id,
    multiline: field.multiline ?? false,
    ...(initial ? { initial_value: initial } : {}),
    ...(field.placeholder ? { placeholder: plain(field.placeholder, slackLimits.placeholder) } : {}),
  });
}

/** An address. Slack refuses a form whose initial value is no address, so only an address is filled in. */
export function urlField(field: FieldBase, filled: Filled): InputBlock {
  const initial = fieldValue(filled, field.id);
  const fits = initial.length <= 3000 && URL.canParse(initial);
  return input(field, {
    type: 'url_text_input',
    action_id: field.id,
    ...(fits ? { initial_value: initial } : {}),
  });
}

/** One of a list, at most 100. */
export function choiceField(field: FieldBase & { options: readonly FieldOption[] }, filled: Filled): InputBlock {
  const options = field.options.map(toOption);
  const initial = options.find(option => option.value === fieldValue(filled, field.id));
  return input(field, {
    type: 'static_select',
    action_id: field.id,
    options,
    ...(initial ? { initial_option: initial } : {}),
  });
}

/** The severities of the team. */
export function severityField(field: Partial<FieldBase>, filled: Filled, settings: Settings): InputBlock {
  const options = severityOptions(settings);
  return choiceField({ id: 'severity', label: 'How bad is it?', options, ...field }, filled);
}

/** Check boxes, at most 10. */
export function checksField(field: FieldBase & { options: readonly FieldOption[] }, filled: Filled): InputBlock {
  const options = field.options.map(toOption);
  const checked = fieldValues(filled, field.id);
  const initial = options.filter(option => checked.includes(option.value));
  return input(field, {
    type: 'checkboxes',
    action_id: field.id,
    options,
    ...(initial.length > 0 ? { initial_options: initial } : {}),
  });
}

/** A person of the workspace. Slack also offers guests and people of shared channels, so the feature checks the choice. */
export function userField(field: FieldBase, filled: Filled): InputBlock {
  const initial = fieldValue(filled, field.id);
  return input(field, {
    type: 'users_select',
    action_id: field.id,
    ...(initial ? { initial_user: initial } : {}),
  });
}

/** A moment in the reader's own zone. Its value is in epoch seconds; Slack takes an initial value of ten digits only. */
export function momentField(field: FieldBase, filled: Filled): InputBlock {
  const initial = fieldValue(filled, field.id);
  return input(field, {
    type: 'datetimepicker',
    action_id: field.id,
    ...(/^\d{10}$/.test(initial) ? { initial_date_time: Number(initial) } : {}),
  });
}

/** The option as Slack takes it. */
export function toOption(option: FieldOption) {
  return {
    value: option.value,
    text: plain(option.label, slackLimits.optionText),
    ...(option.description ? { description: plain(option.description, slackLimits.optionText) } : {}),
  };
}

const Text = z.object({ text: z.string() });

/** A menu of a submitted view, as Slack sends it. */
const Menu = z.object({
  block_id: z.string(),
  element: z.object({
    type: z.literal('static_select'),
    options: z.array(z.object({ value: z.string(), text: Text, description: Text.optional() })),
  }),
});

/**
 * The options that the menus of a submitted view had, so that the form can be opened again when its act fails. Slack sends the blocks
 * of every view; without them there are none.
 */
export function toOffered(blocks: readonly unknown[] | undefined): Offered {
  const menus = (blocks ?? []).flatMap(block => Menu.safeParse(block).data ?? []);
  return Object.fromEntries(
    menus.map(({ block_id: id, element }) => [
      id,
      element.options.map(({ value, text, description }) => ({
        value,
        label: text.text,
        ...(description ? { description: description.text } : {}),
      })),
    ]),
  );
}

/** The values of a submitted view's fields. */
export function toFilled(values: Readonly<Record<string, Readonly<Record<string, FieldValue>>>>): Filled {
  const filled: Record<string, string | string[]> = {};
  for (const [id, elements] of Object.entries(values)) {
    const element = Object.values(elements)[0];
    if (element) filled[id] = toFilledValue(element);
  }
  return filled;
}

/** A field of a submitted view, as Slack sends it. */
export interface FieldValue {
  readonly type: string;
  readonly value?: string | null;
  readonly selected_option?: { readonly value: string } | null;
  readonly selected_options?: readonly { readonly value: string }[] | null;
  readonly selected_user?: string | null;
  readonly selected_date_time?: number | null;
}

function toFilledValue(element: FieldValue): string | string[] {
  if (element.selected_options) return element.selected_options.map(option => option.value);
  if (element.selected_option) return element.selected_option.value;
  if (element.selected_user) return element.selected_user;
  if (element.selected_date_time) return String(element.selected_date_time);
  return element.value ?? '';
}

/**
 * Shows an open form with another state and with what its fields hold. Where Slack does not change it, since the person changed or closed it
 * meanwhile, the form is opened again with the same fields.
 */
export async function updateForm<S, V>(
  ctx: Context,
  modal: Modal<S, V>,
  { viewId, hash, filled, offered }: OpenForm,
  state: S,
): Promise<void> {
  const { settings, slack } = ctx.deps;
  const view = toView(modal, state, filled, { settings, now: ctx.now, offered }, ctx.location);
  try {
    await slack.quick.views.update({ view_id: viewId, hash, view });
  } catch (error) {
    ctx.log.info({ reason: slackReason(error), modal: modal.id }, 'form: Slack did not change it');
    await ctx.openForm(modal, state, filled, offered);
  }
}
