/** How long changes are gathered before they are shown, by the rounds of the last minute, in milliseconds. */
const waits = [300, 3000, 10_000];
/** The same in a busy minute. Slack allows fifty edits a minute in a channel (docs/slack.md 6), and people read more slowly. */
const longestWait = 17_000;
/** Rounds within a minute after which even what people must notice is gathered, and for how long, in milliseconds. */
const busy = { rounds: 4, wait: 5000 };
const minute = 60_000;

/** How often each incident is shown: at once in a calm room, seldom in a busy one. */
export interface Pace {
  /** How long to gather changes before the next round, in milliseconds. */
  wait(incidentID: string, isUrgent: boolean): number;
  /** A round begins. */
  begin(incidentID: string): void;
}

/** Opens the pace of one process. `steady`: milliseconds of a clock that never steps. */
export function createPace(steady: () => number): Pace {
  const begun = new Map<string, readonly number[]>();
  const lately = (incidentID: string): readonly number[] =>
    (begun.get(incidentID) ?? []).filter(at => steady() - at < minute);
  return {
    wait: (incidentID, isUrgent) => {
      const rounds = lately(incidentID);
      const usual = waits[rounds.length] ?? longestWait;
      const [soonest = 0] = waits;
      const since = steady() - (rounds.at(-1) ?? Number.NEGATIVE_INFINITY);
      const longest = isUrgent ? (rounds.length < busy.rounds ? soonest : busy.wait) : usual;
      return Math.max(soonest, longest - since);
    },
    begin: incidentID => {
      for (const [id] of begun) if (lately(id).length === 0) begun.delete(id);
      begun.set(incidentID, [...lately(incidentID), steady()]);
    },
  };
}
