/** A body that is no group of alerts, in words for the person who set the tool up. They name the member that is missing or wrong. */
export class UnreadableAlert extends Error {
  override name = 'UnreadableAlert';
}
