/** Encodes `&`, `<` and `>`, which mrkdwn reserves (docs/slack.md 8). */
export function encodeEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Reverses `encodeEntities`. */
export function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
