/**
 * Whether a JSON text has more than `most` values, members and items counted at every depth. It looks at the text only: once
 * parsed, many small values take twenty times as much memory. A text that is no JSON may be counted wrongly.
 */
export function hasMoreValues(json: string, most: number): boolean {
  if (json.length <= most) return false;
  let values = 1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfText(json, at);
    else if (code === comma || isFilled(json, at, code)) values += 1;
    if (values > most) return true;
  }
  return false;
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Whether an object or list begins here that is not empty. */
function isFilled(json: string, at: number, code: number): boolean {
  if (code === openBrace) return json.charCodeAt(at + 1) !== closeBrace;
  return code === openBracket && json.charCodeAt(at + 1) !== closeBracket;
}

/** Where the text ends that begins at a quote. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return json.length;
}
