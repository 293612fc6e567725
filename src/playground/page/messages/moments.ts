/** The moment of a message's timestamp. */
export function toDate(ts: string): Date {
  return new Date(Number(ts) * 1000);
}

/** The time of day in the reader's zone, such as `14:05`. */
export function toTime(ts: string, zone: string): string {
  return toDate(ts).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
}

/** The day in the reader's zone, such as `Friday 14 March 2026`. */
export function toDay(ts: string, zone: string): string {
  return toDate(ts).toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: zone,
  });
}
