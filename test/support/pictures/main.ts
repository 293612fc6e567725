import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pictures } from './folder.ts';
import { takePictures } from './pictures.ts';
import { openStudio } from './studio.ts';

/* `npm run screenshots`: takes every picture of the README and the documents, into docs/pictures/. It needs Chromium. */

await mkdir(pictures, { recursive: true });
await using studio = await openStudio();
await takePictures(studio, async (name, page) => {
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path });
  process.stdout.write(`${path}\n`);
});
