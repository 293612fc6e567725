import { randomInt, randomUUID } from 'node:crypto';

/** The characters of a uid of a dashboard, folder or short URL; the empty string passes (docs/api-rules.md B, C2). */
export const uidPattern = /^[a-zA-Z0-9\-_]*$/;

/** A new uid: a letter, 24 hexadecimal digits of a UUID, a letter; 26 characters, lower case (docs/api-rules.md B). */
export function newUid(): string {
  return randomLetter() + randomUUID().replaceAll('-', '').slice(0, 24) + randomLetter();
}

function randomLetter(): string {
  return String.fromCharCode(0x61 + randomInt(26));
}
