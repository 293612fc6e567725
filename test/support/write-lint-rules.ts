import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintOverrides } from './layers.ts';

/* Writes the layers into biome.json, in place of those that are there. */
const file = join(import.meta.dirname, '../../biome.json');
const biome = JSON.parse(readFileSync(file, 'utf8'));
const others = biome.overrides.filter((each: object) => !JSON.stringify(each).includes('noRestrictedImports'));
writeFileSync(file, `${JSON.stringify({ ...biome, overrides: [...others, ...lintOverrides()] }, null, 2)}\n`);
