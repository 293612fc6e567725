import { maxDepth } from './read/read.ts';
import { UnreadableAlert } from './read/unreadable.ts';

/** Most members of an object. Alerts have some tens of labels, and a hundred thousand take a second to read. */
const maxMembers = 1000;

/** Parses the bytes of a body as JSON. Throws an {@link UnreadableAlert} that says why they are none. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new UnreadableAlert('The body is empty.');
  const excess = findExcess(bytes);
  if (excess !== '') throw new UnreadableAlert(excess);
  const text = toText(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableAlert(whyNoJson(error));
  }
}

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableAlert('The body is not JSON: it is not in UTF-8.');
  }
}

/** Where it stops being JSON. The words of the parser itself quote the body, which no log is to have. */
function whyNoJson(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined
    ? 'The body is not JSON, or breaks off.'
    : `The body is not JSON: character ${Number(position) + 1} does not belong there.`;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The part that a body has too many of; `""` for none. It looks before the parser does, which takes many times the memory of the body. */
function findExcess(bytes: Buffer): string {
  // The members of each object that is open, and 0 for a list.
  const members = [0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    const inner = members.length - 1;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openList || byte === openObject) {
      if (members.length > maxDepth) return `The body has more than ${maxDepth} levels.`;
      members.push(byte === openObject ? 1 : 0);
    } else if (byte === closeList || byte === closeObject) members.pop();
    else if (byte === comma && members[inner]) {
      members[inner] += 1;
      if (members[inner] > maxMembers) return `The body has an object with more than ${maxMembers} members.`;
    }
  }
  return '';
}

/** The end of the string whose opening quote is at `from`. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
