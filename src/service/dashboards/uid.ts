import { randomInt, randomUUID } from 'node:crypto';
import { maxDashboardUid } from '../../contract/dashboards.ts';

/** The characters of a uid of a dashboard, folder or short URL; the empty string passes (docs/api-rules.md B, C2). */
export const uidPattern = /^[a-zA-Z0-9\-_]*$/;

/** The problem of a uid that a caller chose for a dashboard or folder, in Grafana's words; undefined when there is none. */
export function findUidProblem(uid: string): string | undefined {
  if (!uidPattern.test(uid)) return 'uid contains illegal characters';
  if (uid.length > maxDashboardUid) return `uid too long, max ${maxDashboardUid} characters`;
  return undefined;
}

/** Whether the uid of a folder means the root level, which newer Grafanas call `general`. */
export function isRootUid(uid: string): boolean {
  return uid.toLowerCase() === 'general';
}

/** A new uid: a letter, 24 hexadecimal digits of a UUID, a letter; 26 characters, lower case (docs/api-rules.md B). */
export function newUid(): string {
  return randomLetter() + randomUUID().replaceAll('-', '').slice(0, 24) + randomLetter();
}

function randomLetter(): string {
  return String.fromCharCode(0x61 + randomInt(26));
}
