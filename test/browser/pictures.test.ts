import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chromiumPath, hasNoBrowser } from '../support/browser.ts';
import { documents, read } from '../support/docs/files.ts';
import { pictures, toTreesFile, trees as treesFile } from '../support/pictures/folder.ts';
import { readTree, takePictures } from '../support/pictures/pictures.ts';
import { openStudio } from '../support/pictures/studio.ts';

/** The most bytes of a picture: a README is read on slow lines too. */
const most = 225_000;

/** The words of each picture, each once. Slack's own lines come in any order, and the first of several by one author has a head. */
function toWords(file: string): Readonly<Record<string, readonly string[]>> {
  const pictures = file.split(/^# /m).slice(1);
  const lines = (tree: string) =>
    tree
      .split('\n')
      .slice(1)
      .map(line => line.trim().replace(/^- /, ''));
  const isWords = (line: string) => line !== '' && !/^(?:[\w ]+:|time: .*|strong: Muster|text: APP)$/.test(line);
  return Object.fromEntries(
    pictures.map(each => [each.split('\n')[0], [...new Set(lines(each).filter(isWords))].toSorted()]),
  );
}

if (hasNoBrowser) {
  test.skip(`no Chromium at ${chromiumPath}: install it, or set CHROMIUM_PATH, to have the pictures taken`);
}

test.skipIf(hasNoBrowser)('the pictures show what the documents show, and what a reader sees today', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-pictures-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await using studio = await openStudio();
  const taken: string[] = [];
  const trees = new Map<string, string>();
  await takePictures(studio, async (name, page) => {
    const path = join(folder, `${name}.png`);
    trees.set(name, await readTree(page));
    await page.screenshot({ path });
    expect((await stat(path)).size, name).toBeLessThan(most);
    taken.push(`${name}.png`);
  });
  const words = documents().map(read).join('\n');
  const shown = new Set(
    [...words.matchAll(/[("]((?:[\w./-]+\/)?pictures\/[\w-]+\.png)[)"]/g)].map(each => basename(each[1] ?? '')),
  );
  expect([...shown].toSorted()).toEqual(taken.toSorted());
  expect((await readdir(pictures)).toSorted()).toEqual([...taken, basename(treesFile)].toSorted());
  const known = toWords(await readFile(treesFile, 'utf8'));
  expect(toWords(toTreesFile(trees)), '`npm run screenshots` takes the pictures anew').toEqual(known);
});
