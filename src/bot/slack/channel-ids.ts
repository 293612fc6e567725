/** Whether a channel is a direct message of two, which nobody else reads (docs/slack.md 3). */
export function isDirectMessage(channelId: string): boolean {
  return channelId.startsWith('D');
}
