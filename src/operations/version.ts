import { readFileSync } from 'node:fs';

/** The version of this Muster, as package.json has it. */
export function readVersion(): string {
  const about: { version: string } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return about.version;
}
