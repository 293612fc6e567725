/** The moment of a message's timestamp. */
export function toDate(ts: string): Date {
  return new Date(Number(ts) * 1000);
}

/** The time of day in the reader's zone, such as `2:05 PM`: as Slack writes it, and so the texts of messages. */
export function toTime(ts: string, zone: string): string {
  return formatsOf(zone).time.format(toDate(ts)).replace('\u202f', ' ');
}

/** The same where there is little room, such as `2:05`. */
export function toShortTime(ts: string, zone: string): string {
  return toTime(ts, zone).replace(/ [AP]M$/, '');
}

/** The day in the reader's zone, such as `Friday 14 March 2026`. */
export function toDay(ts: string, zone: string): string {
  return formatsOf(zone).day.format(toDate(ts));
}

interface Formats {
  readonly time: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
}

/** Making a format takes a hundred times as long as using it, and each message of a list uses both. */
const formats = new Map<string, Formats>();

function formatsOf(timeZone: string): Formats {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = {
    time: new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone }),
    day: new Intl.DateTimeFormat('en-GB', {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      timeZone,
    }),
  };
  formats.set(timeZone, made);
  return made;
}
