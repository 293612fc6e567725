import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pictures, toTreesFile, trees } from './folder.ts';
import { readTree, takePictures } from './pictures.ts';
import { openStudio } from './studio.ts';

/* `npm run screenshots`: takes every picture of the README and the documents, into docs/pictures/, with what they show in words. It needs Chromium. */

await mkdir(pictures, { recursive: true });
await using studio = await openStudio();
const shown = new Map<string, string>();
await takePictures(studio, async (name, page) => {
  const path = join(pictures, `${name}.png`);
  shown.set(name, await readTree(page));
  await page.screenshot({ path });
  process.stdout.write(`${path}\n`);
});
await writeFile(trees, toTreesFile(shown));
