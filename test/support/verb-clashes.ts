import type { VerbShape } from '../../src/bot/grammar/verb.ts';
import { normalize } from '../../src/bot/grammar/words.ts';

/** Words that two verbs of one noun both claim as a name, alias or shorthand, in sentences. */
export function findClashes(verbs: readonly VerbShape[]): string[] {
  const claims = new Map<string, VerbShape>();
  const clashes: string[] = [];
  for (const shape of verbs) {
    for (const word of [shape.verb, ...(shape.aliases ?? []), ...Object.keys(shape.shorthands ?? {})]) {
      const key = `${shape.noun} ${normalize(word)}`;
      const other = claims.get(key);
      if (other !== undefined && other !== shape) clashes.push(`"${key}" is both ${other.verb} and ${shape.verb}`);
      claims.set(key, shape);
    }
  }
  return clashes;
}
