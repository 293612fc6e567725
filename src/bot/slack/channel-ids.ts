/** Whether a channel is a direct message of two, which nobody else reads (docs/slack.md 3). */
export function isDirectMessage(channelId: string): boolean {
  return channelId.startsWith('D');
}

/** Whether an id is that of a person, to whom Slack takes messages as to a channel (docs/slack.md 3). */
export function isPerson(id: string): boolean {
  return /^[UW]/.test(id);
}
