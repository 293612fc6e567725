import { UnreadableAlert } from './read/unreadable.ts';

/** Most levels of objects and lists in a body. The tools have about six; what reads a body goes down level by level. */
const maxDepth = 50;

/** Parses the bytes of a body as JSON. Throws an {@link UnreadableAlert} that says why they are none. */
export function parseBody(bytes: Buffer): unknown {
  if (bytes.length === 0) throw new UnreadableAlert('The body is empty.');
  if (isTooDeep(bytes)) throw new UnreadableAlert(`The body has more than ${maxDepth} levels.`);
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
    throw new UnreadableAlert('The body is no JSON: it is not in UTF-8.');
  }
}

/** Where it stops being JSON. The words of the parser itself quote the body, which no log is to have. */
function whyNoJson(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined
    ? 'The body is no JSON, or breaks off.'
    : `The body is no JSON: character ${Number(position) + 1} does not belong there.`;
}

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Looks before the parser does: that takes many times the memory of the body for its levels. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === closeList || byte === closeObject) depth -= 1;
    else if (byte === openList || byte === openObject) {
      depth += 1;
      if (depth > maxDepth) return true;
    }
  }
  return false;
}

/** Where the string ends whose opening quote stands at `from`. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
