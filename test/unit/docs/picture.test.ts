import { expect, test } from 'vitest';
import { read } from '../../support/docs/files.ts';
import { drawPicture } from '../../support/picture/draw.ts';
import { playShortly } from '../../support/picture/play.ts';

test('docs/picture.svg shows what people see today; `npm run picture` draws it anew', async () => {
  const drawn = await playShortly(drawPicture);
  expect(drawn).toContain('Checkout answers 500');
  expect(read('docs/picture.svg')).toBe(drawn);
});
