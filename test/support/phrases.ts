/** Sentences of Muster’s that many tests look for. A better sentence changes here and in test/words.md, and few tests. */
export const phrases = {
  /** A reading command names an incident that is not there, or not for this person. */
  noIncident: (reference: string | number) => `There is no incident ${reference} that you can see`,
  /** A command that changes something names such an incident. */
  noIncidentToChange: (reference: string | number) => `There is no incident ${reference}. Nothing was done.`,
  noIncidentYet: 'There is no incident yet',
  /** A note or a message is on the timeline of the incident that most tests have. */
  added: 'the timeline of incident 1',
  /** The last line of a note whose message bob wrote and alice added. */
  saidByBob: '— said by bob in Slack, added by alice',
  unchanged: 'Nothing was changed.',
  unregistered: 'not registered yet',
  active: (count: string | number) => `Active incidents (${count})`,
} as const;
