const day = 24 * 3_600_000;

/** How long the bot keeps each thing after its last change, in milliseconds: the one table of them. `bot/retention.ts` deletes by it. */
export const keepFor = {
  /** Keys of deliveries: Slack's last redelivery comes after minutes (docs/slack.md 2). */
  deliveries: 2 * day,
  /** Finished intents, with what people typed. */
  intents: 30 * day,
  /** Lines about changes. */
  lines: 30 * day,
  /** Groups of alerts, since the newest notice. */
  alerts: 90 * day,
  /** Pages, since they last changed. */
  pages: 90 * day,
  /** What was owed, and is not any more. */
  duties: 30 * day,
  /** Calls of people, and who answered. */
  calls: 30 * day,
  /** Words that a person typed, to be given back. */
  drafts: 7 * day,
  /** Incidents as the API showed them, since it showed them last. */
  snapshots: 90 * day,
  /** What Slack and the API say of people, since they acted. */
  people: 90 * day,
  /** What people have seen of incidents, since they last looked. */
  visits: 90 * day,
  /** Processes, since they last showed that they live. */
  processes: day,
} as const;
