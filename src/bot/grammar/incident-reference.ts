import type { Token } from './tokens.ts';

/** An incident that a person named beside a command: by its number, or by a channel of its own. */
export type IncidentReference =
  | {
      readonly kind: 'number';
      readonly id: string;
      /** Whether it can be nothing but an incident: `INC-7`, and not `7`. */
      readonly isPlain: boolean;
    }
  | { readonly kind: 'channel'; readonly channelId: string; readonly id: string };

const plainNumber = /^#?(\d{1,9})[,.:;]?$/;
const named = /^#?(?:inc|incident)[-_]?(\d{1,9})[,.:;]?$/i;

/**
 * The incident that a word names: `7`, `#7`, `INC-7`, `#inc-7-checkout`, or a channel that Slack marked. `channelPrefix` is how
 * incident channels begin here.
 */
export function readReference(token: Token | undefined, channelPrefix: string): IncidentReference | undefined {
  if (token === undefined || token.quoted || token.mention !== undefined) return undefined;
  const { channel, text } = token;
  const inName = numberOfChannel(text, channelPrefix);
  if (channel !== undefined) return { kind: 'channel', channelId: channel.id, id: inName ?? '' };
  const plain = plainNumber.exec(text)?.[1];
  if (plain !== undefined) return { kind: 'number', id: String(Number(plain)), isPlain: true };
  const id = named.exec(text)?.[1] ?? inName;
  return id === undefined ? undefined : { kind: 'number', id: String(Number(id)), isPlain: false };
}

/** The number in the name of an incident's channel: 7 in `#inc-7-checkout`. */
function numberOfChannel(text: string, channelPrefix: string): string | undefined {
  const name = text.replace(/^#/, '').toLowerCase();
  const prefix = channelPrefix.toLowerCase();
  if (prefix === '' || !name.startsWith(prefix)) return undefined;
  const number = /^(\d{1,9})(?:-[\p{L}\p{N}_-]*)?[,.:;]?$/u.exec(name.slice(prefix.length))?.[1];
  return number === undefined ? undefined : String(Number(number));
}
