const msPerMinute = 60_000;
/** Milliseconds that are shown before an incident begins. */
const margin = 15 * msPerMinute;

/** When an incident was; `end` is undefined while it goes on. */
export interface IncidentSpan {
  readonly start: Date;
  readonly end: Date | undefined;
}

/** A window in epoch milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From a quarter of an hour before the incident to its end, or now. */
export function aroundIncident({ start: began, end }: IncidentSpan, now: Date): Span {
  const from = began.getTime() - margin;
  return outwards(from, Math.max((end ?? now).getTime(), began.getTime() + msPerMinute));
}

/** The same window with whole minutes at its ends. */
export function outwards(from: number, to: number): Span {
  return {
    from: Math.max(0, Math.floor(from / msPerMinute) * msPerMinute),
    to: Math.ceil(to / msPerMinute) * msPerMinute,
  };
}
