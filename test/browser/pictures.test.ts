import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { documents, read } from '../support/docs/files.ts';
import { pictures } from '../support/pictures/folder.ts';
import { takePictures } from '../support/pictures/pictures.ts';
import { openStudio } from '../support/pictures/studio.ts';

/** The most bytes of a picture: a README is read on slow lines too. */
const most = 225_000;

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to have the pictures taken`);
}

test.skipIf(hasNoBrowser)(
  '`npm run screenshots` takes just the pictures that the documents show, and they are there',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-pictures-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await using studio = await openStudio();
    const taken: string[] = [];
    await takePictures(studio, async (name, page) => {
      const path = join(folder, `${name}.png`);
      await page.screenshot({ path });
      expect((await stat(path)).size, name).toBeLessThan(most);
      taken.push(`${name}.png`);
    });
    const words = documents().map(read).join('\n');
    const shown = new Set(
      [...words.matchAll(/[("]((?:[\w./-]+\/)?pictures\/[\w-]+\.png)[)"]/g)].map(each => basename(each[1] ?? '')),
    );
    expect([...shown].toSorted()).toEqual(taken.toSorted());
    expect((await readdir(pictures)).toSorted()).toEqual(taken.toSorted());
  },
);
