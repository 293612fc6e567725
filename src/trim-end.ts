/**
 * A text without the characters at its end that `signs` matches, each by itself: `/[.,]/` takes full stops and commas off. It looks at no
 * other character, where an expression such as `/[.,]+$/` costs the square of the longest run within the text.
 */
export function trimEnd(text: string, signs: RegExp): string {
  let end = text.length;
  while (end > 0 && signs.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
