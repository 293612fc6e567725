import { z } from 'zod';
import { MessageWire } from './source-message.ts';

/*
 * The shapes of what Slack delivers, as far as Muster and Bolt read them without looking. Members that are not named may be
 * anything.
 */

/** Bolt goes by these members before it looks at the type, so no other payload may have them. */
const none = z.undefined().optional();
const notAnEvent = { event: none };
const notACommand = { ...notAnEvent, command: none, name: none };
const notAnAction = { ...notACommand, actions: none };

const maybeText = z.string().nullish();
const place = z.looseObject({ id: z.string() });
const team = z.looseObject({ id: maybeText, enterprise_id: maybeText }).nullish();
const user = z.looseObject({ id: z.string(), team_id: maybeText });
/** Who acted, and where. */
const acting = { user, team, enterprise: z.looseObject({}).nullish() };

/** Everything a press may carry, whatever was pressed. */
export const Pressed = z.object({
  action_id: z.string(),
  block_id: z.string().default(''),
  action_ts: z.string(),
  value: z.string().optional(),
  selected_user: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
});

const Field = z.looseObject({
  value: maybeText,
  selected_option: z.looseObject({ value: z.string() }).nullish(),
  selected_options: z.array(z.looseObject({ value: z.string() })).nullish(),
  selected_user: maybeText,
  selected_date_time: z.number().nullish(),
});

const Command = z.looseObject({
  ...notAnEvent,
  command: z.string().startsWith('/'),
  text: z.string(),
  trigger_id: z.string(),
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
});

const shapes: Readonly<Record<string, z.ZodType>> = {
  event_callback: z.looseObject({
    authorizations: z.array(z.looseObject({})).nullish(),
    event: z.looseObject({
      type: z.string(),
      channel: z.union([z.string(), z.looseObject({})]).optional(),
      user: z.union([z.string(), z.looseObject({})]).optional(),
      item: z.looseObject({}).optional(),
    }),
  }),
  block_actions: z.looseObject({
    ...notACommand,
    ...acting,
    actions: z.array(Pressed).min(1),
    trigger_id: z.string(),
    response_url: z.string().optional(),
    channel: place.nullish(),
    message: z.looseObject({ ts: z.string() }).nullish(),
    view: place.nullish(),
    container: z.looseObject({}).nullish(),
  }),
  view_submission: z.looseObject({
    ...notAnAction,
    ...acting,
    view: z.looseObject({
      id: z.string(),
      callback_id: z.string(),
      private_metadata: z.string(),
      state: z.looseObject({ values: z.record(z.string(), z.record(z.string(), Field)) }),
    }),
  }),
  shortcut: z.looseObject({ ...notAnAction, ...acting, callback_id: z.string(), trigger_id: z.string() }),
  message_action: z.looseObject({
    ...notAnAction,
    ...acting,
    callback_id: z.string(),
    trigger_id: z.string(),
    channel: place,
    message: MessageWire,
  }),
};

/** Why Muster does not know a payload: its type, or the members that are not as they should be. Undefined when it does. */
export function whyUnknown(payload: Readonly<Record<string, unknown>>): string | undefined {
  const { type, command, event } = payload;
  const isCommand = command !== undefined && event === undefined;
  const shape = isCommand
    ? Command
    : typeof type === 'string' && Object.hasOwn(shapes, type)
      ? shapes[type]
      : undefined;
  if (!shape) return typeof type === 'string' ? `its type is ${JSON.stringify(type.slice(0, 60))}` : 'it has no type';
  const { error } = z.safeParse(shape, payload);
  if (!error) return undefined;
  const members = error.issues.map(issue => issue.path.join('.').slice(0, 60));
  return `these members are not as they should be: ${[...new Set(members)].slice(0, 5).join(', ')}`;
}
