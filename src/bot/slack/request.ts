import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { MessageWire } from './source-message.ts';

/** Why a body was not read to its end. */
type BodyProblem = 'too large' | 'too slow' | 'too many' | 'broken off';

/** How much may be read, and for how long. */
export interface BodyLimits {
  /** The most bytes of one body. */
  readonly most: number;
  /** Milliseconds in which a body must have arrived. */
  readonly timeout: number;
}

/** The status and the words that answer a request whose body was not read. */
export function refusalOf(
  problem: Exclude<BodyProblem, 'broken off'>,
  { most, timeout }: BodyLimits,
): readonly [status: number, why: string] {
  switch (problem) {
    case 'too large':
      return [413, `The body has more than ${most} bytes.`];
    case 'too slow':
      return [408, `The body did not arrive within ${timeout / 1000} s.`];
    case 'too many':
      return [503, 'Too many bodies arrive at once.'];
  }
}

/** Makes a reader of the bodies of requests, whose unfinished bodies hold at most `room` bytes together. */
export function createBodyReader(room: number) {
  let held = 0;
  return {
    /** The bytes of a body, or why it was not read. After a problem the rest of the body is not kept. */
    read(request: IncomingMessage, { most, timeout }: BodyLimits) {
      const { promise, resolve } = Promise.withResolvers<Buffer | BodyProblem>();
      const chunks: Buffer[] = [];
      let size = 0;
      const end = (result: Buffer | BodyProblem) => {
        clearTimeout(timer);
        request.off('data', take);
        held -= size;
        size = 0;
        resolve(result);
      };
      const take = (chunk: Buffer) => {
        size += chunk.length;
        held += chunk.length;
        if (size > most) end('too large');
        else if (held > room) end('too many');
        else chunks.push(chunk);
      };
      const timer = setTimeout(end, timeout, 'too slow');
      request.on('data', take);
      request.once('end', () => end(Buffer.concat(chunks)));
      request.once('error', () => end('broken off'));
      return promise;
    },
  };
}

/** Slack's signature of a request: its header `x-slack-signature` (docs/slack.md 8). `timestamp` is in Unix seconds. */
export function signatureOf(signingSecret: string, timestamp: string, body: string | Uint8Array): string {
  return `v0=${createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
}

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
const place = z.object({ id: z.string() });
const team = z.object({ id: maybeText, enterprise_id: maybeText }).nullish();
const user = z.object({ id: z.string(), team_id: maybeText });
/** Who acted, and where. */
const acting = { user, team, enterprise: z.object({}).nullish() };

/** Everything a press may carry, whatever was pressed. */
export const Pressed = z.object({
  action_id: z.string(),
  block_id: z.string().default(''),
  action_ts: z.string(),
  value: z.string().optional(),
  selected_user: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
});

const Field = z.object({
  value: maybeText,
  selected_option: z.object({ value: z.string() }).nullish(),
  selected_options: z.array(z.object({ value: z.string() })).nullish(),
  selected_user: maybeText,
  selected_date_time: z.number().nullish(),
});

const Command = z.object({
  ...notAnEvent,
  command: z.string().startsWith('/'),
  text: z.string(),
  trigger_id: z.string(),
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
});

const shapes: Readonly<Record<string, z.ZodType>> = {
  event_callback: z.object({
    authorizations: z.array(z.object({})).nullish(),
    event: z.object({
      type: z.string(),
      channel: z.union([z.string(), z.object({})]).optional(),
      user: z.union([z.string(), z.object({})]).optional(),
      item: z.object({}).optional(),
    }),
  }),
  block_actions: z.object({
    ...notACommand,
    ...acting,
    actions: z.array(Pressed).min(1),
    trigger_id: z.string(),
    response_url: z.string().optional(),
    channel: place.nullish(),
    message: z.object({ ts: z.string() }).nullish(),
    view: place.nullish(),
    container: z.object({}).nullish(),
  }),
  view_submission: z.object({
    ...notAnAction,
    ...acting,
    view: z.object({
      id: z.string(),
      callback_id: z.string(),
      private_metadata: z.string(),
      state: z.object({ values: z.record(z.string(), z.record(z.string(), Field)) }),
    }),
  }),
  shortcut: z.object({ ...notAnAction, ...acting, callback_id: z.string(), trigger_id: z.string() }),
  message_action: z.object({
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
