import { randomUUID } from 'node:crypto';

/** An id that nobody guesses and that sorts by when it was made, so that rows made together lie together (RFC 9562, version 7). */
export function toTimedID(now: Date): string {
  const time = Math.max(0, now.getTime()).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
