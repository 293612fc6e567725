import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drawPicture } from './draw.ts';
import { playShortly } from './play.ts';

/* `npm run picture`: draws the picture of the README, docs/picture.svg, from what people saw in a short incident. */

const file = fileURLToPath(new URL('../../../docs/picture.svg', import.meta.url));
writeFileSync(file, await playShortly(drawPicture));
process.stdout.write(`${file} is drawn.\n`);
