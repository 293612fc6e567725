/** Writes a time for `<input type="datetime-local">` in a zone: `YYYY-MM-DDTHH:mm`. */
export function toLocalTime(seconds: number, zone: string): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return '';
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
      .formatToParts(date)
      .map(part => [part.type, part.value]),
  );
  return `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}`;
}

/**
 * Unix seconds of a local time in a zone; `undefined` when it is none. A time that a clock change skips gives the one after the
 * change; one that it repeats gives the first.
 */
export function fromLocalTime(local: string, zone: string): number | undefined {
  const wanted = Date.parse(`${local}Z`) / 1000;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local) || Number.isNaN(wanted)) return undefined;
  const offsetAt = (seconds: number): number => Date.parse(`${toLocalTime(seconds, zone)}Z`) / 1000 - seconds;
  const day = 86_400;
  const guesses = [offsetAt(wanted - day), offsetAt(wanted + day)].map(offset => wanted - offset);
  const fitting = guesses.filter(guess => toLocalTime(guess, zone) === local);
  return fitting.length > 0 ? Math.min(...fitting) : guesses[0];
}
