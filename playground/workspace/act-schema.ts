import { z } from 'zod';
import { type Act, alertEvents, faultNames } from './protocol.ts';

const id = z.string().min(1).max(100);
const ts = z.string().regex(/^\d+\.\d{6}$/);
const text = z.string().max(40_000);
const json = z.record(z.string(), z.unknown());
const values = z.record(z.string(), z.record(z.string(), json));
const message = z.object({ channel: id, ts });

/** What a page may send as an act. */
const act = z.discriminatedUnion('do', [
  z.object({ do: z.literal('say'), channel: id, text, threadTs: ts.exactOptional() }),
  z.object({ do: z.literal('command'), channel: id, line: text }),
  z.object({ do: z.literal('edit'), channel: id, ts, text }),
  z.object({ do: z.literal('delete'), channel: id, ts }),
  z.object({ do: z.enum(['react', 'unreact']), channel: id, ts, emoji: z.string().regex(/^:?[\w+'-]{1,100}:?$/) }),
  z.object({ do: z.enum(['pin', 'unpin']), channel: id, ts }),
  z.object({ do: z.literal('shortcut'), id, message: message.exactOptional(), channel: id.exactOptional() }),
  z.object({
    do: z.literal('use'),
    place: z.union([z.object({ message }), z.object({ view: id })]),
    blockId: z.string(),
    actionId: z.string(),
    value: json,
  }),
  z.object({ do: z.literal('submit'), view: id, values }),
  z.object({ do: z.literal('close'), view: id }),
  z.object({ do: z.literal('openHome') }),
  z.object({ do: z.enum(['join', 'leave', 'archive']), channel: id }),
  z.object({ do: z.literal('invite'), channel: id, person: id }),
  z.object({ do: z.literal('read'), channel: id, ts }),
  z.object({ do: z.literal('createChannel'), name: z.string().max(200), isPrivate: z.boolean() }),
  z.object({
    do: z.literal('upload'),
    channel: id,
    threadTs: ts.exactOptional(),
    name: z.string().min(1).max(255),
    mimetype: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/),
    content: z.string(),
    text,
  }),
  z.object({ do: z.literal('setFault'), fault: z.enum(faultNames), isOn: z.boolean() }),
  z.object({ do: z.literal('alert'), event: z.enum(alertEvents) }),
  z.object({ do: z.literal('acknowledge'), key: z.string().min(1).max(200) }),
  z.object({
    do: z.literal('story'),
    name: id,
    command: z.enum(['play', 'pause', 'step', 'restart']),
    speed: z.number().positive().max(100).exactOptional(),
    upTo: z.number().int().nonnegative().exactOptional(),
  }),
]) satisfies z.ZodType<Act>;

/** The body of `POST /acts`: who does what. */
export const actBody = z.object({ as: id, act });
