/** The two parts of a body of a note: what was noted, and the line about who and where. */
export function splitNoteBody(body: string): { text: string; foot: string } {
  const at = body.lastIndexOf('\n\n— ');
  const foot = at < 0 ? '' : body.slice(at + 2);
  return / in Slack\b/.test(foot) && !foot.includes('\n')
    ? { text: body.slice(0, at), foot }
    : { text: body, foot: '' };
}
