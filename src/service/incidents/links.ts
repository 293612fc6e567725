const link = /https?:\/\/[^\s<>"']+/gi;

/** A part of a text: a web address, or the text between two of them. */
interface TextPart {
  readonly text: string;
  readonly isLink: boolean;
}

/**
 * Splits a text into parts that together are the text. Punctuation that ends a sentence is not part of an address
 * (docs/api-rules.md A5).
 */
export function splitByLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(link)) {
    const found = withoutPunctuation(match[0]);
    if (!/^https?:\/\/./i.test(found)) continue;
    if (match.index > at) parts.push({ text: text.slice(at, match.index), isLink: false });
    parts.push({ text: found, isLink: true });
    at = match.index + found.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), isLink: false });
  return parts;
}

/** The distinct web addresses in a text, in order. */
export function findLinks(text: string): string[] {
  return [
    ...new Set(
      splitByLinks(text)
        .filter(part => part.isLink)
        .map(part => part.text),
    ),
  ];
}

/** Removes trailing punctuation, and a closing bracket whose opening one is not part of the address. Each character is looked at once. */
function withoutPunctuation(address: string): string {
  const open: Record<string, number> = { ')': 0, ']': 0 };
  for (const sign of address) {
    if (sign === '(' || sign === ')') open[')'] = (open[')'] ?? 0) + (sign === '(' ? 1 : -1);
    if (sign === '[' || sign === ']') open[']'] = (open[']'] ?? 0) + (sign === '[' ? 1 : -1);
  }
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    const excess = open[last];
    if (excess === undefined ? !'.,;:!?'.includes(last) : excess >= 0) break;
    if (excess !== undefined) open[last] = excess + 1;
  }
  return address.slice(0, end);
}
