/** Most characters of a piece: a message's text holds 4,000 (docs/slack.md 5), and each of `&`, `<`, `>` takes up to five. */
const maxPiece = 3000;
/** Most pieces of a record. */
const maxPieces = 20;

/** A text in pieces that each fit into a message in fixed-width type, broken at the ends of lines where that works. */
export function toPieces(text: string): { readonly pieces: readonly string[]; readonly isCut: boolean } {
  const pieces: string[] = [];
  let rest = text.replaceAll('```', "'''").trim();
  while (rest !== '' && pieces.length < maxPieces) {
    const end = endOfPiece(rest);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).replace(/^\n/, '');
  }
  return { pieces, isCut: rest !== '' };
}

function endOfPiece(text: string): number {
  if (text.length <= maxPiece) return text.length;
  const lineEnd = text.lastIndexOf('\n', maxPiece);
  if (lineEnd > maxPiece / 2) return lineEnd;
  // Not between the two halves of a character.
  return /[\uD800-\uDBFF]/.test(text.charAt(maxPiece - 1)) ? maxPiece - 1 : maxPiece;
}
