import { parseTime } from '../store/time.ts';
import { invalidArgument } from './errors.ts';

/** Reads a time of a request; `""` gives `absent`. */
export function readTime<A>(member: string, written: string, absent: A): number | A {
  if (written.trim() === '') return absent;
  const time = parseTime(written);
  if (time === undefined) throw invalidArgument(`${member} must be a time like 2026-01-31T14:05:00Z`);
  return time;
}

/** Reads a text of a request without the blanks around it. It must not be empty, nor longer than `most` characters. */
export function readText(member: string, text: string, most: number): string {
  const trimmed = text.trim();
  if (trimmed === '') throw invalidArgument(`${member} is required`);
  if (trimmed.length > most) throw invalidArgument(`${member} must be at most ${most} characters`);
  return trimmed;
}
