/**
 * The text without the signs at its end. `signs` matches one character: `/[.,]/` takes full stops and commas off. The function reads those
 * characters and one more. An expression such as `/[.,]+$/` tries each run within the text, and costs the square of the longest.
 */
export function trimEnd(text: string, signs: RegExp): string {
  let end = text.length;
  while (end > 0 && signs.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
