import { randomBytes } from 'node:crypto';

/** An id that nobody guesses and that sorts by when it was made, so that rows made together lie together (RFC 9562, version 7). */
export function toTimedID(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.max(0, now.getTime()), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
